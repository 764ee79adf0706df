# ruff: noqa: E501 - consoles are wider
"""Preparing and restoring when the device disappears, restarts, or belongs to another user; and NICs
by their ethtool.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from harness.waiting import wait_for

from wirespeed.dut import prepare as preparing
from wirespeed.dut.collector import DutCollector
from wirespeed.dut.device import DutDevice
from wirespeed.dut.dut import DutReading
from wirespeed.dut.journal import DutJournal
from wirespeed.dut.kinds.linux import LinuxKind
from wirespeed.dut.kinds.linux_machine import AFFINITIES, INTERRUPTS, interrupt_steps, nic_steps
from wirespeed.dut.kinds.undone import lacks
from wirespeed.dut.plan import Action, DutAnswers, DutPlan, DutStage, DutStep
from wirespeed.dut.reach.local import LocalReach
from wirespeed.dut.reach.questions import asking, questions_of
from wirespeed.dut.reach.reach import Ran
from wirespeed.dut.reach.ssh import unpack
from wirespeed.dut.remote import RemoteDut
from wirespeed.dut.setup import DutInterface, DutOptions, default_setup
from wirespeed.errors import ConnectionFault, EnvironmentFault, FileFault, UsageError
from wirespeed.measurement.texts import show
from wirespeed.results.collection import FORMAT

PAIR = (DutInterface("eth0"), DutInterface("eth1"))
SETUP = default_setup("l2xc", PAIR)


@dataclass
class MemoryReach:
    """A device that stores its settings; `gone_at` is the number of the command at which it disappears."""

    name: str = "memory"
    boot: str = "one"
    gone_at: str = ""
    told: list[str] = field(default_factory=list)

    def run(self, command: str, *, stdin: str = "", timeout_s: float = 1.0) -> Ran:
        if self.gone_at and self.gone_at in command:
            raise ConnectionFault("memory went away")
        if "boot_id" in command:
            return Ran(0, f"{self.boot}\n\n=~=~= 0\n")
        self.told.append(command)
        return Ran(0, "")

    def close(self) -> None:
        pass


class TwoSteps(LinuxKind):
    def stages(self, setup):
        steps = [
            DutStep("file", "old", "new", Action("do 1"), Action("undo 1", "old"), persists=True),
            DutStep("address", "", "there", Action("do 2"), Action("undo 2")),
        ]
        return (DutStage((), lambda facts: DutPlan(tuple(steps))),)


def prepared(reach: MemoryReach, path: Path) -> None:
    with DutJournal(path, "memory") as journal:
        preparing.prepare(TwoSteps(), reach, SETUP, journal, lambda _: None)


def restored(reach: MemoryReach, path: Path) -> preparing.Restored:
    with DutJournal(path, "memory") as journal:
        return preparing.restore(TwoSteps(), reach, journal, lambda _: None)


def test_a_device_that_goes_away_in_the_middle_is_put_back_later(tmp_path):
    reach, path = MemoryReach(gone_at="do 2"), tmp_path / "journal"
    with pytest.raises(ConnectionFault, match=r"went away; 2 step\(s\) are left on it: wirespeed dut restore"):
        prepared(reach, path)
    reach.gone_at = ""
    assert restored(reach, path) == preparing.Restored(undone=2, gone=0)
    assert reach.told == ["do 1", "undo 2", "undo 1"] and not path.exists()


def test_a_restart_undid_what_does_not_persist(tmp_path):
    reach, path = MemoryReach(), tmp_path / "journal"
    prepared(reach, path)
    reach.boot = "two"
    assert restored(reach, path) == preparing.Restored(undone=1, gone=1)
    assert reach.told == ["do 1", "do 2", "undo 1"]


def test_what_cannot_be_put_back_stays_in_the_journal(tmp_path, monkeypatch):
    reach, path = MemoryReach(), tmp_path / "journal"
    prepared(reach, path)
    real = reach.run
    monkeypatch.setattr(
        reach, "run", lambda command, **more: Ran(1, "", "no\n") if command == "undo 1" else real(command, **more)
    )
    with pytest.raises(EnvironmentFault, match=r"1 of 2 step\(s\) were restored; file could not be restored: no"):
        restored(reach, path)
    monkeypatch.undo()
    assert restored(reach, path) == preparing.Restored(undone=1, gone=0)


def test_a_change_that_the_device_lost_is_restored(tmp_path, monkeypatch):
    """The kernel drops routes of a link that goes down, and everything of an interface that vanishes."""
    reach, path, said = MemoryReach(), tmp_path / "journal", []
    step = DutStep("route", "", "there", Action("do"), Action("undo"), undone_if="is it gone")
    monkeypatch.setattr(TwoSteps, "stages", lambda self, setup: (DutStage((), lambda facts: DutPlan((step,))),))
    for _ in range(2):  # a second preparation of the same device
        prepared(reach, path)
    real, gone = reach.run, False
    monkeypatch.setattr(
        reach,
        "run",
        lambda command, **more: (
            Ran(1, "", "No such process\n")
            if command == "undo" or (command == "is it gone" and not gone)
            else real(command, **more)
        ),
    )
    with pytest.raises(
        EnvironmentFault, match=rf"0 of 2 step.*No such process; correct that and .* delete {path} if the"
    ):
        restored(reach, path)
    gone = True
    with DutJournal(path, "memory") as journal:
        assert preparing.restore(TwoSteps(), reach, journal, said.append) == preparing.Restored(undone=2, gone=0)
    assert said == ["route: gone already"] * 2 and not path.exists()


def test_a_journal_of_an_earlier_version_is_restored(tmp_path):
    reach, path = MemoryReach(), tmp_path / "journal"
    prepared(reach, path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert all(line.pop("undone_if") == "" for line in lines if "begin" in line)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert restored(reach, path) == preparing.Restored(undone=2, gone=0)


@pytest.mark.parametrize(
    ("answer", "code", "is_undone"),
    [("", 0, True), ("100.64.1.20 there", 0, True), ("100.64.1.2 there", 0, False), ("", 1, False)],
)
def test_an_undo_that_fails_is_done_where_its_thing_is_not_there(answer: str, code: int, is_undone: bool) -> None:
    check = lacks(f"echo {answer}; (exit {code})", "100.64.1.2")
    assert (subprocess.run(["sh", "-c", check], check=False).returncode == 0) is is_undone


def test_a_journal_is_held_by_one_and_cut_short_by_a_power_loss(tmp_path):
    path = tmp_path / "journal"
    prepared(MemoryReach(), path)
    with DutJournal(path, "memory"), pytest.raises(FileFault, match="is being prepared or restored by another program"):
        DutJournal(path, "memory")
    with path.open("a") as file:
        file.write('{"begin": 2, "wh')
    with DutJournal(path, "memory") as journal:
        assert [entry.what for entry in journal.entries.values()] == ["file", "address"]
    path.write_text("{}\n")
    with pytest.raises(FileFault, match="is not a journal of a DUT"):
        DutJournal(path, "memory")


def test_a_dut_that_stops_answering_is_told_of_and_ends_nothing():
    reach = MemoryReach()
    dut = RemoteDut(DutDevice("linux:memory", LinuxKind(), reach))
    dut._collector._directory = "/tmp/x"
    reach.gone_at = "tail"
    dut.fetch()
    assert dut.telemetry(DutReading(1.0), DutReading(2.0)).error == "memory went away"
    reach.gone_at = " "
    assert "went away" in dut.collect()["error"]
    dut.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, or sudo without a password")
def test_a_collector_takes_away_what_dead_ones_of_its_own_container_left() -> None:
    """A number that is free here may be a living process of another container, which shares /tmp."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    space = Path("/proc/self/ns/pid").readlink()
    places = {of: Path(tempfile.mkdtemp(prefix="wirespeed-collect.", dir="/tmp")) for of in (f"{space}", "pid:[1]")}
    try:
        for of, place in places.items():
            (place / "space").write_text(f"{of}\n")
            (place / "pid").write_text(f"{ended.pid}\n")
        collector = DutCollector(LocalReach(), "echo x", interval_s=0.01)
        collector.start()
        collector.stop(10.0)
        assert [of for of, place in places.items() if place.exists()] == ["pid:[1]"]
    finally:
        for place in places.values():
            shutil.rmtree(place, ignore_errors=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, or sudo without a password")
def test_a_load_ends_with_a_sample_of_its_end_however_slow_the_device_is():
    """The device's second sample is incomplete when the load ends: it takes 20 s."""
    slow = "echo sampled; [ ${n:-0} = 0 ] || sleep 20"
    collector = DutCollector(LocalReach(), slow, interval_s=0.01)
    collector.start()
    try:
        kept = Path(collector._directory) / "samples"
        wait_for(lambda: kept.exists() and kept.read_text().count("=~=~= ") == 2, "a second sample that hangs")
        began = time.monotonic() - 60
        for fetched in (1, 2):
            collector.fetch(10)
            between = collector.between(began, time.monotonic())
            assert [one.text for one in between] == ["sampled\n"] * (1 + fetched)
    finally:
        collector.stop(10)
    assert not kept.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, or sudo without a password")
def test_questions_are_asked_at_once_and_answered_each():
    questions = ("echo one; false", "printf two", "cat /nothing", "exit 3", "echo '=~=~='")
    assert DutAnswers(LocalReach()).ask(questions) == {
        questions[0]: Ran(1, "one\n"),
        questions[1]: Ran(0, "two"),
        questions[2]: Ran(1, ""),
        questions[3]: Ran(3, ""),
        questions[4]: Ran(0, "=~=~=\n"),
    }
    assert questions_of(asking(questions)) == list(questions)


ETHTOOL = {
    "-l": "Pre-set maximums:\nRX:\t\tn/a\nTX:\t\tn/a\nCombined:\t8\nCurrent hardware settings:\nRX:\t\tn/a\nCombined:\t2\n",
    "-g": "Pre-set maximums:\nRX:\t\t4096\nTX:\t\t4096\nCurrent hardware settings:\nRX:\t\t256\nTX:\t\t256\nTX Push:\toff\n",
    "-k": "Features for eth0:\ngeneric-receive-offload: on\nlarge-receive-offload: off [fixed]\n",
    "-a": "Pause parameters for eth0:\nAutonegotiate:\ton\nRX:\t\ton\nTX:\t\toff\n",
}
HASH = "UDP over IPV4 flows use these fields for computing Hash flow key:\nIP SA\nIP DA\n\n"


def test_an_igb_gets_queues_rings_and_a_hash_and_loses_gro_and_pause():
    facts = {f"ethtool {flag} eth0": Ran(0, text) for flag, text in ETHTOOL.items()}
    facts["ethtool -n eth0 rx-flow-hash udp4"] = Ran(0, HASH)
    setup = default_setup("l2xc", PAIR, DutOptions(queues=4, rx_descriptors=1024, tx_descriptors=256))
    steps = list(nic_steps(facts, setup, "eth0"))
    assert [(step.do.command, step.undo.command) for step in steps if step.undo] == [
        ("ethtool -K eth0 gro off", "ethtool -K eth0 gro on"),
        ("ethtool -A eth0 autoneg off rx off tx off", "ethtool -A eth0 autoneg on rx on tx off"),
        ("ethtool -L eth0 combined 4", "ethtool -L eth0 combined 2"),
        ("ethtool -G eth0 rx 1024", "ethtool -G eth0 rx 256"),
        ("ethtool -N eth0 rx-flow-hash udp4 sdfn", "ethtool -N eth0 rx-flow-hash udp4 sd"),
    ]
    with pytest.raises(EnvironmentFault, match="16 requested; the driver has at most 8"):
        list(nic_steps(facts, default_setup("l2xc", PAIR, DutOptions(queues=16)), "eth0"))


def test_interrupts_of_queues_go_to_a_cpu_each():
    rows = "           CPU0       CPU1\n 32: 789 0 PCI-MSI 524288-edge eth0-TxRx-0\n 33: 0 10 PCI-MSI 524289-edge eth0-TxRx-1\n"
    rows += " 34: 1 0 PCI-MSI 524290-edge eth0\n 35: 0 432 PCI-MSI 1048576-edge eth1-TxRx-0\n"
    affinities = "".join(f"/proc/irq/{irq}/smp_affinity_list:0-1\n" for irq in (32, 34, 35))
    facts = {INTERRUPTS: Ran(0, rows), AFFINITIES: Ran(0, f"{affinities}/proc/irq/33/smp_affinity_list:1\n")}
    steps = list(interrupt_steps(facts, SETUP))
    assert [step.do.command for step in steps] == [
        "echo 0 > /proc/irq/32/smp_affinity_list",
        "echo 0 > /proc/irq/35/smp_affinity_list",
    ]
    assert steps[0].undo == Action("echo 0-1 > /proc/irq/32/smp_affinity_list")


def test_a_text_of_a_result_is_shown_by_beginnings_of_its_words(tmp_path):
    result = tmp_path / "result.json"
    dut = {"texts": {"show runtime": "Thread 0\n", "show errors": "Count\n"}, "telemetry": {}}
    result.write_text(json.dumps({"format": FORMAT, "dut": dut, "samples": []}))
    assert show(result, "show run") == "Thread 0\n"
    assert show(result, "") == "show runtime\nshow errors\n"
    with pytest.raises(UsageError, match=re.escape("it has 'show runtime', 'show errors'")):
        show(result, "show int")
    result.write_text(json.dumps({"format": FORMAT, "dut": {"telemetry": {}}}))
    with pytest.raises(FileFault, match="has no command output of a DUT"):
        show(result, "show run")


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, or sudo without a password")
def test_a_command_that_is_too_long_fails_as_others_do() -> None:
    ran = LocalReach().run(f"true {'x' * (1 << 18)}")
    assert (ran.code, ran.why) == (126, "the command cannot be run: Argument list too long")


def packed(*members: tuple[str, bytes | str | None]) -> bytes:
    """A tar archive: a file's bytes, a link's target, or None for a folder, by name."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                member.size = len(content)
            else:
                member.type, member.linkname = (tarfile.SYMTYPE, content) if content else (tarfile.DIRTYPE, "")
            archive.addfile(member, io.BytesIO(content) if isinstance(content, bytes) else None)
    return out.getvalue()


def test_an_archive_of_a_dut_is_unpacked_as_files_and_folders(tmp_path: Path) -> None:
    unpack(packed((".", None), ("./empty", None), ("./core/a.json", b"{}"), ("./core/link", "/etc/passwd")), tmp_path)
    assert sorted(str(place.relative_to(tmp_path)) for place in tmp_path.rglob("*")) == ["core", "core/a.json", "empty"]
    assert (tmp_path / "core/a.json").read_bytes() == b"{}"


@pytest.mark.parametrize("name", ["../outside", "/outside", "core/../../outside"])
def test_an_archive_of_a_dut_writes_nothing_outside_of_its_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "into").mkdir()
    with pytest.raises(FileFault, match=f"the archive names '{name}', which is outside of its folder"):
        unpack(packed((name, b"x")), tmp_path / "into")
    assert [place.name for place in tmp_path.iterdir()] == ["into"]
