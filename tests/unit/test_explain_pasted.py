"""Texts that no release in this repository printed: other drivers, layouts and DUTs, and contradictory figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.cases.facts import DROPS_BY_REASON
from wirespeed.dut.errors import parse_errors
from wirespeed.dut.runtime import parse_runtime
from wirespeed.errors import UsageError
from wirespeed.explain.ranking import Explanation, explain
from wirespeed.explain.sources.evidence_file import cases_of
from wirespeed.explain.sources.pasted import Pasted, pasted_case

COLUMNS = "             Name                 State         Calls      Vectors     Suspends     Clocks   Vectors/Call\n"
ERRORS = "   Count                  Node                              Reason               Severity\n"
OLD_ERRORS = "   Count                    Node                  Reason\n"


def thread(
    pps: float,
    vectors: float,
    *,
    name: str = "vpp_wk_0",
    node: str = "dpdk-input",
    polls: int = 0,
    cycles: float = 250,
    out: float | None = None,
) -> str:
    """Ten seconds of a worker with `polls` polls; default: as many as calls."""
    packets = int(pps * 10)
    calls = max(1, int(packets / vectors))
    rows = [
        (node, "polling", polls or calls, 40.0),
        ("ethernet-input", "active", calls, cycles * 0.2),
        ("ip4-lookup", "active", calls, cycles * 0.3),
        ("ip4-rewrite", "active", calls, cycles * 0.2),
        ("TenGigabitEthernet1/0/1-tx", "active", calls, cycles * 0.3),
    ]
    sent = pps if out is None else out
    text = f"Thread 1 {name} (lcore 1)\nTime 10.0, 10 sec internal node vector rate {vectors:.2f} loops/sec 1000.00\n"
    text += f"  vector rates in {pps:.4e}, out {sent:.4e}, drop 0.0000e0, punt 0.0000e0\n" + COLUMNS
    for row, state, count, clocks in rows:
        text += f"{row:<32}{state:>10}{count:>14}{packets:>14}{0:>10}{clocks:>14.2e}{packets / count:>12.2f}\n"
    return text


SATURATED = thread(6.2e6, 256)
IDLE = thread(2.2e6, 2.1, polls=60_000_000)


def explained(tmp_path: Path, text: str, errors: str = "", **more: object) -> Explanation:
    run, drops = tmp_path / "run.txt", tmp_path / "errors.txt"
    run.write_text(text)
    drops.write_text(errors)
    options = {"hz": 2.1e9, "offered": "14.88mpps", "size_bytes": 64.0, "line": "10G", **more}
    return explain(pasted_case(Pasted(run, drops if errors else None, **options)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cause", "text"),
    [
        ("worker", SATURATED),
        ("worker", thread(6.2e6, 250, node="avf-input")),
        ("worker", thread(1.1e6, 256, node="rdma-input", cycles=1500)),
        ("worker", SATURATED.replace("\n", "\r\n").replace("Thread 1", "vpp# show run\r\nThread 1")),
        ("worker", SATURATED.split("\n", 1)[1]),
        ("worker", "\n".join(line for line in SATURATED.splitlines() if "vector rates" not in line)),
        ("worker", SATURATED.replace("vector rates in ", "vector rates in some")),
        ("worker", SATURATED.replace("10 sec internal node vector rate", "average vectors/node")),
        ("all-cpus", SATURATED + thread(6.1e6, 254, name="vpp_wk_1")),
        ("queues", SATURATED + thread(10, 1, name="vpp_wk_1", polls=300_000_000)),
        ("nic", IDLE),
        ("nic", thread(2.2e6, 2.1, node="virtio-input", polls=60_000_000)),
        ("unknown", thread(5.2e6, 150)),
    ],
    ids=[
        *("plain", "avf", "rdma", "windows", "no workers", "no rates", "no number", "older", "both", "one of two"),
        *("idle", "virtio", "half full"),
    ],
)
def test_blocks_of_other_duts(tmp_path: Path, cause: str, text: str) -> None:
    found = explained(tmp_path, text)
    assert found.cause == cause, [(one.cause, one.bits) for one in (*found.named, *found.likely)]
    assert found.next


def test_a_block_alone_tells_whether_its_worker_has_time(tmp_path: Path) -> None:
    alone = {"offered": "", "line": "", "size_bytes": None}
    assert explained(tmp_path, SATURATED, **alone).cause == "worker"
    idle = explained(tmp_path, IDLE, **alone)
    assert idle.cause == "unknown"
    assert "worker" in {finding.cause for finding in idle.ruled_out}


@pytest.mark.parametrize(
    ("cause", "row"),
    [
        ("tx-ring", "59000000 e1-tx no free tx slots"),
        ("dropped", "59000000 ethernet-input l3 mac mismatch"),
        ("firewall", "59000000 acl-plugin-in-ip4-fa ACL deny packets"),
        ("slow-path", "59000000 ip4-input ip4 ttl <= 1"),
        ("no-next-hop", "59000000 ip4-glean ARP requests throttled"),
        ("mtu", "59000000 ip4-rewrite ip4 MTU exceeded and DF set"),
    ],
)
def test_drops_by_reason_are_the_verdict_whatever_the_release(tmp_path: Path, cause: str, row: str) -> None:
    block = thread(6.2e6, 12, polls=90_000_000, out=0.3e6)
    told = {"offered": "6.2mpps", "received": "0.3mpps"}
    assert explained(tmp_path, block, f"{ERRORS} {row}   error\n", **told).cause == cause
    if cause != "dropped":  # without a severity, an unknown reason may be informational
        assert (
            explained(tmp_path, block, f"{OLD_ERRORS} {row}\n 99 arp-input ARP replies sent\n", **told).cause == cause
        )


def test_a_full_tx_ring_shows_in_the_nodes_where_nobody_printed_the_drops(tmp_path: Path) -> None:
    block = thread(2.0e6, 12, polls=90_000_000, out=1.9e6)
    sent = block.splitlines()[-1]
    block = block.replace(sent, sent.replace("-tx", "-output").ljust(32) + "\n" + sent.replace("20000000", "19000000"))
    found = explained(tmp_path, block, offered="2mpps", received="1.9mpps")
    assert found.cause == "tx-ring", [(one.cause, one.bits) for one in (*found.named, *found.likely)]


def test_few_drops_explain_no_great_loss(tmp_path: Path) -> None:
    rows = ERRORS + "  59  e1-tx  Tx packet drops (dpdk tx failure)  error\n  3 ip4-lookup no route error\n"
    found = explained(tmp_path, SATURATED, rows)
    assert found.cause == "worker"
    assert not {"tx-ring", "no-next-hop"} & {one.cause for one in (*found.named, *found.likely)}


@pytest.mark.parametrize(
    ("words", "text", "more"),
    [
        ("more than once", SATURATED + thread(1e6, 4), {}),
        ("its nodes took", SATURATED, {"hz": 1.0e9}),
        ("both cannot be right", SATURATED, {"offered": "5mpps", "received": "9mpps"}),
    ],
)
def test_what_contradicts_itself_is_told(tmp_path: Path, words: str, text: str, more: dict[str, object]) -> None:
    found = explained(tmp_path, text, **more)
    assert any(words in remark for remark in found.case.remarks), found.case.remarks


def test_more_than_was_offered_is_no_success(tmp_path: Path) -> None:
    assert explained(tmp_path, IDLE, offered="5mpps", received="9mpps").cause == "unknown"


@pytest.mark.parametrize(
    "text",
    [
        *("", "The router forwarded 14 Mpps.\nThread 1 of the story\n", "Thread 1 vpp_wk_0 (lcore 1)\n"),
        SATURATED.replace("e+0", "e++").replace("256.00", "1.2.3"),
        SATURATED.replace(" 4.00e+01", " 4.00e+999").replace("polling", "asleep"),
    ],
    ids=["empty", "prose", "head alone", "no numbers", "too large"],
)
def test_a_text_that_is_no_show_run_is_one_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="holds no `show runtime`"):
        explained(tmp_path, text)


def test_costs_below_one_tick_are_rows_too() -> None:
    (found,) = parse_runtime(SATURATED.replace("7.50e+01", "7.50e-01"))
    assert found.node("TenGigabitEthernet1/0/1-tx") is not None


def test_old_releases_name_no_severity() -> None:
    (row,) = parse_errors(f"{OLD_ERRORS}  12  e1-tx  no free tx slots\n")
    assert (row.count, row.reason, row.severity) == (12, "no free tx slots", "untold")


EVIDENCE = """
schema: wirespeed-evidence/1
dut: {name: box, system: %s, cores: 4}
tests: [{name: a, size: 64, line: 10G, flows: many, offered: 10Mpps, received: 4Mpps, %s}]
"""


@pytest.mark.parametrize(
    ("cause", "system", "told"),
    [
        ("rx-overrun", "linux", "drops: {'eth0: rx_missed_errors': 6000000}, cpu: {cpu0: {softirq: 30, idle: 70}}"),
        ("unknown", "linux", "drops: {'eth0: rx_missed_errors': 6000000}"),
        ("softirq", "linux", "drops: {'eth0: rx_no_dma_resources': 6000000}, cpu: {cpu0: {softirq: 99, idle: 1}, "
         "cpu1: {idle: 98}}, events: {'softnet time_squeeze': 4000}"),
        ("nic", "linux", "drops: {'eth0: rx_discards_phy': 6000000}, cpu: {cpu0: {softirq: 7, idle: 93}}"),
        ("bad-wire", "linux", "drops: {'eth0: rx_crc_errors_phy': 6000000}, cpu: {cpu0: {softirq: 7, idle: 93}}"),
        ("softirq", "linux", "drops: {'e0 rx drop': 6000000}, events: {'softnet dropped': 6000000}, "
         "cpu: {cpu0: {softirq: 96, idle: 2}, cpu1: {idle: 99}}"),
        ("interrupts", "freebsd", "drops: {'netisr ip QDrops': 6000000}"),
        ("interrupts", "freebsd", "cpu: {cpu0: {interrupt: 99, idle: 1}, cpu1: {interrupt: 0, idle: 100}}"),
        ("kernel-lock", "openbsd", "cpu: {cpu0: {system: 100, idle: 0}, cpu1: {idle: 99}, cpu2: {idle: 99}}"),
        ("all-cpus", "linux", "cpu: {cpu0: {softirq: 97, idle: 3}, cpu1: {softirq: 99, idle: 1}}"),
        ("unknown", "linux", "cpu: {cpu0: {user: 97, idle: 3}, cpu1: {user: 99, idle: 1}}"),
        ("unknown", "linux", "drops: {'eth0: rx_missed_errors': 12}, cpu: {cpu0: {softirq: 30, idle: 70}}"),
        ("firewall", "freebsd", "drops: {'pf congestion': 6000000}"),
        ("flow-control", "linux", "events: {'eth0: rx_pause_ctrl_phy pause frames': 900000}"),
        ("unknown", "linux", "cpu: {cpu0: {idle: 90, softirq: 10}}"),
    ],
)  # fmt: skip
def test_counters_of_other_drivers_and_systems(cause: str, system: str, told: str) -> None:
    (case,) = cases_of(EVIDENCE % (system, told), "mine.yaml")
    found = explain(case)
    assert found.cause == cause, [(one.cause, one.bits) for one in (*found.named, *found.likely)]
    assert found.next


# ---- tables as people paste them

HALF_DROPPED = """
# half of what came in died in ip4-drop
Thread 1 vpp_wk_0 (lcore 2)
Time 30.0, 10 sec internal node vector rate 8.00 loops/sec 900000.00
  vector rates in 1.0000e6, out 5.0000e5, drop 5.0000e5, punt 0.0000e0
             Name                 State         Calls          Vectors   Suspends    Clocks    Vectors/Call
dpdk-input                       polling          27000000        30000000         0      1.11e2      1.11
drop                             active           3000000        15000000         0      1.49e1      5.00
error-drop                       active           3000000        15000000         0      1.49e1      5.00
ethernet-input                   active           3000000        30000000         0      3.62e1      10.00
eth1-output                      active           3000000        15000000         0      1.16e1      5.00
eth1-tx                          active           3000000        15000000         0      6.01e1      5.00
ip4-drop                         active           3000000        15000000         0      8.15e0      5.00
ip4-lookup                       active           3000000        30000000         0      4.68e1      10.00
"""


def test_what_the_router_dropped_itself_is_no_loss_of_the_nic(tmp_path: Path) -> None:
    found = explained(tmp_path, HALF_DROPPED, hz=2.2e9, offered="1mpps")
    assert found.verdict is not None and found.cause == "dropped"
    assert "the DUT itself dropped 500 kpps (ip4-drop)" in found.verdict.sentence
    assert "nic" in {finding.cause for finding in found.ruled_out}
    assert "`show errors`" in found.next


FEW_PACKETS = """
Time 2120.0, 10 sec internal node vector rate 0.00 loops/sec 9950836.51
  vector rates in 2.7358e-2, out 1.8868e-2, drop 9.4339e-3, punt 0.0000e0
             Name                 State         Calls          Vectors   Suspends    Clocks    Vectors/Call
GigabitEthernet0/8/0-output      active                 21              21         0      1.85e3      1.
GigabitEthernet0/8/0-tx          active                 20              20         0      1.05e4      1.
dpdk-input                       polling        2294185545              58         0      4.17e9      0.
ethernet-input                   active                 46              58         0      3.28e5      1.
ip4-lookup                       active                 36              36         0      3.18e3      1.
"""


def test_a_router_that_saw_next_to_nothing_proves_nothing(tmp_path: Path) -> None:
    found = explained(tmp_path, FEW_PACKETS, hz=2.2e9, offered="1mpps", line="1G")
    assert found.verdict is not None and found.cause == "not-arrived"
    assert "58 packets in 2,120 s" in found.verdict.sentence
    assert "tx-ring" not in {finding.cause for finding in (*found.named, *found.likely)}
    assert not [figure for figure in found.figures if figure.name.startswith("core")]


WITHOUT_ETHERNET = """
Time 42.1, average vectors/node 188.20, last 128 main loops 12.00 per node 256.00
  vector rates in 3.1204e6, out 3.1204e6, drop 0.0000e0, punt 0.0000e0
             Name                 State         Calls          Vectors   Suspends    Clocks    Vectors/Call
TenGigabitEthernet9/0/0-output   active             513200       131379200         0      7.49e1      256.00
TenGigabitEthernet9/0/0-tx       active             513200       131368840         0      2.13e2      256.00
acl-plugin-fa-worker-cleaner-pinterrupt wa              18               0         0      1.02e4      0.00
dpdk-input                       polling            513211       131379200         0      1.81e2      255.99
ip4-input-no-checksum            active             513200       131379200         0      4.41e1      256.00
ip4-lookup                       active             513200       131379200         0      6.68e1      256.00
ip4-rewrite-transit              active             513200       131379200         0      5.97e1      256.00
"""


def test_a_release_without_ethernet_input_has_a_worker_without_time(tmp_path: Path) -> None:
    found = explained(tmp_path, WITHOUT_ETHERNET, hz=2.2e9, offered="8mpps")
    assert found.cause == "worker"
    (worker,) = found.case.workers
    assert worker.idle_polls == pytest.approx(0.0, abs=1e-4)
    assert "acl-plugin-fa-worker-cleaner-p" in {node.name for node in worker.nodes}
    figures = {figure.name: figure.value for figure in found.figures}
    assert figures["core_pps"] == pytest.approx(2.2e9 / 639.5, rel=1e-3)


CUT_NAMES = """
Thread 1 vpp_wk_0 (lcore 2)
Time 9.0, 10 sec internal node vector rate 512.00 loops/sec 11218.09
  vector rates in 5.7436e6, out 5.1206e6, drop 6.2300e5, punt 0.0000e0
             Name                 State         Calls          Vectors   Suspends    Clocks    Vectors/Call
{first:<33}active            100963        46085400         0      1.16e1      456.46
{second:<33}active            100963        46085400         0      6.01e1      456.46
dpdk-input                       polling           100963        51692400         0      1.11e2      512.00
error-drop                       active            100963         5607000         0      1.49e1      55.53
ethernet-input                   active            100963        51692400         0      3.62e1      512.00
ip4-drop                         active            100963         5607000         0      8.15e0      55.53
ip4-lookup                       active            100963        51692400         0      4.68e1      512.00
ip4-rewrite                      active            100963        46085400         0      3.23e1      456.46
"""


@pytest.mark.parametrize(
    "names",
    [
        ("HundredGigabitEthernet17/0/0-o", "HundredGigabitEthernet17/0/0-t"),
        ("TwentyFiveGigabitEthernet3/0/1", "TwentyFiveGigabitEthernet3/0/1"),
        ("HundredGigabitEthernet117/0/0-", "HundredGigabitEthernet117/0/0-"),
        ("FortyGigabitEthernet5/0/0-outp", "FortyGigabitEthernet5/0/0-tx"),
    ],
    ids=["one letter", "no letter", "a dash", "some letters"],
)
def test_names_that_vpp_cut_are_of_their_nodes(tmp_path: Path, names: tuple[str, str]) -> None:
    found = explained(tmp_path, CUT_NAMES.format(first=names[0], second=names[1]), hz=2.2e9, line="100G")
    (worker,) = found.case.workers
    port = names[0].rstrip("outp").rstrip("-")
    assert {f"{port}-output", f"{port}-tx"} <= {node.name for node in worker.nodes}
    figures = {figure.name: figure.text for figure in found.figures}
    assert "output 10.3, tx 53.6" in figures["work_cycles_per_packet"]
    assert "512 packets per call, full vectors of 256 from 2 queues" in figures["vectors_per_call"]


def test_a_full_tx_ring_of_a_port_with_a_cut_name_shows(tmp_path: Path) -> None:
    name = "TwentyFiveGigabitEthernet3/0/1"
    block = thread(2.0e6, 12, polls=90_000_000, out=1.8e6).replace("TenGigabitEthernet1/0/1-tx", f"{name:<28}")
    sent = block.splitlines()[-1]
    block = block.replace(sent, sent + "\n" + sent.replace("20000000", "18000000"))
    found = explained(tmp_path, block, offered="2mpps", received="1.8mpps")
    assert found.cause == "tx-ring" and found.verdict is not None
    assert f"{name}: 20,000,000 packets to send, 18,000,000 sent" in found.verdict.sentence


def test_rows_that_a_mailer_wrapped_are_put_together(tmp_path: Path) -> None:
    plain = explained(tmp_path, SATURATED)
    wrapped = []
    for line in SATURATED.splitlines():
        cut = 80 if len(line) > 90 and "Name" not in line else len(line)
        wrapped += [line[:cut], "", line[cut:]]
    assert explained(tmp_path, "\n".join(wrapped)).case.workers == plain.case.workers


def test_a_row_that_cannot_be_read_is_named_by_its_line(tmp_path: Path) -> None:
    broken = SATURATED.replace("ip4-lookup   ", "ip4-lookup ##", 1)
    found = explained(tmp_path, broken)
    number = next(at for at, line in enumerate(broken.splitlines(), start=1) if "##" in line)
    assert any(f"line {number} is not read: “ip4-lookup ##" in remark for remark in found.case.remarks)


# ---- verdicts and figures that contradict each other

I226 = """
Thread 1 vpp_wk_0 (lcore 1)
Time 10.9, 10 sec internal node vector rate 46.11 loops/sec 70000.00
  vector rates in 3.2810e6, out 3.2810e6, drop 0.0000e0, punt 0.0000e0
             Name                 State         Calls          Vectors   Suspends    Clocks    Vectors/Call
dpdk-input                       polling           778000        35762900         0      1.28e2      45.97
ethernet-input                   active            775500        35762900         0      2.94e2      46.11
ip4-lookup                       active            775500        35762900         0      3.00e2      46.11
"""


def test_a_worker_at_its_clock_has_no_time_to_spare(tmp_path: Path) -> None:
    found = explained(tmp_path, I226, hz=2.4e9, offered="3.72mpps", line="2.5G")
    assert found.cause == "nic" and found.verdict is not None
    assert "have time to spare" not in found.verdict.sentence


def test_a_clock_that_a_rate_contradicts_is_told_and_makes_no_figure(tmp_path: Path) -> None:
    found = explained(tmp_path, I226, hz=2.0e9, offered="3.72mpps", line="2.5G")
    assert any("more than its 2 GHz: the clock or the rate is another" in said for said in found.case.remarks)
    assert "core_pps" not in {figure.name for figure in found.figures}
    (used,) = [figure.text for figure in found.figures if figure.name == "effective_hz"]
    assert used.endswith("= 2.37 GHz, by vpp_wk_0")  # it is not a share of 2 GHz


def test_a_drop_rate_without_drop_nodes_is_the_routers_too(tmp_path: Path) -> None:
    rows = [line for line in HALF_DROPPED.splitlines() if "drop  " not in line]
    found = explained(tmp_path, "\n".join(rows), hz=2.2e9, offered="1mpps")
    assert found.verdict is not None and found.cause == "dropped"
    assert "the DUT itself dropped 500 kpps" in found.verdict.sentence
    assert [what for what in found.missing if "drops by reason" in what] == [DROPS_BY_REASON]
