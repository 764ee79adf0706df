"""The explanation names the fault that a test built into the lab, with real packets through a wirespeed router.

Loads are low enough for a busy machine, and losses are so high that preemptions for a third of the time do not explain
them.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from explained import LADDER, explained, has_lost, preempted_share, profile_of

from wirespeed.cli.main import main
from wirespeed.explain.ranking import Explanation
from wirespeed.explain.verdicts import verdict_of
from wirespeed.lab.embedded import EmbeddedLab
from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result
from wirespeed.router.client import ask

SAME_CAUSE = pytest.mark.long("`make test` has another fault of the same cause")


def dut(lab: EmbeddedLab) -> str:
    return f"router:{lab.control_socket}"


def disturbed(found: Explanation) -> set[str]:
    """Other causes that may be named without the device's counters: CPUs were preempted in most samples with loss."""
    return {"preemption"} if found.case.load.disturbed_share >= 0.5 else set()


@pytest.mark.parametrize(
    ("cause", "broken", "mended", "tunables"),
    [
        ("no-next-hop", "ip route del 48.0.0.0/8 via 100.64.2.2", "ip route add 48.0.0.0/8 via 100.64.2.2", "size=64"),
        pytest.param(
            "no-next-hop",
            "set ip neighbor del e1 100.64.2.2 02:ee:00:00:00:01",
            "set ip neighbor e1 100.64.2.2 02:ee:00:00:00:01",
            "size=64",
            marks=SAME_CAUSE,
        ),
        ("mtu", "set interface mtu packet 1280 e1", "set interface mtu packet 1500 e1", "size=1400,ip=6"),
        pytest.param(
            "mtu",
            "set interface mtu packet 1280 e1",
            "set interface mtu packet 1500 e1",
            "size=1400",
            marks=SAME_CAUSE,
        ),
        ("dropped", "set interface state e1 down", "set interface state e1 up", "size=64"),
        ("impairment", "set interface impairment e1 loss 0.4 seed 3", "set interface impairment e1 off", "size=64"),
        pytest.param(
            "impairment",
            "set interface impairment e1 duplicate 0.5 seed 3",
            "set interface impairment e1 off",
            "size=64",
            marks=SAME_CAUSE,
        ),
    ],
    ids=["no route", "no neighbour", "mtu", "fragments", "interface down", "impairment", "copies"],
)
def test_what_was_broken_is_named(
    lab: EmbeddedLab, tmp_path: Path, cause: str, broken: str, mended: str, tunables: str
) -> None:
    ask(lab.control_socket, broken)
    try:
        found = explained(lab.rpc, tmp_path / "broken.json", dut=dut(lab), tunables=tunables)
    finally:
        ask(lab.control_socket, mended)
    if preempted_share(found) > 0.4:
        return  # the router's worker was preempted for most of the highest load: there was nothing to see
    assert found.cause == cause, [(one.cause, one.evidence) for one in found.named + found.likely]


def test_packets_whose_ttl_ends_are_off_the_fast_path(lab: EmbeddedLab, tmp_path: Path) -> None:
    profile = profile_of(tmp_path / "ttl.py", ttl=1)
    found = explained(lab.rpc, tmp_path / "ttl.json", dut=dut(lab), profile=profile, tunables="")
    assert found.cause == "slow-path", found.named


def test_one_of_two_directions_without_a_route(lab: EmbeddedLab, tmp_path: Path) -> None:
    ask(lab.control_socket, "ip route del 16.0.0.0/8 via 100.64.1.2")
    try:
        found = explained(lab.rpc, tmp_path / "two.json", dut=dut(lab), more=())
    finally:
        ask(lab.control_socket, "ip route add 16.0.0.0/8 via 100.64.1.2")
    assert found.cause == "no-next-hop", found.named


def test_one_of_two_directions_over_a_wire_that_loses(lab: EmbeddedLab, tmp_path: Path) -> None:
    ask(lab.control_socket, "set interface impairment e1 loss 0.4 seed 5")
    try:
        found = explained(lab.rpc, tmp_path / "one-way.json", more=(), steps=LADDER)
    finally:
        ask(lab.control_socket, "set interface impairment e1 off")
    if not has_lost(found, 0.2):
        return
    assert found.cause in {"bad-wire", "asymmetric", *disturbed(found)}, found.named
    assert "asymmetric" in {one.cause for one in (*found.named, *found.likely)}


def test_duplicates_and_late_packets_are_counted_as_the_router_made_them(lab: EmbeddedLab, tmp_path: Path) -> None:
    """Exact with sequence numbers; without them the router's own counters contradict the balance."""
    ask(lab.control_socket, "set interface impairment e1 loss 0.1 duplicate 0.15 reorder 0.05 seed 3")
    try:
        counted = explained(lab.rpc, tmp_path / "numbers.json", dut=dut(lab), more=("-u", "--signature"))
        shown = re.findall(r"(?m)^ +(.*\S) +(\d+)$", ask(lab.control_socket, "show impairment"))
        made = {label: int(count) for label, count in shown}
        ask(lab.control_socket, "set interface impairment e1 loss 0.1 duplicate 0.15 seed 3")
        hidden = explained(lab.rpc, tmp_path / "counters.json", dut=dut(lab))
    finally:
        ask(lab.control_socket, "set interface impairment e1 off")
    balance = read_as(Result, tmp_path / "numbers.json").outcome.channels["0→1"].balance
    assert balance.order is not None
    assert balance.order.duplicates == made["duplicated"] > 0
    assert made["reordered"] - balance.order.reordered in (0, 1)  # no packet overtook the very last one
    assert balance.order.unplaced == 0
    assert balance.lost >= made["lost"] > 0  # a busy machine may lose some as well
    assert any("packets are numbered" in remark for remark in counted.case.remarks)
    assert any("contradict the balance" in remark for remark in hidden.case.remarks)
    verdict = verdict_of(read_as(Result, tmp_path / "counters.json"))
    assert "contradict the balance" in verdict.counting
    assert verdict.limited_by not in ("line", "nothing")


def test_a_delay_is_no_loss(lab: EmbeddedLab, tmp_path: Path) -> None:
    """Packets in flight at the end of the last sample arrive after it."""
    ask(lab.control_socket, "set interface impairment e1 delay 50ms")
    try:
        found = explained(lab.rpc, tmp_path / "delay.json", dut=dut(lab))
    finally:
        ask(lab.control_socket, "set interface impairment e1 off")
    # A preempted router may return nothing before the end.
    assert found.cause in {"tester", "preemption"}, found.named


def test_a_line_that_is_full(lab: EmbeddedLab, tmp_path: Path) -> None:
    more = ("-u", "--line", "5M")
    found = explained(lab.rpc, tmp_path / "line.json", dut=dut(lab), steps="1kpps,3kpps,100%", more=more)
    share = found.case.load.line_share or 0.0
    if share >= 0.985:
        assert found.cause == "line-rate", found.named
    else:  # a preempted tester offers less than line rate
        assert {finding.cause for finding in found.named} <= {"tester", "preemption", "line-rate"}, found.named


def test_a_wire_that_loses_at_all_loads_is_named_where_nobody_counted(lab: EmbeddedLab, tmp_path: Path) -> None:
    ask(lab.control_socket, "set interface impairment e1 loss 0.4 seed 5")
    try:
        found = explained(lab.rpc, tmp_path / "wire.json", steps=LADDER)
    finally:
        ask(lab.control_socket, "set interface impairment e1 off")
    if not has_lost(found, 0.4):
        return
    assert found.cause in {"bad-wire", *disturbed(found)}, [(one.cause, one.evidence) for one in found.named]


def test_a_healthy_device_may_carry_more(lab: EmbeddedLab, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "healthy.json"
    found = explained(lab.rpc, file, dut=dut(lab))
    named = {finding.cause for finding in found.named}
    assert named <= {"tester", "preemption"}, [(one.cause, one.evidence) for one in found.named]
    assert named
    capsys.readouterr()
    assert main(["explain", str(file), "--format", "md"]) == 0
    assert capsys.readouterr().out.startswith("### healthy")


@pytest.mark.alone
@pytest.mark.long("four labs one after the other; bench/explain_healthy.py runs hundreds")
def test_healthy_tests_are_given_no_disease() -> None:
    """A few of those of which `bench` runs hundreds."""
    bench = Path(__file__).parents[2] / "bench" / "explain_healthy.py"
    done = subprocess.run(
        [sys.executable, str(bench), "4", "7"], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 healthy tests: 0 false" in done.stdout
