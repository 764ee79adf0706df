"""The programs that are killed: how each is started, when it works, and the checks after its end. To add a program, add
an entry to PROGRAMS.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from trials.isolation import ROOT
from trials.started import RING, RPC, Started, connected, generator
from trials.trial import Fault, Ground, until
from wirespeed.measurement.file import read_file
from wirespeed.measurement.rfc2544.result import Rfc2544Result
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.results.journal import journal_path

OWNER_TIMEOUT_S = 2.0

_SHOWN = re.compile(r" +\d+\.\d s \w+ .* left$|(throughput \d+, )?trial \d+.*: |\d+ s: offered ")
"""The line of a sample of a load test, of a trial of a search or RFC 2544 test, or of a second of a soak."""


@dataclass(frozen=True)
class Program:
    """`words` start it in a directory; it works once it prints `ready`. It is hit within `start_s` of its start, or
    within one of `moments_s` of its work: mostly within the first one, sometimes within the second. `around` is a
    context that it needs; `check` inspects what it leaves.
    """

    name: str
    words: Callable[[Path], list[str]]
    ready: str
    moments_s: tuple[float, float]
    around: Callable[[Ground], AbstractContextManager[Any]] = lambda _: nullcontext()
    terminal: bool = False
    check: Callable[[Path, Started, signal.Signals], None] = lambda *_: None
    ended_codes: tuple[int, ...] = (0,)
    """Exit codes allowed after SIGTERM."""
    start_s: float = 1.0
    short_rounds: int = 2

    def moment(self, random: Random) -> tuple[bool, float]:
        """True to wait until the program works, and the seconds to wait after that."""
        if random.random() < 0.3:
            return False, random.uniform(0, self.start_s)
        return True, random.uniform(0, self.moments_s[0] if random.random() < 0.8 else self.moments_s[1])


@contextmanager
def _tester(_: Ground) -> Iterator[None]:
    """A generator that stops ports whose owner is silent."""
    with generator(*RING, "--owner-timeout", str(OWNER_TIMEOUT_S)):
        yield


def _loadtest(directory: Path) -> list[str]:
    words = ["loadtest", "-s", RPC, "-p", "bench", "-t", "size=64,vm=var2", "-o", str(directory / "x.json")]
    return [*words, "--force", "-wd", "0.2", "-rd", "5", "-rt", "0.5", "-hd", "0.5", "--interval", "0.1", "--latency"]


def _search(directory: Path) -> list[str]:
    words = ["search", "-s", RPC, "-p", "bench", "-o", str(directory / "x.json"), "--force", "--preset", "quick"]
    return [*words, "--goal", "r:loss=0,exceed=0,initial=0.1,final=0.2,sum=0.4,width=0.05", "--max", "50kpps"]


def _rfc2544(directory: Path) -> list[str]:
    words = ["rfc2544", "throughput", "-s", RPC, "-o", str(directory / "x.json"), "--force"]
    return [*words, "--sizes", "64,1518", "--trial", "0.3", "--resolution", "10%"]


def _soak(directory: Path) -> list[str]:
    words = ["soak", "-s", RPC, "-p", "bench", "-o", str(directory / "x.json"), "--force"]
    return [*words, "--load", "10kpps", "--duration", "10m"]


def _samples_are_kept(directory: Path, started: Started, number: signal.Signals) -> None:
    """Every sample, trial or second that was shown is in the result, or in a result recovered from the journal; and the
    ports can be taken by others.
    """
    file = directory / "x.json"
    shown = sum(_SHOWN.match(line) is not None for line in started.said.splitlines())
    ended = started.process.returncode
    if number == signal.SIGKILL and not file.exists():
        _recover(directory, shown)
    elif shown and not file.exists():
        raise Fault(f"{shown} samples were shown, and there is no result (code {ended}): {started.last_words}")
    kept = _count(file) if shown else 0
    if kept < shown:
        raise Fault(f"{shown} samples were shown, {kept} are in the result")
    if file.exists():
        file.unlink()
    if journal_path(file).exists():
        if number != signal.SIGKILL:
            raise Fault(f"{journal_path(file).name} was left behind (code {ended}): {started.last_words}")
        journal_path(file).unlink()
    _ports_are_free(number)


def _count(file: Path) -> int:
    result = read_file(file)
    match result:
        case SearchResult() | Rfc2544Result():
            return len(result.trials)
        case SoakResult():
            return len(result.seconds)
        case _:
            return len(result.samples)


def _recover(directory: Path, shown: int) -> None:
    file = directory / "x.json"
    if not shown:
        return  # a journal without samples is useless
    with Started(["loadtest", "--recover", str(file), "-q"]) as recovery:
        code = recovery.process.wait(60)
        recovery.forget()
    if code:
        raise Fault(f"{shown} samples were shown, and --recover ended with {code}: {recovery.last_words}")


def _ports_are_free(number: signal.Signals) -> None:
    """After a hang-up at once; after kill -9 once the generator's owner time-out is over."""
    with connected() as client:
        ports = [0, 1]

        def at_rest() -> bool:
            found = client.port_status(ports).values()
            if number == signal.SIGKILL:
                return not any(one.state == "TX" for one in found)
            return not any(one.owner or one.state == "TX" for one in found)

        if not until(at_rest, OWNER_TIMEOUT_S + 20.0 if number == signal.SIGKILL else 0.0):
            raise Fault(f"ports still send or are owned: {client.port_status(ports)}")


def _console_left(_: Path, started: Started, number: signal.Signals) -> None:
    """It started no traffic; its ports are free after a hang-up."""
    if "rror" in started.said and "Traceback" in started.said:
        raise Fault(f"the console said: {started.last_words}")
    _ports_are_free(number)


def _generator(directory: Path) -> list[str]:
    ports = [f"memif:{directory}/m{index}.sock,role=server,speed=10G" for index in range(2)]
    return ["generator", "--hugepages", "never", *(word for port in ports for word in ("--port", port))]


def _no_traceback(_: Path, started: Started, number: signal.Signals) -> None:
    if "Traceback" in started.said and number != signal.SIGKILL:
        raise Fault(f"it said: {started.last_words}")


def _router(directory: Path) -> list[str]:
    """With everything that leaves traces on a machine: sockets, a statistics file, TAPs, a host's interface."""
    start = ROOT / "router.conf"
    start.write_text("create loopback interface\nlcp create e0 host-if le0\nset interface state e0 up\n")
    words = ["router", "--socket", str(directory / "r.sock"), "--exec", str(start), "--hugepages", "never"]
    ports = (f"e0=memif:{directory}/m0.sock,role=server", f"e1=memif:{directory}/m1.sock,role=server", "e2=tap:t2")
    return [*words, *(word for port in ports for word in ("--interface", port))]


def _demo(_: Path) -> list[str]:
    return ["demo", "--quick", "--out", str(ROOT / "demo")]


def _results_are_whole(_: Path, started: Started, number: signal.Signals) -> None:
    """Written files are complete; a test with a result before the hit has its file."""
    files = list((ROOT / "demo").glob("*.json"))
    for file in files:
        read_file(file)
    # A line whose print is interrupted may appear twice. Lines of the Linux lab have the same words as those of the
    # wirespeed router over veth, but no file.
    lines = set(started.said.splitlines())
    begun, failed = (sum(bool(re.search(word, line)) for line in lines) for word in (r"^\d+/\d+ ", " failed: "))
    ended = begun - 1 - failed
    if len([one for one in files if one.name.startswith("wirespeed-")]) < ended:
        raise Fault(f"{ended} tests had found something, {len(files)} files are there: {started.last_words}")
    for file in files:
        file.unlink()
    if "Traceback" in started.said and number != signal.SIGKILL:
        raise Fault(f"it said: {started.last_words}")


PROGRAMS = (
    Program("loadtest", _loadtest, " left", (2.0, 6.0), _tester, check=_samples_are_kept, ended_codes=(0, 130)),
    Program("search", _search, "trial 1 ", (1.0, 4.0), _tester, check=_samples_are_kept, ended_codes=(0, 130)),
    Program(
        "rfc2544",
        _rfc2544,
        "trial 1",
        (1.0, 4.0),
        _tester,
        check=_samples_are_kept,
        ended_codes=(0, 130),
        short_rounds=1,
    ),
    Program(
        "soak",
        _soak,
        " s: offered",
        (2.0, 6.0),
        _tester,
        check=_samples_are_kept,
        ended_codes=(0, 130),
        short_rounds=1,
    ),
    Program("generator", _generator, "ready", (0.5, 2.0), check=_no_traceback),
    Program("router", _router, "ready", (0.5, 2.0), check=_no_traceback, short_rounds=1),
    Program("demo", _demo, "\n1/", (4.0, 35.0), check=_results_are_whole, ended_codes=(0, 130)),
    Program(
        "console",
        lambda _: ["console", "-s", RPC, "-f"],
        ">",
        (1.0, 2.0),
        _tester,
        terminal=True,
        check=_console_left,
        ended_codes=(0, 130, -15),
    ),
    Program(
        "tui",
        lambda _: ["console", "-s", RPC, "-f", "tui"],
        "\x1b[?1049h",
        (1.0, 2.0),
        _tester,
        terminal=True,
        check=_console_left,
        ended_codes=(0, 130, -15),
    ),
)
