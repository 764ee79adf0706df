"""NAT of Linux in the lab's namespace: built-in faults are named by their counters, and no others are named.

Limits of connection tracking belong to the whole machine, so these tests run alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.waiting import wait_for
from sandbox import needs
from state_rig import StateRig, addresses_of, flows_of, state_rig

from wirespeed.cases.facts import Case, CaseDut, CaseLoad
from wirespeed.cases.state_facts import StateFacts
from wirespeed.cases.telemetry import cpus_told
from wirespeed.cpus import settled
from wirespeed.dut.journal import journal_path
from wirespeed.dut.kinds.linux import LinuxKind
from wirespeed.dut.reach.local import LocalReach
from wirespeed.dut.setup import FilterOptions, Rules
from wirespeed.explain.ranking import explain
from wirespeed.lab.filtered import MACHINE, sweep_limits
from wirespeed.lab.linux import unavailable

pytestmark = [pytest.mark.alone, needs("nft", "conntrack")]

LIMITS = [Path("/proc/sys/net/netfilter", name) for name in ("nf_conntrack_max", "nf_conntrack_buckets")]
STATES = {"state-table-full", "state-evicted", "state-timeout", "state-hash", "state-rule", "state-cpu"}
STATES |= {"nat-ports", "replies-filtered"}
PORTS = "nft add rule inet wirespeed translate oifname e1 ip protocol udp masquerade to :40000-41999"


@pytest.fixture(autouse=True)
def limits(no_linux_lab: None) -> Iterator[list[str]]:
    """The machine's limits, which each test must leave unchanged."""
    if (reason := unavailable()) is not None:
        pytest.skip(f"no Linux lab: {reason}")
    before = [path.read_text() for path in LIMITS]
    yield before
    sweep_limits()
    assert [path.read_text() for path in LIMITS] == before


@pytest.fixture
def rig() -> Iterator[StateRig]:
    with state_rig(FilterOptions("nat")) as made:
        yield made


def named(facts: StateFacts) -> list[str]:
    """Causes of lost states, the most certain one first."""
    came_back = facts.opened if facts.answered is None else facts.answered
    load = CaseLoad("made", float(came_back), offered_pps=float(facts.flows), flows="many")
    found = explain(Case(load, dut=CaseDut("box", "linux", firewall=True), states=facts)).named
    return [finding.cause for finding in found if finding.cause in STATES]


def counters(facts: StateFacts) -> dict[str, int]:
    assert facts.table is not None
    return facts.table.counters


def test_all_flows_of_a_healthy_nat_survive(rig: StateRig) -> None:
    facts = rig.trial(flows_of(64_000))
    assert (facts.opened, facts.answered, facts.entries) == (64_000, 64_000, 64_000)
    assert named(facts) == []
    assert facts.table is not None and facts.table.nat_ports == 64_512
    down = rig.states.tear_down()
    assert (down.states, down.left) == (64_000, 0) and down.took_s > down.idle_s


@pytest.mark.parametrize(
    ("rules", "source", "destination", "seen"),
    [
        ("nat66", "2001:2::1", "2001:2:0:8000::1", ("2001:db8:2::1", "2001:2:0:8000::1")),
        ("stateful", "16.0.0.1", "48.0.0.1", ("16.0.0.1", "48.0.0.1")),
        ("stateful", "2001:2::1", "2001:2:0:8000::1", ("2001:2::1", "2001:2:0:8000::1")),
        ("forward", "16.0.0.1", "100.64.1.1", ("16.0.0.1", "100.64.2.2")),
    ],
)
def test_other_filters_keep_states_too(rules: Rules, source: str, destination: str, seen: tuple[str, str]) -> None:
    """And drop packets without a state, with a counter and without an entry."""
    with state_rig(FilterOptions(rules)) as rig:
        facts = rig.trial(flows_of(5_000), source=source, destination=destination)
        assert (facts.opened, facts.answered, facts.entries) == (5_000, 5_000, 5_000)
        (frame,) = rig.open(flows_of(1, first=50_000), source, destination)
        assert addresses_of(frame) == seen
        rig.states.empty()
        before = rig.states.read()
        assert rig.answer([frame]) == 0
        grown = rig.states.read().since(before)
        rules_that_drop = (rule for rule in grown.rules if rule.endswith(" drop") and not rule.startswith("own:"))
        dropped = [grown.rules[rule] for rule in rules_that_drop if grown.rules[rule]]
        assert (dropped, grown.used) == ([1], 0), grown.rules


def test_without_its_filter_the_lab_forwards_and_keeps_no_states(rig: StateRig) -> None:
    with rig.states.without_filter():
        facts = rig.trial(flows_of(1_000))
        assert (facts.opened, facts.answered, facts.entries) == (1_000, 1_000, 0)
    assert rig.trial(flows_of(1_000)).entries == 1_000


def test_a_full_table_with_many_buckets_drops() -> None:
    with state_rig(FilterOptions("nat", states=1_000)) as rig:
        facts = rig.trial(flows_of(20_000))
        assert counters(facts)["drop"] > 15_000 and (facts.entries or 0) >= 940
        assert named(facts) == ["state-table-full"]
        said = rig.states.why_not(20_000, rig.states.read())
        assert said is not None and "holds 1000 entries; 20000 flows take 20000" in said and "states=2" in said


def test_a_full_table_does_not_shut_the_control_connection_out() -> None:
    with state_rig(FilterOptions("nat", states=100)) as rig:
        rig.open(flows_of(1_000))
        assert rig.knock(22, 200) == 200

        def is_shut() -> bool:
            """Linux sometimes removes entries of a full table, and a refused connection needs one only for a moment."""
            rig.open(flows_of(1_000, first=30_000))
            return rig.knock(23, 200) < 200

        wait_for(is_shut, "a port that is tracked to be shut out")


def test_a_full_table_with_few_buckets_evicts_without_loss_in_phase_1() -> None:
    with state_rig(FilterOptions("nat", states=1_000, buckets=512)) as rig:
        facts = rig.trial(flows_of(20_000))
    assert facts.opened == 20_000 and (facts.answered or 0) <= 1_000
    # After any drop, Linux also removes unanswered states until 95 % are left, and no counter has those.
    lost, uncounted = 20_000 - (facts.answered or 0), 100
    assert lost - uncounted <= counters(facts)["early_drop"] <= lost
    assert named(facts) == ["state-evicted"]


def test_ports_run_out_for_one_endpoint_and_not_for_ten(rig: StateRig) -> None:
    rig.run("nft flush chain inet wirespeed translate", PORTS)
    facts = rig.trial(flows_of(10_000, endpoints=1))
    assert facts.table is not None and facts.table.nat_ports == 2_000
    assert counters(facts)["insert_failed"] == counters(facts)["drop"] == 10_000 - facts.opened
    assert 1_990 <= facts.opened <= 2_000 and counters(facts)["found"] > 10_000
    assert named(facts) == ["nat-ports"]
    # Linux tries only some ports, from a random one on: near the end of the range a flow may find none by chance.
    facts = rig.trial(flows_of(12_000, endpoints=10))
    assert facts.opened == facts.answered == 12_000
    assert named(facts) == []


def test_a_short_timeout_ends_the_states() -> None:
    with state_rig(FilterOptions("nat", timeout_s=1)) as rig:
        facts = rig.trial(flows_of(5_000), rest_s=2.0)
        assert facts.opened == 5_000 and facts.answered == 0
        assert not any(counters(facts).values()), counters(facts)
        assert named(facts) == ["state-timeout"]


def test_few_buckets_make_long_chains() -> None:
    with state_rig(FilterOptions("nat", states=1_000_000, buckets=512)) as rig:
        facts = rig.trial(flows_of(40_000))
    assert counters(facts)["chainlength"] == counters(facts)["insert_failed"] == 40_000 - facts.opened
    assert 13_000 < facts.opened < 22_000
    assert named(facts) == ["state-hash"]


def test_a_rule_that_limits_new_flows(rig: StateRig) -> None:
    limit = "nft insert rule inet wirespeed forward iifname e0 ct state new limit rate over 1000/second"
    rig.run(f"{limit} counter drop")
    facts = rig.trial(flows_of(20_000))
    assert facts.opened < 10_000 and not any(counters(facts).values())
    assert named(facts) == ["state-rule"]
    rig.run("nft flush chain inet wirespeed forward", f"{limit} drop")
    assert named(rig.trial(flows_of(20_000))) == ["state-rule"], "a rule without a counter"


def test_a_filter_without_a_rule_for_replies(rig: StateRig) -> None:
    rig.run("nft flush chain inet wirespeed forward", "nft add rule inet wirespeed forward iifname e1 counter drop")
    facts = rig.trial(flows_of(5_000))
    assert (facts.opened, facts.answered, facts.entries) == (5_000, 0, 5_000)
    assert named(facts) == ["replies-filtered"]


def test_all_receive_work_on_one_cpu(rig: StateRig) -> None:
    """Packets are steered to one CPU, which many rules keep busy; packets without room in its queue are lost. The other
    CPU is the sender's.
    """
    sender, receiver, *_ = sorted(os.sched_getaffinity(0))
    rules = "".join(f"insert rule inet wirespeed forward ip saddr 192.0.2.{number} counter\n" for number in range(256))
    reach, kind, flows = LocalReach(rig.lab.netns), LinuxKind(), flows_of(100_000)
    assert reach.run("nft -f -", stdin=8 * rules).code == 0
    rig.steer(receiver)
    before = rig.states.read()
    with settled({sender}):
        first, began_s = reach.run(kind.sample).out, time.monotonic()
        opened = rig.open(flows)
        last, took_s = reach.run(kind.sample).out, time.monotonic() - began_s
    told = kind.load([first, last], took_s)
    case = Case(
        CaseLoad("made", len(opened) / took_s, offered_pps=len(flows) / took_s, flows="many"),
        dut=CaseDut("box", "linux", firewall=True),
        cpus=tuple(cpu for cpu in cpus_told([told]) if cpu.name == f"cpu{receiver}"),
        events=told.events,
        states=rig.facts(flows, len(opened), None, before, took_s),
    )
    causes = [(one.cause, [(piece.text, piece.bits) for piece in one.evidence]) for one in explain(case).named]
    assert causes and causes[0][0] == "state-cpu", (causes, len(opened), case.cpus, case.events)


@pytest.mark.parametrize("limit", ["states=300000", "buckets=65536"])
def test_a_killed_lab_leaves_limits_that_the_next_one_puts_back(limits: list[str], limit: str) -> None:
    key, value = limit.split("=")
    path = LIMITS[key == "buckets"]
    words = [sys.executable, "-c", f"{LAB}('linux,filter=nat,{limit}')"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stdout.readline()
        assert path.read_text().strip() == value
        child.kill()
    assert path.read_text().strip() == value and journal_path(MACHINE).exists()
    with state_rig(FilterOptions("nat")):
        wait_for(lambda: [one.read_text() for one in LIMITS] == limits, "the limits from before")
    assert not journal_path(MACHINE).exists()


LAB = """
import time
from wirespeed.lab.linux import LinuxLab
from wirespeed.lab.chosen import parse_lab
from wirespeed.machine.placement import choose_cpus
def up(text):
    LinuxLab(choose_cpus(), filter=parse_lab(text).filter).start_dut()
    print('up', flush=True)
    time.sleep(600)
up"""


def test_a_namespace_that_may_not_set_the_limits_is_refused_in_one_line(rig: StateRig) -> None:
    words = [sys.executable, "-m", "wirespeed", "dut", "prepare", f"--dut=linux:netns:{rig.lab.netns}", "-q"]
    words += ["--interface=e0", "--interface=e1", "--filter=nat", "--states=12345"]
    run = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ)
    assert run.returncode == 3 and "belongs to the whole machine" in run.stderr, run.stderr
    assert run.stderr.count("\n") == 1 and "sysctl -w net.netfilter.nf_conntrack_max=12345" in run.stderr
