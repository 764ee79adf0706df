"""Certainty of verdicts: of those with 95 % and more, 95 % are right over all cases with a known cause."""

from __future__ import annotations

from collections.abc import Iterator

import test_explain_articles as articles
import test_explain_causes as facts
import test_explain_seeds as seeds
import test_explain_vpp_counters as counters
from article_files import netgate_evidence

from wirespeed.cases.facts import Case
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.evidence_file import cases_of, read_evidence

SURE = 0.95
LEAST_CASES = 100

NOTHING_PROVED = """
schema: wirespeed-evidence/1
dut: {system: linux, cores: 4}
tests:
  - {name: one pause, size: 64, line: 10G, offered: 14Mpps, received: 1Mpps, nics: {e0: {rx_flow_control_xoff: 1}}}
  - {name: few missed, size: 64, line: 10G, offered: 14Mpps, received: 1Mpps, nics: {e0: {rx_missed_errors: 40}}}
  - {name: few broken, size: 64, line: 10G, offered: 14Mpps, received: 1Mpps, nics: {e0: {rx_crc_errors: 40}}}
  - {name: few refused, size: 64, line: 10G, offered: 14Mpps, received: 1Mpps, drops: {'e1-tx: no free tx slots': 40}}
  - {name: few unknown, size: 64, line: 10G, offered: 14Mpps, received: 1Mpps, drops: {'x: frobnicated': 40}}
  - {name: few without a route, size: 64, line: 10G, offered: 14Mpps, received: 1Mpps, drops: {'Ip OutNoRoutes': 40}}
"""


def labelled() -> Iterator[tuple[Case, str]]:
    """Cases with their true cause: simulated, recorded, published, and reconstructed from tables."""
    yield from ((case, cause) for cause, case in facts.CASES.items())
    for name, tests in seeds.EXPECTED.items():
        for case in read_evidence(seeds.GOLDEN / f"{name}.yaml"):
            if case.load.name in tests:
                yield case, tests[case.load.name]
    for name, (cause, _) in counters.RIGHT.items():
        (case,) = read_evidence(counters.GOLDEN / f"{name}.yaml")
        yield case, cause
    for case in cases_of(netgate_evidence(), "netgate.yaml"):
        yield case, articles.BY_NAME[case.load.name]
    for case in cases_of(articles.APU6, "apu6.yaml"):
        yield case, articles.APU6_RIGHT[case.load.name]
    for case in cases_of(NOTHING_PROVED, "nothing.yaml"):
        yield case, "unknown"


def test_who_is_sure_is_right() -> None:
    cases = list(labelled())
    assert len(cases) >= LEAST_CASES
    sure = [
        (case.load.name, verdict.cause, right)
        for case, right in cases
        if (verdict := explain(case).verdict) is not None and verdict.confidence >= SURE
    ]
    wrong = [one for one in sure if one[1] != one[2]]
    assert len(sure) >= LEAST_CASES // 3
    assert len(wrong) <= (1 - SURE) * len(sure), wrong


def test_nothing_else_is_as_sure_as_a_proof() -> None:
    """In the recorded texts, no second cause is as certain as the one that was built in."""
    for name, (cause, _) in counters.RIGHT.items():
        (case,) = read_evidence(counters.GOLDEN / f"{name}.yaml")
        assert {finding.cause for finding in explain(case).named if finding.confidence >= SURE} <= {cause}


def test_counters_of_a_few_packets_make_nobody_sure() -> None:
    for case in cases_of(NOTHING_PROVED, "nothing.yaml"):
        assert explain(case).cause == "unknown", case.load.name
