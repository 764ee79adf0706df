"""Each command that writes, when writing fails: a full disk, a read-only folder, a closed pipe, a full device.

It prints one line and ends with the right exit code, leaves nothing behind, and loses no result of a test.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.programs import run_wirespeed

from trials.isolation import present
from trials.started import RING, RPC, Started, connected, generator, router
from trials.trial import Ground, trial, until
from wirespeed.cli.main import COMMANDS
from wirespeed.measurement.file import read_file
from wirespeed.results.journal import journal_path

FILE, CLOSED, MACHINE = 6, 141, 3

_MEASUREMENTS = {
    "search": "--preset quick --max 20kpps --goal r:loss=0.5,exceed=0.9,initial=0.1,final=0.1,sum=0.2,width=0.5",
    "rfc2544": "throughput --sizes 64 --trial 0.1 --resolution 50%",
    "soak": "--load 10kpps --duration 1",
}
"""Short tests; their results do not matter here."""

_SHOWS = ("show interface", "show runtime", "show errors", "show ip fib", "show version", "help")


@contextmanager
def _small_disk(where: Path, *, full: bool) -> Iterator[Path]:
    """A file system of 256 kB, full or read-only."""
    where.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "trial", str(where)], check=True)
    try:
        if full:
            _fill(where)
        else:
            subprocess.run(["mount", "-o", "remount,ro", str(where)], check=True)
        yield where
    finally:
        subprocess.run(["umount", "-l", str(where)], check=True)


def _fill(where: Path) -> None:
    with (where / "filler").open("wb", buffering=0) as filler:
        try:
            while filler.write(b"\0" * 4096):
                pass
        except OSError:
            return


class _Commands:
    """Runs commands with closed or full outputs, and checks how they end."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self.count = 0

    def run(self, words: list[str], codes: tuple[int, ...], *, to: str = "") -> str:
        """Standard output is `closed`, `full` or read; returns the text on standard error."""
        self.count += 1
        before = present()
        with _output(to) as output:
            done = run_wirespeed(
                *words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.PIPE,
                capture_output=False,
                timeout=120,
            )
        what = f"`{' '.join(words)[:80]}`{f' to a {to} output' if to else ''}"
        if done.returncode not in codes:
            self._ground.fault(f"{what} ended with {done.returncode}, not {codes}: {done.stderr.strip()[-300:]}")
        if "Traceback" in done.stderr or "Exception ignored" in done.stderr:
            self._ground.fault(f"{what}: {done.stderr.strip()[-300:]}")
        if done.returncode not in (0, CLOSED) and "wirespeed: " not in done.stderr:
            self._ground.fault(f"{what} ended with {done.returncode} and did not say why: {done.stderr[-200:]}")
        # The message says where a result that could not be written is stored.
        named = [Path(word.rstrip(";,.")) for word in done.stderr.split() if word.startswith("/")]
        allowed = {*named, *(path.parent for path in named)}

        def left() -> list[str]:
            found = sorted(present() - before)
            return [one for one in found if Path(one.split()[-1]) not in allowed]

        if not until(lambda: not left(), 10.0):
            self._ground.fault(f"{what} left {', '.join(left()[:4])}")
        return done.stderr


@contextmanager
def _output(to: str) -> Iterator[int]:
    if to == "closed":
        reader, writer = os.pipe()
        os.close(reader)
    elif to == "full":
        writer = os.open("/dev/full", os.O_WRONLY)
    else:
        writer = os.open(os.devnull, os.O_WRONLY)
    try:
        yield writer
    finally:
        os.close(writer)


def _loadtest(*words: str) -> list[str]:
    said = ["loadtest", "-s", RPC, "-p", "bench", "-t", "size=64", "-wd", "0.1", "-rd", "0.3", "-hd", "0.2"]
    return [*said, "-rt", "0.1", "--interval", "0.1", *words]


@trial("outputs", "full disks, read-only folders, closed and full pipes at each command that writes")
def outputs(ground: Ground) -> None:
    commands = _Commands(ground)
    helps = list(COMMANDS) if not ground.short else [ground.random.choice(list(COMMANDS))]
    for words in (["--version"], ["--help"], *([name, "--help"] for name in helps)):
        commands.run(words, (0, CLOSED), to="closed")
        commands.run(words, (FILE,), to="full")
    with generator(*RING), router(ground.directory, "e0=ring:a", "e1=ring:a") as (_, socket):
        _of_a_test(ground, commands, _loadtest())
        measurements = {name: [name, "-s", RPC, *words.split()] for name, words in _MEASUREMENTS.items()}
        for name in measurements if not ground.short else [ground.random.choice(list(measurements))]:
            _of_a_test(ground, commands, measurements[name])
        _of_a_recovery(ground, commands)
        _of_reports(ground, commands)
        _of_a_router(ground, commands, socket)
        for words in (["stats"], ["help"]) if not ground.short else (["stats"],):
            commands.run(["console", "-s", RPC, *words], (0, CLOSED), to="closed")
            commands.run(["console", "-s", RPC, *words], (FILE,), to="full")
        with connected() as client:
            if any(one.owner for one in client.port_status([0, 1]).values()):
                ground.fault(f"ports are still owned: {client.port_status([0, 1])}")
    _of_starts(ground, commands)
    ground.figures["commands"] = str(commands.count)


def _of_a_test(ground: Ground, commands: _Commands, words: list[str]) -> None:
    name = words[0]
    commands.run([*words, "-o", str(_good(ground, name))], (0,))
    for to, codes in (("closed", (0, CLOSED, FILE)), ("full", (FILE,))):
        said = commands.run([*words, "-q"], codes, to=to)
        kept = [Path(word) for word in said.split() if word.startswith("/") and Path(word).is_file()]
        if not kept:
            ground.fault(f"a {name} whose output was {to} did not keep its result: {said.strip()[-200:]}")
        for file in kept:
            read_file(file)
    with _small_disk(ground.directory / f"{name}-ro", full=False) as disk:
        commands.run([*words, "-o", str(disk / "x.json")], (FILE,))
    with _small_disk(ground.directory / f"{name}-full", full=True) as disk:
        commands.run([*words, "-o", str(disk / "x.json")], (FILE,))
        if any(one.name != "filler" and one.stat().st_size for one in disk.iterdir()):
            ground.fault(f"a {name} left a part of its result on a full disk: {sorted(disk.iterdir())}")


def _good(ground: Ground, name: str) -> Path:
    """The result of an undisturbed test."""
    return ground.directory / f"good-{name}.json"


def _of_a_recovery(ground: Ground, commands: _Commands) -> None:
    """Data that could not be written stays in the journal."""
    lost = ground.directory / "lost.json"
    with Started(_loadtest("-o", str(lost), "-hd", "60")) as started:
        started.must_say(" left")
        started.end(signal.SIGKILL)
    with connected() as client:  # no other program releases its resources
        client.acquire([0, 1], force=True)
        client.release([0, 1])
    for full in (False, True):
        with _small_disk(ground.directory / f"recover-{full}", full=False) as disk:
            subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
            shutil.copy(journal_path(lost), journal_path(disk / "x.json"))
            if full:
                _fill(disk)
            else:
                subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            commands.run(["loadtest", "--recover", str(disk / "x.json")], (FILE,))
            if not filecmp.cmp(journal_path(lost), journal_path(disk / "x.json"), shallow=False):
                ground.fault("a recovery that could not write has spoilt its journal")
    commands.run(["loadtest", "--recover", str(lost)], (0, CLOSED), to="closed")
    read_file(lost)


def _of_reports(ground: Ground, commands: _Commands) -> None:
    good = str(_good(ground, "loadtest"))
    for result in sorted(ground.directory.glob("good-*.json")):
        for kind in ("md", "csv", "json", "html"):
            commands.run(["report", "--format", kind, "-o", "-", str(result)], (0, CLOSED), to="closed")
            commands.run(["report", "--format", kind, "-o", "-", str(result)], (FILE,), to="full")
    if _good(ground, "rfc2544").exists():
        for to, codes in (("closed", (0, CLOSED)), ("full", (FILE,))):
            commands.run(["rfc2544", "--show", str(_good(ground, "rfc2544"))], codes, to=to)
    for full in (False, True):
        with _small_disk(ground.directory / f"report-{full}", full=full) as disk:
            commands.run(["report", "-o", str(disk / "x.html"), good], (FILE,))
            if [one.name for one in disk.iterdir()] not in ([], ["filler"]):
                ground.fault(f"report left {sorted(disk.iterdir())}")


def _of_a_router(ground: Ground, commands: _Commands, socket: Path) -> None:
    for line in _SHOWS if not ground.short else _SHOWS[:2]:
        commands.run(["ctl", "--socket", str(socket), *line.split()], (0, CLOSED), to="closed")
        commands.run(["ctl", "--socket", str(socket), *line.split()], (FILE,), to="full")
    block = str(socket.with_suffix(".stats"))
    for what in ("ls", "dump"):
        commands.run(["ctl", "stats", what, "-f", block], (0, CLOSED), to="closed")
        commands.run(["ctl", "stats", what, "-f", block], (FILE,), to="full")
    commands.run(["ctl", "stats", "poll", "-f", block, "-i", "0.05"], (CLOSED,), to="closed")
    commands.run(["ctl", "stats", "poll", "-f", block, "-i", "0.05"], (FILE,), to="full")


def _of_starts(ground: Ground, commands: _Commands) -> None:
    """The long-running programs and the demo: an output that fails at the first write, addresses that are in use."""
    commands.run(["generator", *RING], (CLOSED,), to="closed")
    commands.run(["generator", *RING], (FILE,), to="full")
    alone = ["router", "--hugepages", "never", "-i", "e0=ring:a", "-i", "e1=ring:a", "--socket"]
    commands.run([*alone, str(ground.directory / "s.sock")], (CLOSED,), to="closed")
    commands.run([*alone, str(ground.directory / "s.sock")], (FILE,), to="full")
    for full in (False, True):
        with _small_disk(ground.directory / f"start-{full}", full=full) as disk:
            # A full disk may still have room for a name.
            if not full:
                commands.run([*alone, str(disk / "s.sock")], (MACHINE, FILE))
            commands.run(["demo", "--quick", "--out", str(disk / "out")], (FILE,))
    if not ground.short:
        commands.run(["demo", "--quick", "--out", str(ground.directory / "demo")], (CLOSED,), to="closed")
        commands.run(["demo", "--quick", "--out", str(ground.directory / "demo")], (FILE,), to="full")
