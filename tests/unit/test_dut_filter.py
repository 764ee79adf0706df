"""The filter with which Linux is prepared, for various answers of the device: rules, traffic that bypasses them,
limits.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from wirespeed.dut.kinds.linux_filter import bypass_notes, check_linux_filter, filter_stages, ruleset
from wirespeed.dut.plan import DutPlan
from wirespeed.dut.reach.reach import Ran
from wirespeed.dut.setup import (
    DutInterface,
    DutOptions,
    DutSetup,
    FilterOptions,
    Mode,
    Neighbour,
    check_setup,
    default_setup,
)
from wirespeed.errors import EnvironmentFault, UsageError

NOTHING = Ran(0, "")
OFFLOADING = "hw-tc-offload: on\nesp-hw-offload: off [fixed]\n"
FAST = """\
table inet fw {
	flowtable fast {
		hook ingress priority filter
	}
	chain f {
		ct state new accept
	}
}
"""
PAIR = (DutInterface("e0", neighbours=(Neighbour("", "02:ee:00:00:01:00"),)), DutInterface("e1"))


def setup_of(mode: Mode = "ip4", **options: object) -> DutSetup:
    return default_setup(mode, PAIR, DutOptions(filter=FilterOptions(**options)))  # type: ignore[arg-type]


def planned(setup: DutSetup, told: Mapping[str, Ran]) -> DutPlan:
    """All stages; commands that contain no key of `told` have an empty answer."""
    plans = []
    for stage in filter_stages(setup):
        facts = {
            question: next((ran for part, ran in told.items() if part in question), NOTHING)
            for question in stage.questions
        }
        plans.append(stage.plan(facts))
    steps = tuple(step for plan in plans for step in plan.steps)
    return DutPlan(steps, tuple(note for plan in plans for note in plan.notes))


def test_rules_replace_those_that_were_there_at_once_and_are_known_again() -> None:
    setup = setup_of(rules="nat")
    (step,) = planned(setup, {"list ruleset": Ran(0, FAST), "SSH_CONNECTION": Ran(0, "2222\n0.0.0.0:22\n")}).steps
    assert step.do.stdin.startswith("flush ruleset\ntable inet wirespeed") and step.undo is not None
    assert "tcp dport { 22, 2222 } notrack" in step.do.stdin and step.undo.stdin == f"flush ruleset\n{FAST}"
    printed = ruleset(setup).replace("{ 22 }", "22").replace(" counter", " counter packets 7 bytes 322")
    assert planned(setup, {"list ruleset": Ran(0, printed.replace("raw;", "raw; policy accept;"))}).steps == ()


def test_what_passes_the_states_by_goes_or_is_told() -> None:
    told = {"list ruleset": Ran(0, FAST), "ethtool -k e1": Ran(0, OFFLOADING)}
    plan = planned(setup_of(rules="stateful"), told)
    assert plan.steps[1].do.command == "ethtool -K e1 hw-tc-offload off"
    assert plan.steps[1].undo is not None and plan.steps[1].undo.command == "ethtool -K e1 hw-tc-offload on"
    assert plan.notes == ("flowtable fast is off during the test: its flows pass the states by",)
    facts = {"nft list ruleset": Ran(0, FAST), "ethtool -k e1": Ran(0, OFFLOADING)}
    assert list(bypass_notes(facts, setup_of())) == [
        "flowtable fast is on: flows that it forwards pass the states of nftables by",
        "hw-tc-offload of e1 is on: flows that it forwards pass the states of nftables by",
    ]
    assert list(bypass_notes({"nft list ruleset": NOTHING}, setup_of())) == []


def test_limits_are_set_and_restored_where_the_kernel_lets_it() -> None:
    told = {"cat": Ran(0, "262144\n")}
    plan = planned(setup_of(states=2_000_000, buckets=262_000, timeout_s=300), told)
    assert [step.do.command.split()[1] for step in plan.steps] == ["2000000", "300", "300"]
    assert {step.undo.command.split()[1] for step in plan.steps if step.undo} == {"262144"}
    with pytest.raises(EnvironmentFault, match=r"is 262144 and cannot be set .*nf_conntrack_max=9` in the first"):
        planned(setup_of(states=9), told | {"test -w": Ran(1, "")})
    with pytest.raises(EnvironmentFault, match="has no /proc/sys/net/netfilter/nf_conntrack_max: .* is not loaded"):
        planned(setup_of(states=9), {"cat": Ran(1, "", "No such file")})


@pytest.mark.parametrize(
    ("mode", "rules", "said"),
    [("ip6", "nat", "give mode ip4"), ("ip4", "nat66", "give mode ip6"), ("l2xc", "stateful", "give mode ip4 or ip6")],
)
def test_a_filter_goes_with_what_the_device_forwards(mode: Mode, rules: str, said: str) -> None:

    with pytest.raises(UsageError, match=said):
        check_setup(setup_of(mode, rules=rules))


def test_what_is_missing_is_one_line() -> None:
    with pytest.raises(EnvironmentFault, match="no `nft`, which filter nat needs: install Debian's package nftables"):
        planned(setup_of(rules="nat"), {"nft --version": Ran(127, "", "sh: 1: nft: not found")})
    bare = DutSetup(
        "ip4", (DutInterface("e0"), DutInterface("e1")), options=DutOptions(filter=FilterOptions("forward"))
    )
    with pytest.raises(UsageError, match="filter forward needs an address of the first interface"):
        check_linux_filter(bare)
