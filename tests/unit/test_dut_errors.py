from wirespeed.dut.errors import ErrorCount, parse_errors

VPP_TODAY = """\
   Count                  Node                              Reason               Severity
     13888            memif1/1-tx                      no free tx slots            error
       120             arp-reply                     ARP replies sent             info
"""
VERBOSE = """\
   Count                  Node                              Reason               Severity  Index
Thread 1 (vpp_wk_0):
     14656            memif1/1-tx                      no free tx slots            error   2985
"""


def test_reasons_of_several_words():
    assert parse_errors(VPP_TODAY) == (
        ErrorCount(13888, "memif1/1-tx", "no free tx slots", "error"),
        ErrorCount(120, "arp-reply", "ARP replies sent", "info"),
    )


def test_rows_with_an_index_and_no_rows_at_all():
    assert [(row.count, row.severity) for row in parse_errors(VERBOSE)] == [(14656, "error")]
    assert parse_errors("") == ()
