"""Names of nodes: the class of each, also if VPP truncated the name, and input nodes."""

from __future__ import annotations

import pytest

from wirespeed.results.dut import INPUT_NODES, NodeCost, entry_calls, forwarding_cost
from wirespeed.results.node_classes import class_of, port_of, whole_names

LONG = "TwentyFiveGigabitEthernet3/0/1"


@pytest.mark.parametrize(
    ("printed", "whole"),
    [
        (["HundredGigabitEthernet17/0/0-o"], ["HundredGigabitEthernet17/0/0-output"]),
        (["HundredGigabitEthernet17/0/0-t"], ["HundredGigabitEthernet17/0/0-tx"]),
        (["FortyGigabitEthernet5/0/0-outp"], ["FortyGigabitEthernet5/0/0-output"]),
        ([LONG, LONG], [f"{LONG}-output", f"{LONG}-tx"]),
        ([LONG], [LONG]),  # a single row is ambiguous
        (["e1-o", "acl-plugin-fa-worker-cleaner-p"], ["e1-o", "acl-plugin-fa-worker-cleaner-p"]),
        (["TenGigabitEthernet9/0/0-output"], ["TenGigabitEthernet9/0/0-output"]),
    ],
)
def test_what_a_cut_took_is_put_back(printed: list[str], whole: list[str]) -> None:
    assert whole_names(printed) == whole


def test_nodes_that_poll_are_of_the_class_input() -> None:
    assert {class_of(node) for node in INPUT_NODES} == {"input"}


def test_cut_names_are_of_their_class() -> None:
    assert (class_of("HundredGigabitEthernet17/0/0-o"), class_of("FiftySixGigabitEthernet5/0/1-t")) == ("output", "tx")
    assert (port_of("e1-output"), port_of("e1-tx"), port_of("ip4-lookup")) == ("e1", "e1", None)


def cost(name: str, calls: int, vectors: int) -> NodeCost:
    return NodeCost(name, calls, vectors, 10 * vectors, 0)


@pytest.mark.parametrize(
    ("behind", "calls"),
    [
        ([cost("ethernet-input", 500, 100_000), cost("ip4-input", 400, 90_000)], 500),
        ([cost("ip4-input-no-checksum", 500, 100_000)], 500),
        ([cost("ip4-input", 300, 60_000), cost("ip6-input", 200, 40_000)], 500),
        ([cost("ip4-input", 900, 90_000), cost("mpls-input", 900, 10_000)], 1000),  # at most as many as polls
        ([cost("ethernet-input", 10, 100), cost("ip4-input", 500, 99_900)], 510),
        ([], 0),
    ],
    ids=["ethernet", "old release", "both families", "mixed vectors", "some ethernet", "nothing known"],
)
def test_whatever_takes_packets_in_tells_the_vectors(behind: list[NodeCost], calls: int) -> None:
    nodes = [cost("dpdk-input", 1000, 100_000), *behind]
    assert entry_calls(nodes) == calls
    found = forwarding_cost(nodes)
    assert found is not None and found.idle_polls == (1 - calls / 1000 if calls else 0.0)
