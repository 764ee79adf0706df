"""T-Rex's own console, unchanged, on a terminal of its own, with wirespeed's generator looped through a wirespeed
router.
"""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Iterator

import pytest
from harness.waiting import PATIENCE_S, wait_for
from shared_labs import connected
from trex_library import need_trex_library

from wirespeed.lab.embedded import EmbeddedLab

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")
need_trex_library()

PROGRAM = "import lbr_trex_client; from trex.console.trex_console import main; main()"
EXAMPLE = "examples/profiles/many_flows.py"
PROMPT = r"trex(\(\S*\))?>"
_ESCAPE = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|\][^\x07]*\x07|[=>])")


class Terminal:
    """A program on a pseudo-terminal: type lines, read its output."""

    def __init__(self, *command: str) -> None:
        self._end, theirs = pty.openpty()
        environment = os.environ | {"TERM": "xterm", "COLUMNS": "200", "LINES": "50"}
        self._process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        self._shown = ""

    def read_until(self, mark: str) -> str:
        """Output up to the pattern `mark`, without colors."""

        def reads_it() -> re.Match[str] | None:
            if select.select([self._end], [], [], 0)[0]:
                try:
                    piece = os.read(self._end, 65536)
                except OSError:  # the other end is closed
                    raise AssertionError(self._shown) from None
                self._shown += _ESCAPE.sub("", piece.decode(errors="replace"))
            return re.search(mark, self._shown)

        found = wait_for(reads_it, f"{mark!r} on the terminal")
        shown, self._shown = self._shown[: found.end()], self._shown[found.end() :]
        return shown

    def type(self, line: str) -> None:
        os.write(self._end, line.encode() + b"\n")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._end)

    def ended(self) -> int:
        return self._process.wait(PATIENCE_S)


@pytest.fixture
def rpc(lab: EmbeddedLab) -> str:
    return lab.rpc


@pytest.fixture
def console(rpc: str) -> Iterator[Terminal]:
    port = int(rpc.rpartition(":")[2])
    where = ["-s", "127.0.0.1", "-p", str(port), "--async_port", str(port - 1), "-f"]
    terminal = Terminal(sys.executable, "-c", PROGRAM, *where)
    try:
        terminal.read_until(PROMPT)
        run(terminal, "service -p 0 1 --off")
        yield terminal
    finally:
        terminal.close()


def run(console: Terminal, line: str) -> str:
    """Output of a command until the next prompt."""
    console.type(line)
    shown = console.read_until(PROMPT)
    assert "FAILED" not in shown and "failed" not in shown, shown
    return shown


def value(table: str, row: str) -> list[str]:
    """The cells of a row of one of the console's tables."""
    (line,) = [line for line in table.splitlines() if line.strip().startswith(row + " ")]
    return [cell.strip() for cell in line.split("|")[1:]]


def test_a_session_at_the_console(console: Terminal, rpc: str) -> None:
    assert "SUCCESS" in run(console, f"start -f {EXAMPLE} -m 2kpps -p 0 1 -t --size 64 --flows 10")
    with connected(rpc) as client:
        wait_for(lambda: client.snapshot([0]).ports[0].ipackets >= 1000, "1000 packets")
        assert {status.state for status in client.port_status([0, 1]).values()} == {"TX"}
        table = run(console, "stats -p")
        assert value(table, "state")[:2] == ["TRANSMITTING", "TRANSMITTING"]
        assert int(value(table, "opackets")[0]) > 0
        assert "many_flows" not in run(console, "streams")
        run(console, "update -m 4kpps -p 0")
        run(console, "pause -p 0")
        assert client.port_status([0])[0].state == "PAUSE"
        run(console, "resume -p 0")
        run(console, "stop -p 0 1")
        assert {status.state for status in client.port_status([0, 1]).values()} == {"STREAMS"}


def test_ports_as_hosts_at_the_console(console: Terminal) -> None:
    run(console, "service -p 0 1")
    shown = run(console, "l3 -p 0 --src 100.64.1.2 --dst 100.64.1.1")
    assert "02:fe:00:00:00:00" in shown
    assert run(console, "ping -p 0 -d 100.64.1.1 -n 2").count("Reply from 100.64.1.1") == 2
    assert "100.64.1.1" in run(console, "portattr -p 0")
    assert "Capturing ID is set" in run(console, "capture record start --rx 0 --limit 10 -f icmp")
    console.type("capture show")
    console.read_until(r"icmp(.|\n)*" + PROMPT)
    run(console, "capture clear")
    run(console, "l2 -p 0 --dst 02:fe:00:00:00:00")


def test_the_console_says_what_is_refused(console: Terminal) -> None:
    console.type(f"start -f {EXAMPLE} -m 200% -p 0")
    assert "exceeds port line rate" in console.read_until(r"line rate.*\n")
    console.read_until(PROMPT)
    console.type("quit")
    assert console.ended() == 0
