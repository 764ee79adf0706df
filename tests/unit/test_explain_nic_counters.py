"""Counters of drivers by their meaning: the loss belongs to the NIC, whatever a driver calls it."""

from __future__ import annotations

import pytest

from wirespeed.cases.nic_counters import (
    BAD_FRAME,
    FILTERED,
    OVERRUN,
    PAUSE,
    RING,
    TABLE,
    TX_FULL,
    meaning_of,
    pauses,
    queue_packets,
)
from wirespeed.dut.kinds.linux_load import nic_counters
from wirespeed.explain.ranking import Explanation, explain
from wirespeed.explain.sources.evidence_file import cases_of

TYPED = """
schema: wirespeed-evidence/1
box: {name: router, system: linux, cores: 4, hz: 2.2e9}
tests:
  - name: a
    size: 64
    line: 10G
    flows: many
    offered: 10mpps
    received: 6mpps
    nics: {eth0: {rx_packets: 180000000, "%s": %d}}
"""


def explained(counter: str, count: int = 120_000_000) -> Explanation:
    (case,) = cases_of(TYPED % (counter, count), "typed.yaml")
    return explain(case)


@pytest.mark.parametrize(
    "counter",
    [
        *("rx_total_discard_pkts", "[3]: rx_discards", "rx_drops", "drv dropped rx total", "pkts rx OOB"),
        *(
            "rx_nodesc_drops",
            "port_rx_nodesc_drops",
            "rx_bg0_frames_dropped",
            "rx_fullq_drop",
            "rxq_2_queue_full_drops",
        ),
        *("[hw] rx nobuffer discards", "rxbds_empty", "no_buff_discards", "rx_no_bufs", "rx_queue_0_drops"),
        *("rx0_drops", "rx_no_dma_resources", "rx_out_of_buffer", "rx_mbuf_allocation_errors"),
        *(
            "rx_drops_no_pbuf",
            "rxq3: rx_drops_no_frags",
            "rx_skb_alloc_discard",
            "rx_resource_errors",
            "rx_missed_cntr",
        ),
    ],
)
def test_a_full_ring_is_named_by_any_driver(counter: str) -> None:
    found = explained(counter)
    assert found.cause == "rx-overrun" and found.verdict is not None
    assert f"120,000,000 × “eth0: {counter}”, 100 % of what was lost" in found.verdict.sentence


@pytest.mark.parametrize(
    "counter",
    [
        *("rx_discards_phy", "rx_dropped.nic", "InDroppedDma", "brb_truncates", "port_rx_overflow", "rx_ppv2_overrun"),
        *("pps_allowance_exceeded", "rx_brb_discard", "IEEE_rx_macerr", "rx_overflow_cntr"),
    ],
)
def test_a_nic_without_room_is_named_by_any_driver(counter: str) -> None:
    assert explained(counter).cause == "nic"


@pytest.mark.parametrize(
    ("counter", "cause"),
    [
        ("rx_fcs_err_frames", "bad-wire"),
        ("rx_crc_errors.nic", "bad-wire"),
        ("tx_total_discard_pkts", "tx-ring"),
        ("ring full", "tx-ring"),
        ("IEEE_rx_crc", "bad-wire"),
        ("rx_frame_check_sequence_errors", "bad-wire"),
        ("hw_tx_dropped", "tx-ring"),
        ("rx_mf_tag_discard", "dropped"),
        ("mac_filter_discards", "dropped"),
        ("[hw] rx filtered frames", "dropped"),
        ("rx_missed_errors", "unknown"),  # the CPU's load decides between ring and bus
        ("hw_rx_missed_errors", "unknown"),
        ("rx_ucast_packets", "unknown"),
    ],
)
def test_other_counters_are_of_their_causes(counter: str, cause: str) -> None:
    assert explained(counter).cause == cause


def test_a_counter_of_a_small_part_names_nothing() -> None:
    assert explained("rx_total_discard_pkts", 120_000).cause == "unknown"


def test_each_row_of_the_table_has_its_driver_and_source() -> None:
    assert all(row.driver and row.source for row in TABLE)
    drivers = {row.driver for row in TABLE}
    assert {
        "bnxt",
        "ena",
        "vmxnet3",
        "sfc",
        "cxgb4",
        "atlantic",
        "mvpp2",
        "dpaa2",
        "tg3",
        "qede",
        "enic",
        "ice",
    } <= drivers
    assert {row.meaning for row in TABLE} >= {RING, OVERRUN, FILTERED, BAD_FRAME, TX_FULL, PAUSE}
    assert meaning_of("eth0: rx_total_discard_pkts") == RING and meaning_of("rx_packets") == ""


def test_queues_and_pauses_of_other_drivers() -> None:
    counters = {"Queue[0] InPackets": 5, "Queue[1] InPackets": 3, "Queue[0] OutPackets": 9}
    assert queue_packets(counters) == {"0": 5, "1": 3}
    assert queue_packets({"[0]: rx_ucast_packets": 7, "queue_1_rx_cnt": 2, "rxq_2_desc_enqueue": 4}) == {
        **{"0": 7, "1": 2, "2": 4}
    }
    assert queue_packets({"rxq0: rx_pkts": 4, "rx_1_pkts": 3, "q2_rx_packets": 2, "q3_rx_pkt_n": 1}) == {
        **{"0": 4, "1": 3, "2": 2, "3": 1}
    }
    assert nic_counters("NIC statistics:\n     rxq0: rx_pkts: 5\n") == {"rxq0: rx_pkts": 5}
    assert pauses({"rx_xoff_pause_rcvd": 2, "fc_sent": 3, "link_xoff_rx.nic": 4, "port_rx_pause": 1}) == 10


VMXNET3 = """NIC statistics:
     Tx Queue#: 0
       ring full: 4
     Rx Queue#: 0
       drv dropped rx total: 5
          fcs: 1
     Rx Queue#: 1
       drv dropped rx total: 7
     [0]: rx_discards: 11
     tx timeout count: 0
"""


def test_names_with_colons_and_names_of_each_queue_are_read() -> None:
    found = nic_counters(VMXNET3)
    assert (found["drv dropped rx total"], found["[0]: rx_discards"], found["ring full"]) == (12, 11, 4)
