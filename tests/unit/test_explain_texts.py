"""Pasted texts: each is recognised by itself, from whatever page or mail it was copied."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from test_explain_pasted import ERRORS, SATURATED, thread

from wirespeed.cli.main import main
from wirespeed.errors import FileFault, UsageError
from wirespeed.explain.ranking import Explanation, explain
from wirespeed.explain.sources.evidence_file import cases_of
from wirespeed.explain.sources.pasted import Pasted, pasted_case
from wirespeed.explain.sources.plain_lines import plain_lines
from wirespeed.explain.sources.show_run import workers_of
from wirespeed.explain.sources.texts import Figures, kinds_in, text_case

HARDWARE = """vpp# show hardware-interfaces
              Name                Idx   Link  Hardware
GigabitEthernet1/0/0               1     up   GigabitEthernet1/0/0
  Link speed: 1 Gbps
  RX Queues:
    queue thread         mode
    0     vpp_wk_0 (1)   polling
  TX Queues:
    TX Hash: [name: hash-eth-l34 priority: 50 description: Hash ethernet L34 headers]
    queue shared thread(s)
    0     no     0
    1     no     1
  Ethernet address 02:00:00:00:00:01
  Intel e1000
    carrier up full duplex max-frame-size 2048
    rx: queues 1 (max 2), desc 512 (min 32 max 4096 align 8)
    tx: queues 2 (max 2), desc 1024 (min 32 max 4096 align 8)
    rx frames ok                                     1000000
    extended stats:
      rx_good_packets                                1000000
      rx_missed_errors                                 90000
local0                             0    down  local0
  Link speed: unknown
  local
"""
INTERFACE = """              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter          Count
GigabitEthernet1/0/0              1      up          9000/0/0/0     rx packets               1000000
                                                                    rx bytes                60000000
                                                                    rx-miss                    90000
local0                            0     down          0/0/0/0
"""
SHOW_CPU = "Model name:               Atom E3950\nBase frequency:           1.59 GHz\n"
ETHTOOL = """$ ethtool -S eth1
NIC statistics:
     rx_packets: 180000000
     rx_missed_errors: 0
     rx_queue_0_packets: 170000000
     rx_queue_1_packets: 10000000
     rx_queue_0_drops: 120000000
"""
MPSTAT = """Linux 6.1.0 (router)   11/26/2026  _x86_64_  (2 CPU)

10:00:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
10:00:02     all    0.10    0.00    0.20    0.00    0.00   49.70    0.00    0.00    0.00   50.00
10:00:02       0    0.10    0.00    0.20    0.00    0.00   99.30    0.00    0.00    0.00    0.40
10:00:02       1    0.10    0.00    0.20    0.00    0.00    0.10    0.00    0.00    0.00   99.60
"""
SOFTIRQS = """$ cat /proc/softirqs
                    CPU0       CPU1
          HI:          0          1
      NET_RX:   99000000       1000
     RCU:          5          6
"""
LOADED = Figures(2.1e9, 14.88e6, None, 64.0, 10e9)


def explained(folder: Path, figures: Figures, **texts: str) -> Explanation:
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    return explain(text_case([folder], figures))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("show runtime", SATURATED),
        ("show errors", f"{ERRORS} 5 ip4-input ip4 ttl <= 1 error\n"),
        ("show hardware-interfaces", HARDWARE),
        ("show interface", INTERFACE),
        ("show interface rx-placement", "Thread 1 (vpp_wk_0):\n node dpdk-input:\n    e0 queue 0 (polling)\n"),
        ("show cpu", SHOW_CPU),
        ("ethtool -S", ETHTOOL),
        ("mpstat", MPSTAT),
        ("/proc/softirqs", SOFTIRQS),
    ],
)
def test_each_text_is_recognised_by_itself(kind: str, text: str) -> None:
    assert kinds_in(text) == (kind,)


def test_a_whole_session_in_one_file_is_read(tmp_path: Path) -> None:
    rows = f"{ERRORS} 3000000 e1-tx no free tx slots error\n"
    session = f"vpp# show run\n{SATURATED}vpp# show err\n{rows}vpp# show hardware\n{HARDWARE}vpp# show cpu\n{SHOW_CPU}"
    found = explained(tmp_path, LOADED, session=session)
    dut = found.case.dut
    assert (dut.queues, dut.tx_queues, dut.tx_slots, dut.system) == (1, 2, 1024, "vpp")
    assert found.case.workers and found.case.drops["e1-tx: no free tx slots"] == 3_000_000
    assert not [remark for remark in found.case.remarks if "not read" in remark], found.case.remarks


def test_a_folder_of_linux_texts_names_the_cpu_and_the_ring(tmp_path: Path) -> None:
    figures = Figures(offered_pps=10e6, received_pps=6e6, size_bytes=64.0, line_bps=10e9)
    found = explained(tmp_path, figures, eth=ETHTOOL, cpus=MPSTAT, irq=SOFTIRQS)
    assert {"softirq", "queues"} <= {finding.cause for finding in found.named}
    assert [cpu.name for cpu in found.case.cpus] == ["cpu0", "cpu1"]
    assert found.case.drops == {"eth1: rx_queue_0_drops": 120_000_000}


def typed(**texts: str) -> str:
    """An evidence file of one test with pasted texts."""
    test = {"name": "64b", "size": 64, "line": "10G", "offered": "10mpps", "received": "6mpps", **texts}
    return yaml.safe_dump({"schema": "wirespeed-evidence/1", "box": {"name": "box", "tx_slots": 256}, "tests": [test]})


def test_an_evidence_file_takes_pasted_texts_by_their_keys() -> None:
    (vpp,) = cases_of(typed(show_hardware_interfaces=HARDWARE, show_interface=INTERFACE, show_cpu=SHOW_CPU), "e.yaml")
    dut = vpp.dut
    assert (dut.queues, dut.tx_queues, dut.hz) == (1, 2, 1.59e9)
    assert dut.tx_slots == 256  # typed figures take precedence
    assert vpp.drops["GigabitEthernet1/0/0: rx_missed_errors"] == 90_000
    assert vpp.drops["GigabitEthernet1/0/0 rx-miss"] == 90_000
    placed = "Thread 1 (vpp_wk_0):\n node dpdk-input:\n    e0 queue 0 (polling)\n    e0 queue 1 (polling)\n"
    (vpp,) = cases_of(typed(show_rx_placement=placed), "e.yaml")
    assert vpp.dut.queues == 2
    (linux,) = cases_of(typed(softirqs=SOFTIRQS, mpstat=MPSTAT), "e.yaml")
    assert linux.dut.system == "linux" and [cpu.name for cpu in linux.cpus] == ["cpu0", "cpu1"]
    assert "softirq" in {finding.cause for finding in explain(linux).named}
    (nic,) = linux.machine.nics
    assert nic.queue_packets == {"0": 99_000_000, "1": 1000}


def test_a_text_under_the_key_of_another_kind_is_refused() -> None:
    with pytest.raises(
        FileFault, match=r"e.yaml:\d+: tests.0: 64b: softirqs holds no `/proc/softirqs`: it is a `show cpu`"
    ):
        cases_of(typed(softirqs=SHOW_CPU), "e.yaml")
    with pytest.raises(
        FileFault, match=r"e.yaml:\d+: tests.0: 64b: show_cpu holds no `show cpu`: paste it as it was printed"
    ):
        cases_of(typed(show_cpu="nothing that is known"), "e.yaml")


def test_queues_of_a_show_hardware_settle_what_was_asked_for(tmp_path: Path) -> None:
    """`tx-lock` needs the number of TX queues from `show hardware-interfaces`: this is its parser."""
    sending = thread(6.2e6, 256, cycles=250).replace("7.50e+01", "2.50e+02")
    hardware = HARDWARE.replace("    1     no     1\n", "").replace("tx: queues 2", "tx: queues 1")
    both = sending + sending.replace("vpp_wk_0", "vpp_wk_1")
    alone = explained(tmp_path, LOADED, run=both)
    assert any("show hardware-interfaces" in what for what in alone.missing)
    found = explained(tmp_path, LOADED, run=both, hardware=hardware)
    assert "tx-lock" in {finding.cause for finding in found.named}
    assert any("1 TX queue per port for 2 workers" in piece.text for one in found.named for piece in one.evidence)


@pytest.mark.parametrize(
    "paste",
    [
        lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
        lambda text: "".join(f">> {line}\n" for line in text.splitlines()),
        lambda text: "\n\n".join(text.splitlines()),
        lambda text: f"<html><body><pre>\n{text.replace('>', '&gt;')}</pre></body></html>",
        lambda text: "".join(f"<p>{line}</p>\n" for line in text.splitlines()),
        lambda text: "<br>".join(text.replace(" ", "&nbsp;").splitlines()),
        lambda text: text.replace("dpdk-input", "\x1b[1mdpdk-input\x1b[0m"),
    ],
    ids=["quoted", "quoted twice", "blank lines", "pre", "paragraphs", "breaks", "colours"],
)
def test_a_table_is_read_from_any_page_or_mail(paste) -> None:  # type: ignore[no-untyped-def]
    plain, _ = workers_of(SATURATED, "it")
    found, remarks = workers_of("\n".join(plain_lines(paste(SATURATED))), "it")
    assert (found, remarks) == (plain, ())


def test_a_table_of_a_page_has_a_cell_a_column() -> None:
    rows = [
        ["dpdk-input", "polling", "400", "102400", "0", "4.0e1", "256.00"],
        ["ip4-lookup", "active", "400", "102400", "0", "5.0e1", "256.00"],
    ]
    cells = "".join("<tr>\n" + "\n".join(f"<td>{cell}</td>" for cell in row) + "\n</tr>\n" for row in rows)
    text = f"Thread 1 vpp_wk_0 (lcore 1)<br>\nTime 1.0, 10 sec internal node\n<table>{cells}</table>"
    (worker,), _ = workers_of("\n".join(plain_lines(text)), "it")
    assert [node.name for node in worker.nodes] == ["dpdk-input", "ip4-lookup"]
    marked = "Thread 1 vpp_wk_0 (lcore 1)\nTime 1.0, 10 sec\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)
    assert workers_of("\n".join(plain_lines(marked)), "it")[0][0].packets == 102_400


def test_what_is_not_read_is_told_by_its_line(tmp_path: Path) -> None:
    found = explained(tmp_path, LOADED, run=f"I measured this yesterday.\n{SATURATED}", notes="nothing of use\n")
    told = "\n".join(found.case.remarks)
    assert "run.txt, line 1 is not read: “I measured this yesterday.”" in told
    assert "notes.txt: nothing in it is known" in told


def test_a_folder_in_which_nothing_is_known_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of use\n")
    with pytest.raises(UsageError, match="is neither a result file nor a known output"):
        text_case([tmp_path / "notes.txt"], LOADED)
    with pytest.raises(UsageError, match=r"is a folder without a known output; give result files, such as .*/\*\.json"):
        text_case([tmp_path], LOADED)


def test_a_show_interface_given_as_show_errors_is_told(tmp_path: Path) -> None:
    run, errors = tmp_path / "run.txt", tmp_path / "int.txt"
    run.write_text(SATURATED)
    errors.write_text(INTERFACE)
    with pytest.raises(UsageError, match=r"int.txt holds no `show errors`: it is a `show interface`; --evidence"):
        pasted_case(Pasted(run, errors))


def test_the_command_takes_texts_by_option_and_by_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "eth.txt").write_text(ETHTOOL)
    (tmp_path / "cpu.txt").write_text(MPSTAT)
    figures = ["--offered", "10mpps", "--received", "6mpps", "--size", "64", "--line", "10G", "--format", "json"]
    said = []
    for words in (["--evidence", str(tmp_path)], [str(tmp_path / "eth.txt"), str(tmp_path / "cpu.txt")]):
        assert main(["explain", *words, *figures]) == 0
        (one,) = json.loads(capsys.readouterr().out)
        said.append(one["cause"])
    assert said == ["softirq", "softirq"]


@pytest.mark.parametrize("text", ["0000aa\n00000001 00000000\n", "eth0: 1000 3 0 0\n", "Inter-|   Receive\n"])
def test_a_text_of_no_known_kind_is_told_which_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tmp_path / "pasted.txt").write_text(text)
    assert main(["explain", str(tmp_path / "pasted.txt")]) == UsageError.exit_code
    assert "pasted.txt is neither a result file nor a known output: give a `show runtime`" in capsys.readouterr().err


def test_no_loss_is_made_up_where_nobody_says_what_came_back(tmp_path: Path) -> None:
    found = explained(tmp_path, Figures(offered_pps=10e6, size_bytes=64.0, line_bps=10e9), eth=ETHTOOL)
    assert "received rate and loss are unknown: give --received" in found.case.remarks
    assert found.case.lost_packets is None and found.case.load.offered_pps is None
    assert not {"tester", "line-rate"} & {finding.cause for finding in (*found.named, *found.ruled_out)}


def test_few_drops_beside_many_of_another_counter_name_nothing(tmp_path: Path) -> None:
    row = "                                                                    drops                         12\n"
    few = INTERFACE.replace("local0", f"{row}local0", 1)
    assert "dropped" not in {finding.cause for finding in explained(tmp_path, Figures(), few=few).named}
    many = few.replace(" 12\n", " 9000000\n")
    assert "dropped" in {finding.cause for finding in explained(tmp_path, Figures(), few=many).named}


def test_a_whole_session_given_as_show_run_tells_all_that_is_in_it(tmp_path: Path) -> None:
    run = tmp_path / "session.txt"
    rows = f"{ERRORS} 30000000 ip4-input ip4 ttl <= 1 error\n"
    run.write_text(f"vpp# show run\n{SATURATED}vpp# show errors\n{rows}vpp# show hardware\n{HARDWARE}\nThat is all.\n")
    case = pasted_case(Pasted(run, offered="9.2mpps", received="6.2mpps", hz=2.1e9))
    assert case.drops["ip4-input: ip4 ttl <= 1"] == 30_000_000 and case.tells_drops
    assert (case.dut.tx_queues, case.dut.tx_slots) == (2, 1024)
    assert any("is not read: “That is all.”" in remark for remark in case.remarks)
