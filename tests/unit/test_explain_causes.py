"""Each cause by facts made for it, healthy tests by none; and typing errors by one line."""

from __future__ import annotations

import json
import os
import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from simulated_bench import FORWARD, Bench, ramp, run

from wirespeed.cases.facts import Case, CaseDut, CaseLoad, CaseStep, CpuShares, FigureDrift, NicLink, Shaper, Worker
from wirespeed.cases.machine_facts import Clock, Crossing, MachineFacts
from wirespeed.cases.shapers import shapers_of
from wirespeed.cases.state_facts import StateFacts
from wirespeed.cli.main import main
from wirespeed.errors import FileFault, UsageError
from wirespeed.explain.causes import causes
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.evidence_file import cases_of
from wirespeed.explain.sources.show_run import workers_of
from wirespeed.measurement.loadtest.case import cases_of as cases_of_result
from wirespeed.measurement.loadtest.result import LoadTestSettings, Result
from wirespeed.results.balance import Medium
from wirespeed.results.dut import NodeCost
from wirespeed.results.outcome import PortFacts
from wirespeed.results.states import StateTable

SHORT = CaseLoad("short", 5e6, offered_pps=10e6, frame_bytes=64, line_bps=10e9, flows="many")
BUSY = Worker("w0", 10.0, 50_000_000, 200_000, 200_000, 25_000_000_000, 5_000_000_000, tsc_hz=2.5e9)
IDLE = Worker("w1", 10.0, 50_000_000, 40_000_000, 10_000_000, 25_000_000_000, 20_000_000_000, tsc_hz=2.5e9)
NOTHING = Worker("w2", 10.0, 0, 100_000_000, 0, 0, 0)
SENDING = replace(BUSY, nodes=(NodeCost("e1-tx", 100, 100, 12_000_000_000, 0),))
LINUX = CaseDut("box", "linux", cores=4)
OPENBSD = CaseDut("box", "openbsd", cores=4)

TABLE = StateTable(60_000, limit=262_144, buckets=262_144, timeouts_s={"udp": 30.0, "udp_stream": 120.0})
FLOWS = StateFacts(100_000, 60_000, 60_000, TABLE, lasted_s=2.0, endpoints=20)


def of_states(facts: StateFacts, used: int | None = None, rules: dict[str, int] | None = None, **counters: int) -> Case:
    """A test that lost flows of a Linux NAT with these counters."""
    assert facts.table is not None
    table = replace(facts.table, used=facts.table.used if used is None else used, counters=counters, rules=rules or {})
    came_back = facts.opened if facts.answered is None else facts.answered
    load = CaseLoad("states", 1e5 * came_back / facts.flows, offered_pps=1e5, flows="many")
    return Case(load, dut=replace(LINUX, firewall=True), states=replace(facts, table=table))


CASES: dict[str, Case] = {
    "state-table-full": of_states(FLOWS, 262_144, drop=40_000, early_drop=1_000),
    "state-evicted": of_states(replace(FLOWS, opened=100_000), early_drop=40_000),
    "state-timeout": of_states(replace(FLOWS, opened=100_000, lasted_s=40.0)),
    "nat-ports": of_states(replace(FLOWS, endpoints=1), drop=40_000, insert_failed=40_000, found=9_000_000),
    "state-hash": of_states(FLOWS, drop=40_000, insert_failed=40_000, chainlength=40_000),
    "state-rule": of_states(FLOWS, rules={"forward: ct state new limit rate over 1000/second drop": 40_000}),
    "replies-filtered": of_states(replace(FLOWS, opened=100_000, answered=0), 100_000, {"forward: drop": 100_000}),
    "state-cpu": replace(
        of_states(replace(FLOWS, table=replace(TABLE, cpu_packets={"cpu0": 160_000, "cpu1": 300}))),
        cpus=(CpuShares("cpu0", {"softirq": 99.0, "idle": 0.5}), CpuShares("cpu1", {"idle": 97.0})),
    ),
    "line-rate": Case(replace(SHORT, received_pps=14.8e6, offered_pps=14.88e6)),
    "tester": Case(replace(SHORT, received_pps=9.9e6, tester_limited=True)),
    "worker": Case(SHORT, workers=(BUSY, IDLE)),
    "all-cpus": Case(SHORT, workers=(BUSY, replace(BUSY, name="w1"))),
    "queues": Case(SHORT, workers=(BUSY, NOTHING), others=(replace(SHORT, name="one", flows="one"),)),
    "nic": Case(SHORT, workers=(replace(IDLE, in_pps=5e6, out_pps=5e6),)),
    "pcie": Case(SHORT, dut=CaseDut(links=(NicLink(2.5, 1),)), workers=(IDLE,)),
    "tx-ring": Case(
        SHORT, workers=(IDLE,), drops={"e1-tx: Tx packet drops (dpdk tx failure)": 5_000_000}, lost_packets=5e6
    ),
    "tx-lock": Case(SHORT, dut=CaseDut(tx_queues=1), workers=(SENDING, replace(SENDING, name="w1"))),
    "rx-overrun": Case(SHORT, workers=(IDLE,), drops={"e0: rx-miss": 5_000_000}, lost_packets=5e6),
    "no-next-hop": Case(SHORT, workers=(IDLE,), drops={"ip4-lookup: no route": 5_000_000}, lost_packets=5e6),
    "slow-path": Case(SHORT, workers=(IDLE,), drops={"ip4-rewrite: ip4 ttl <= 1": 5_000_000}, lost_packets=5e6),
    "blackhole": Case(SHORT, workers=(IDLE,), drops={"null-node: blackholed packets": 5_000_000}, lost_packets=5e6),
    "link-down": Case(replace(SHORT, unlinked_share=0.9, disturbed_share=0.1)),
    "not-arrived": Case(
        replace(SHORT, received_pps=1.0), workers=(replace(IDLE, packets=58, in_pps=5.8, out_pps=5.7),)
    ),
    "dropped": Case(SHORT, workers=(IDLE,), drops={"ethernet-input: l3 mac mismatch": 5_000_000}, lost_packets=5e6),
    "mtu": Case(SHORT, workers=(IDLE,), drops={"ip4-rewrite: MTU exceeded": 5_000_000}, lost_packets=5e6),
    "impairment": Case(
        SHORT, workers=(IDLE,), drops={"e1-impairment: packet lost on purpose": 5_000_000}, lost_packets=5e6
    ),
    "flow-control": Case(replace(SHORT, paused=True)),
    "kernel-lock": Case(
        replace(SHORT, line_bps=100e9),
        dut=OPENBSD,
        others=(replace(SHORT, name="imix", frame_bytes=380.0, line_bps=100e9),),
    ),
    "softirq": Case(
        SHORT,
        dut=LINUX,
        cpus=(CpuShares("cpu0", {"softirq": 99.0, "idle": 0.5}), CpuShares("cpu1", {"idle": 97.0})),
        events={"softnet time_squeeze": 900},
    ),
    "interrupts": Case(
        SHORT, dut=CaseDut("box", "freebsd", cores=4), drops={"netisr ip QDrops": 5_000_000}, lost_packets=5e6
    ),
    "firewall": Case(
        SHORT, dut=replace(LINUX, firewall=True), others=(replace(SHORT, name="firewall off", received_pps=9e6),)
    ),
    "throttling": Case(SHORT, machine=MachineFacts(clocks=(Clock("cpu0", 0.8e9, 2e9),), throttled=12)),
    "preemption": Case(replace(SHORT, received_pps=9.9e6), workers=(replace(IDLE, preempted_s=0.2),)),
    "bad-wire": Case(
        replace(SHORT, received_pps=9.97e6), steps=tuple(CaseStep(k * 1e6, k * 0.997e6) for k in range(1, 11))
    ),
    "asymmetric": Case(replace(SHORT, directions=2, by_direction=(4.5e6, 0.5e6))),
    "numa": Case(
        SHORT,
        machine=MachineFacts(crossings=(Crossing("e0", 0, 3, 1),)),
        workers=(replace(BUSY, packets=45_000_000),),
    ),
    "tables": Case(
        replace(SHORT, routes=1_000_000, cycles=90.0), others=(replace(SHORT, name="ten", routes=10, cycles=40.0),)
    ),
    "shaper": Case(SHORT, dut=CaseDut(shapers=(Shaper("e1", "tbf", "9600Kbit", 5_000_000),)), lost_packets=5e6),
    "drift": Case(SHORT, drifts=(FigureDrift("memory", 200.0, 400.0, "MiB"),)),
    "placement": Case(
        replace(SHORT, directions=2, received_pps=8.9e6),
        dut=CaseDut(queues=2, workers=3),
        others=(replace(SHORT, name="one", flows="one", received_pps=4.5e6),),
    ),
}


@pytest.mark.parametrize("cause", CASES)
def test_the_cause_is_named(cause: str) -> None:
    found = explain(CASES[cause])
    assert cause in [finding.cause for finding in found.named], [(f.cause, f.bits) for f in found.likely]
    assert found.cause == cause


def test_the_same_bits_for_two_lengths_of_frames_are_a_shapers() -> None:
    """100 Mbit/s without FCS with 64 and 512 bytes; a device with the same packets per second has another limit."""
    short = replace(SHORT, received_pps=100e6 / 60 / 8, offered_pps=1e6)
    long = replace(short, name="long", received_pps=100e6 / 508 / 8, offered_pps=0.9e6, frame_bytes=512)
    assert explain(Case(short, others=(long,))).cause == "shaper"
    assert explain(Case(short, others=(replace(long, received_pps=short.received_pps),))).cause != "shaper"
    assert explain(Case(short, others=(replace(long, offered_pps=long.received_pps),))).cause != "shaper", "no loss"


QDISCS = """\
qdisc noqueue 0: dev lo root refcnt 2
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc tbf 8003: dev e1 root refcnt 3 rate 9600Kbit burst 15Kb lat 10ms
 Sent 5074200 bytes 84570 pkt (dropped {dropped}, overlimits 193073 requeues 0)
 backlog 0b 0p requeues 0
qdisc htb 1: dev e2 root refcnt 9 r2q 10 default 0x10 direct_packets_stat 0 direct_qlen 1000
 Sent 0 bytes 0 pkt (dropped 7, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc netem 8004: dev e3 root refcnt 2 limit 1000 loss 1%
 Sent 0 bytes 0 pkt (dropped 9, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
"""


def test_shapers_are_those_of_the_device_with_what_they_dropped_in_the_test() -> None:
    texts = {"before: tc -s qdisc": QDISCS.format(dropped=465), "tc -s qdisc": QDISCS.format(dropped=62_465)}
    assert shapers_of(texts) == (Shaper("e1", "tbf", "9600Kbit", 62_000), Shaper("e2", "htb", "", 0))
    assert shapers_of({}) == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="queueing disciplines need root")
def test_the_shaper_of_this_kernel_is_read(tmp_path: Path) -> None:
    script = "ip link add s0 type veth peer name s1; tc qdisc add dev s0 root tbf rate 8mbit burst 2k latency 1ms"
    words = ["unshare", "-n", "sh", "-ec", f"{script}; tc -s qdisc"]
    said = subprocess.run(words, capture_output=True, text=True, check=False)
    if said.returncode:
        pytest.skip(f"this kernel makes no token bucket: {said.stderr.strip()}")
    assert shapers_of({"tc -s qdisc": said.stdout}) == (Shaper("s0", "tbf", "8Mbit", 0),)


def test_every_cause_has_a_case_or_is_no_verdict_alone() -> None:
    assert set(causes()) - set(CASES) == {"per-packet"}


def test_every_finding_has_words_for_what_it_claims() -> None:
    for case in CASES.values():
        for finding in explain(case).named:
            assert finding.sentence and finding.next


def test_without_facts_the_verdict_is_unknown_and_says_what_is_missing() -> None:
    found = explain(Case(CaseLoad("bare", 1e6, offered_pps=2e6)))
    assert found.cause == "unknown"
    assert any("show runtime" in what for what in found.missing) and found.next


def test_states_that_are_well_are_given_no_disease() -> None:
    """A table, a search for ports and a rule that are as full, long and busy as is allowed, without losses."""
    well = replace(FLOWS, flows=60_000)
    for case in (
        of_states(well, 262_144, found=9_000_000, search_restart=70_000),
        of_states(well, 60_000, {"forward: iifname e1 drop": 90_000}, invalid=5),
        of_states(replace(well, lasted_s=100.0, curve=((1_000, 2e5), (60_000, 1.9e5)))),
    ):
        assert {finding.cause for finding in explain(case).named} <= {"tester"}
    falling = of_states(replace(well, curve=((1_000, 2e5), (60_000, 0.9e5)), table=replace(TABLE, buckets=4_096)))
    assert "state-hash" in {finding.cause for finding in explain(falling).named}, "a rate that falls"


def test_pf_and_vpp_name_the_limits_of_states_by_their_own_words() -> None:
    lost = replace(FLOWS, endpoints=1)
    for cause, counters in (
        ("state-table-full", {"memory": 40_000}),
        ("state-table-full", {"nat44-ed-in2out-slowpath: maximum sessions exceeded": 40_000}),
        ("nat-ports", {"map-failed": 40_000}),
        ("nat-ports", {"translate": 40_000}),
        ("nat-ports", {"nat44-ed-in2out-slowpath: out of ports": 40_000}),
    ):
        assert explain(of_states(lost, **counters)).cause == cause, counters


def test_what_contradicts_is_no_cause() -> None:
    saturated = Case(SHORT, workers=(BUSY,), drops={"e0: rx-miss": 5_000_000}, lost_packets=5e6)
    assert explain(saturated).cause == "worker"  # the ring is full because the CPU is
    preempted = replace(BUSY, preempted_s=3.3, idle_s=2.5)
    caught_up = explain(replace(saturated, workers=(preempted,)))  # the ring is full after each preemption
    assert caught_up.cause == "preemption"
    assert ("worker", "w0 found no packets for 25.0 % of the time") in {
        (one.cause, one.heaviest_against.text) for one in caught_up.ruled_out
    }


@pytest.mark.parametrize("medium", [Medium.RING, Medium.QUEUE])
def test_healthy_tests_are_given_no_disease(medium: Medium) -> None:
    """A device at half of its capacity, with short preemptions of CPUs: a hundred of them."""
    for seed in range(100):
        rng = random.Random(seed)
        capacity_pps = rng.uniform(2e6, 14e6)
        bench = Bench(
            medium=medium,
            dut=lambda pps, most=capacity_pps: min(pps, most),
            noise=0.01,
            absences_hz=rng.uniform(0, 8),
            absence_s=rng.uniform(0.0002, 0.003),
        )
        samples = tuple(run(bench, ramp(capacity_pps / 2, 30, 5), seed))
        ports = {number: PortFacts(number, speed_bps=10e9, medium=medium) for number in (0, 1)}
        result = Result(f"healthy {seed}", LoadTestSettings(), samples, ports=ports, directions=(FORWARD,))
        (case,) = cases_of_result(result, "healthy.json")
        named = {finding.cause for finding in explain(case).named}
        assert named <= {"tester", "preemption", "line-rate"}, (seed, named)


def test_a_text_that_is_no_show_runtime_is_refused() -> None:
    with pytest.raises(UsageError, match="holds no `show runtime`"):
        workers_of("Thread 0 vpp_main\nTime 1.0\n", "notes.txt")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[", r"mine.yaml:1: this is not YAML"),
        ("schema: wirespeed-evidence/2\ntests: [{name: a, received: 1Mpps}]", r"mine.yaml:1: schema: "),
        ("schema: wirespeed-evidence/1\ntests: []", r"mine.yaml:2: tests: "),
        ("schema: wirespeed-evidence/1\ntests: [{name: a}]", r"mine.yaml:2: tests.0: a: give `received`"),
        (
            "schema: wirespeed-evidence/1\ntests: [{name: a, received: 5%}]",
            r"mine.yaml:2: tests.0.received: .*not a packet rate",
        ),
        (
            "schema: wirespeed-evidence/1\ntests:\n  - {name: a, received: 1Mpps}\n  - {name: b, received: fast}",
            r"mine.yaml:4: tests.1.received: .*fast",
        ),
        (
            "schema: wirespeed-evidence/1\ntests: [{name: a, received: 1Mpps, colour: red}]",
            r"mine.yaml:2: tests.0.colour: there is no such key; did you mean clocks",
        ),
        (
            "schema: wirespeed-evidence/1\nexplain: [b]\ntests: [{name: a, received: 1Mpps}]",
            r"mine.yaml:2: explain: there is no test 'b'; give one of a",
        ),
        ("- 1", "mine.yaml has no evidence in it"),
        (
            "tester: {ports: [a]}\nlinks: []\ndut: {kind: linux}",
            "mine.yaml is a testbed file; give result files",
        ),
        ("campaign: 1\ntests: []", "mine.yaml is a campaign file; give result files"),
        ("interfaces: {}", "mine.yaml is a configuration of a router; give"),
        ("tests: []", "mine.yaml is not an evidence file; .* begins with `schema: wirespeed-evidence/1`"),
    ],
)
def test_evidence_that_is_wrong_is_told_where(text: str, words: str) -> None:
    with pytest.raises(FileFault, match=words):
        cases_of(text, "mine.yaml")


SHOW_RUN = """
Thread 1 vpp_wk_0 (lcore 1)
Time 10.0, 10 sec internal node vector rate 4.30 loops/sec 1638976.68
  vector rates in 1.2908e6, out 1.2908e6, drop 0.0000e0, punt 0.0000e0
             Name              State      Calls    Vectors  Suspends   Clocks  Vectors/Call
dpdk-input                   polling   21000000   12908000         0   5.35e2           .61
ethernet-input                active    3008000   12908000         0   1.42e2          4.29
"""


def test_the_command_explains_a_pasted_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.txt"
    file.write_text(SHOW_RUN)
    options = ["--hz", "1.6e9", "--offered", "1.48mpps", "--size", "64", "--line", "1G"]
    assert main(["explain", "--show-run", str(file), *options, "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert one["cause"] == "nic"
    assert all(piece["source"] for finding in one["named"] for piece in finding["evidence"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give either result files, or"),
        (["--show-run", "/dev/null"], "not a regular file"),
        (["nowhere.json"], "nowhere.json"),
        (["nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_what_the_command_cannot_use_is_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", *arguments]) in (2, 6)
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


def test_states_that_end_while_they_are_used_are_named() -> None:
    """Phase 2 counts no replies per flow. Its loss is that of the load."""
    used = of_states(replace(FLOWS, opened=100_000, answered=None, lasted_s=40.0))
    lossy = replace(used, load=replace(used.load, received_pps=6e4))
    assert [one.cause for one in explain(lossy).named if one.cause.startswith("state")] == ["state-timeout"]
    assert not [one for one in explain(used).named if one.cause == "state-timeout"], "nothing was lost"
    in_time = replace(lossy, states=replace(FLOWS, opened=100_000, answered=None))
    assert not [one for one in explain(in_time).likely if one.cause == "state-timeout"]
