"""Impairments and the graph on the command line, with a stand-in for the data plane."""

from __future__ import annotations

import pytest
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.console import Console
from wirespeed.router.features.impairment.core import Impairment, ImpairmentCounters
from wirespeed.seam.graph import NodeEdge


def run(core: FakeRouterCore, line: str) -> list[str]:
    return list(Console(core).run(line))


def test_words_come_in_any_order_and_with_units(core: FakeRouterCore) -> None:
    run(core, "set interface impairment e1 seed 9 reorder 1e-3 delay 1.5ms loss 0.1% burst 2.5 jitter 20us duplicate 1")
    assert core.impairment.settings == {
        1: Impairment(
            loss=0.001, loss_burst=2.5, duplicate=1.0, reorder=0.001, delay_ns=1_500_000, jitter_ns=20_000, seed=9
        )
    }


def test_what_is_shown_can_be_typed_again(core: FakeRouterCore) -> None:
    line = "set interface impairment e0 loss 1e-06 burst 4 delay 1500us jitter 20us reorder 0.01 duplicate 0.02 seed 3"
    run(core, line)
    core.impairment.counters = ImpairmentCounters(packets=1000, lost=1, held=2)
    shown = run(core, "show impairment")
    assert f"set interface impairment {shown[0]}" == line
    assert shown[1:3] == [f"  packets{1000:>41}", f"  lost{1:>44}"]
    run(core, "set interface impairment e0 off")
    assert run(core, "show impairment") == []


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("loss 1.5", "'1.5' is above 100%"),
        ("loss half", "'half' is not a share such as 0.001, 1e-6 or 0.1%"),
        ("delay 5", "'5' is not a duration such as 20us, 1.5ms or 2s"),
        ("burst x", "'x' is not a number such as 4 or 2.5"),
        ("seed 1 seed 2", "seed is given twice; give it once"),
        ("", "is not complete"),
    ],
)
def test_a_mistake_is_named(core: FakeRouterCore, words: str, why: str) -> None:
    with pytest.raises(UsageError) as error:
        run(core, f"set interface impairment e0 {words}")
    assert why in str(error.value)


def test_the_graph_is_laid_out_as_vpp_does(core: FakeRouterCore) -> None:
    core.edges = [
        NodeEdge("a", "ip4-lookup", 0),
        NodeEdge("ip4-lookup", "ip4-drop", 0),
        NodeEdge("ip4-lookup", "ip4-local", 2),
        NodeEdge("ip4-mpls-label-disposition", "ip4-lookup", 1),
        NodeEdge("sr-localsid-un-perf", "ip4-lookup", 1),
        NodeEdge("udp4-output", "ip4-lookup", 1),
    ]
    shown = run(core, "show vlib graph")
    # The first lines are VPP's.
    assert shown[0] == "           Name                      Next                    Previous         "
    start = next(i for i, line in enumerate(shown) if line.startswith("ip4-lookup"))
    assert shown[start : start + 5] == [
        "ip4-lookup                       ip4-drop [0]                    a            ",
        "                                 ip4-local [2]      ip4-mpls-label-disposition",
        "                                                        sr-localsid-un-perf   ",
        "                                                            udp4-output       ",
        "",
    ]


def test_the_arcs_are_listed_with_their_features(core: FakeRouterCore) -> None:
    assert run(core, "show features") == [
        "Available feature paths",
        "",
        "interface-output:",
        "  <interface>-impairment",
        "",
        "ip4-unicast:",
        "  none there",
    ]
