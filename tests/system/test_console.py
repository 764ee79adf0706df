"""The console as a user sees it: a process on a pseudo-terminal, with a real generator."""

from __future__ import annotations

import errno
import os
import pty
import re
import select
import signal
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path

import pyte
import pytest
from harness.programs import run_wirespeed, wirespeed
from harness.waiting import PATIENCE_S, wait_for
from shared_labs import RingLab, connected, ring_lab

from wirespeed.cli.main import main

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

COLUMNS, LINES = 80, 24


class Terminal:
    """`wirespeed ARGUMENTS` on a terminal of 80x24, whose screen pyte keeps."""

    def __init__(self, arguments: list[str], state: Path) -> None:
        self._screen = pyte.HistoryScreen(COLUMNS, LINES, history=2000)
        self._stream = pyte.ByteStream(self._screen)
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (LINES, COLUMNS))
        environment = {**os.environ, "TERM": "xterm-256color", "XDG_STATE_HOME": str(state), "COLORTERM": "truecolor"}
        self.process = subprocess.Popen(
            wirespeed(*arguments),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=_own_terminal,  # noqa: PLW1509 - no threads here
        )
        os.close(slave)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    @property
    def screen(self) -> str:
        """All text that was printed and not erased."""
        above = ["".join(line[x].data for x in range(COLUMNS)).rstrip() for line in self._screen.history.top]
        return "\n".join([*above, *(line.rstrip() for line in self._screen.display)])

    @property
    def display(self) -> list[str]:
        return [line.rstrip() for line in self._screen.display]

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def expect(self, pattern: str, times: int = 1) -> str:
        """Wait until the screen shows `pattern` `count` times."""

        def shows_it() -> bool:
            if len(re.findall(pattern, self.screen)) >= times:
                return True
            assert self._read(), f"ended without {pattern!r}:\n{self.screen}"
            return False

        self._wait(shows_it, f"{pattern!r} on the screen")
        return self.screen

    def end(self) -> int:
        """Wait until the process ends by itself."""
        self._wait(lambda: not self._read(), "the end of the program")
        return self.process.wait(PATIENCE_S)

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        try:
            wait_for(condition, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.screen}") from None

    def _read(self) -> bool:
        if not select.select([self._master], [], [], 0)[0]:
            return True
        try:
            data = os.read(self._master, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # the error of a closed terminal
                raise
            return False
        if b"\x1b[6n" in data:  # the program asks where the cursor is
            cursor = self._screen.cursor
            os.write(self._master, f"\x1b[{cursor.y + 1};{cursor.x + 1}R".encode())
        self._stream.feed(data)
        return True


def _own_terminal() -> None:
    """Make standard input the controlling terminal, so that Ctrl-C is a signal."""
    import fcntl  # noqa: PLC0415 - after the fork

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def rpc(ring: RingLab) -> str:
    return ring.rpc


def owners(address: str) -> list[str]:
    with connected(address) as one:
        return [status.owner for status in one.port_status([0, 1]).values()]


def states(address: str) -> list[str]:
    with connected(address) as one:
        return [status.state for status in one.port_status([0, 1]).values()]


def test_a_session_on_a_terminal(rpc: str, tmp_path: Path) -> None:
    with Terminal(["console", "-s", rpc], tmp_path) as console:
        console.expect(r"Acquiring ports \[0, 1\]: +\[SUCCESS\]")
        console.expect("wirespeed>")
        console.type("start -f stl/bench.py -m 1.48mpps -p 0 1 -t size=64,vm=var2\r")  # as the articles have it
        console.expect(r"Starting traffic on port\(s\) \[0\._, 1\._\]: +\[SUCCESS\]")
        console.expect(r"\[ms\]")
        console.type("update -m 20kpps\r")
        console.expect(r"Updating traffic on port\(s\) \[0\._, 1\._\]: +\[SUCCESS\]")
        console.type("stats -p\r")
        console.expect(r"state +\| +TRANSMITTING \| +TRANSMITTING")
        console.type("sto\t")
        console.expect("wirespeed> stop")
        console.type("\r")
        console.expect(r"Stopping traffic on port\(s\) \[0\._, 1\._\]: +\[SUCCESS\]")
        console.type("strat\r")
        console.expect("did you mean")
        console.type("start -f bench -m 1kpps -p 0 -d 0.2\r")
        console.expect("Port 0 job done")  # shown while the prompt waits
        console.type("events\r")
        console.expect("Profile 0._ has finished")
        console.type("quit\r")
        assert console.end() == 0
    assert owners(rpc) == ["", ""]
    assert "+update -m 20kpps" in (tmp_path / "wirespeed" / "console-history").read_text()


def test_ctrl_c_drops_the_line_and_ctrl_d_leaves(rpc: str, tmp_path: Path) -> None:
    with Terminal(["console", "-s", rpc], tmp_path) as console:
        console.expect("wirespeed>")
        console.type("stop -p 0\x03")
        console.expect("wirespeed>", times=2)
        console.type("\x04")
        assert console.end() == 0
        assert "nothing is sent" not in console.screen


def test_a_console_that_takes_no_ports_until_it_is_told_to(rpc: str, tmp_path: Path) -> None:
    with Terminal(["console", "-s", rpc, "-r"], tmp_path) as console:
        console.expect(r"wirespeed\(read-only\)>")
        assert owners(rpc) == ["", ""]
        console.type("acquire -p 0\r")
        console.expect(r"wirespeed\(0\)>")
        console.type("ping -n 99 -i 5 -p 0 -d 1.1.1.1\r")
        console.expect("must be under service mode")
        console.expect(r"wirespeed\(0\)>", times=2)  # a Ctrl-D before the prompt is the line discipline's
        console.type("\x04")
        assert console.end() == 0
    assert owners(rpc) == ["", ""]


def test_leaving_while_traffic_runs_is_a_question(rpc: str, tmp_path: Path) -> None:
    with Terminal(["console", "-s", rpc], tmp_path) as console:
        console.type("start -f bench -m 1kpps -p 1\r")
        console.expect(r"Starting traffic .*\[SUCCESS\]")
        console.type("quit\r")
        console.expect(r"Traffic runs on port\(s\) \[1\]\. Stop it before leaving\?")
        console.type("c\r")
        console.expect("wirespeed>", times=3)
        console.type("quit\r")
        console.expect(r"Stop it before leaving\?", times=2)
        console.type("y\r")
        assert console.end() == 0
    assert states(rpc)[1] == "STREAMS"


def test_another_console_reads_and_is_told_when_it_loses_its_ports(rpc: str, tmp_path: Path) -> None:
    with Terminal(["console", "-s", rpc, "-u", "first"], tmp_path) as first:
        first.expect("wirespeed>")
        with Terminal(["console", "-s", rpc, "-u", "second"], tmp_path) as second:
            second.expect("already taken by 'first'")
            second.expect(r"wirespeed\(read-only\)>")
            second.type("acquire --force\r")
            second.expect(r"Force acquiring ports \[0, 1\]: +\[SUCCESS\]")
            first.expect("Port 1 was forcely taken by 'second'")
            first.expect(r"wirespeed\(read-only\)>")
            second.type("quit\r")
            assert second.end() == 0
        first.type("quit\r")
        assert first.end() == 0


def test_a_generator_that_ends_is_told_and_connect_goes_back(tmp_path: Path) -> None:
    with ring_lab(tmp_path / "log") as lab, Terminal(["console", "-s", lab.rpc], tmp_path) as console:
        console.expect("wirespeed>")
        os.kill(lab.generator.pid, signal.SIGKILL)
        console.type("stats\r")
        console.expect("stopped answering")
        console.expect(r"wirespeed\(offline\)>")
        lab.generator.stop()
        lab.generator.start()
        console.type("connect\r")
        console.expect(r"Acquiring ports \[0, 1\]: +\[SUCCESS\]", times=2)
        assert "Traceback" not in console.screen
        console.type("quit\r")
        assert console.end() == 0


def test_the_live_view_on_80_by_24(rpc: str, tmp_path: Path) -> None:
    with Terminal(["console", "-s", rpc, "tui"], tmp_path) as console:
        console.expect("tui>")
        console.type("start -f stl/bench.py -m 10kpps -p 0 -t size=64,vm=var2\r")
        console.expect(r"Starting traffic on port\(s\) \[0\._\]: +\[SUCCESS\]")
        console.expect(r"state +\| +TRANSMITTING \| +IDLE")
        console.expect(r"Tx pps +\| +[\d.]+ k?pps")
        console.expect("█")
        assert console.display[-1].split()[:2] == ["q", "Quit"]
        console.type("stop\r")
        console.expect(r"Stopping traffic on port\(s\) \[0\._\]: +\[SUCCESS\]")
        console.type("q")
        assert console.end() == 0
        assert "Traceback" not in console.screen
    assert owners(rpc) == ["", ""]


def test_a_batch_the_prompt_and_the_live_view_from_there(rpc: str, tmp_path: Path) -> None:
    batch = tmp_path / "batch"
    batch.write_text("stats -g\n")
    with Terminal(["console", "-s", rpc, "--batch", str(batch)], tmp_path) as console:
        console.expect("Global Statistics(.|\n)*wirespeed>")
        console.type("tui -l\r")  # keys alone
        console.expect("Tx pps")
        assert "tui>" not in console.screen
        console.type("q")
        console.expect("wirespeed>")
        console.type("quit\r")
        assert console.end() == 0


def test_single_commands_and_a_script(rpc: str) -> None:
    done = run_wirespeed("console", "-s", rpc, "start", "-f", "stl/imix.py", "-m", "1kpps", "-p", "0", "-d", "600")
    assert (done.returncode, done.stdout.count("[SUCCESS]")) == (0, 3)
    assert "traffic runs on port(s) [0]" in done.stderr
    assert owners(rpc) == ["", ""]
    script = "stats -p # look first\nstop\nstop\nstreams -p 0 -i 2\nquit\nnonsense\n"
    done = run_wirespeed("console", "-s", rpc, input=script)
    assert done.returncode == 2
    assert done.stderr == "wirespeed: nothing is sent on ports 0, 1\n"
    assert "TRANSMITTING" in done.stdout and "594" in done.stdout


def test_a_line_of_help_for_whoever_errs(rpc: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "usage: start -f FILE" in run_wirespeed("console", "-s", rpc, "start", "--help").stdout
    for arguments, code, text in (
        (["-s", rpc, "tui"], 3, "needs a terminal"),
        (["-s", rpc, "stpo"], 2, "did you mean stop"),
        (["-s", rpc, "capture", "record", "start"], 2, "--rx PORT"),
        (["--timeout", "0.2", "-s", "127.0.0.1:1", "stats"], 4, "no generator answers"),
        (["-s", "a b", "stats"], 2, "HOST:PORT"),
    ):
        ended, said = main(["console", *arguments]), capsys.readouterr().err
        assert (ended, said.count("\n")) == (code, 1), said
        assert text in said
