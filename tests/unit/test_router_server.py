"""The control socket: a router process on a core that forwards nothing, with the real clients."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import pytest
from fake_mpls import FakeMpls
from fake_router import FakeRouterCore
from harness.programs import run_wirespeed, wirespeed
from harness.stopping import stop_process
from harness.waiting import wait_for
from router_process import RouterProcess

from wirespeed.errors import ConnectionFault, EnvironmentFault, UsageError
from wirespeed.router.client import ask, ask_in_order, complete, stream
from wirespeed.router.console import Console
from wirespeed.router.features.mpls.core import MplsRoute
from wirespeed.router.protocol import decode, encode
from wirespeed.router.server import open_socket, requests


@pytest.fixture
def process(tmp_path: Path) -> Iterator[RouterProcess]:
    with RouterProcess(tmp_path / "own" / "router.sock") as made:
        yield made


@pytest.fixture
def path(process: RouterProcess) -> Path:
    return process.control


def connections(path: Path) -> int:
    """Number of client connections of the router at `path`, without the listening socket."""
    return sum(line.endswith(f" {path}") for line in Path("/proc/net/unix").read_text().splitlines()) - 1


def ctl(path: Path, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return run_wirespeed("ctl", "--socket", path, *words, input=text)


def test_a_line_is_answered(path: Path) -> None:
    assert ask(path, "set int state e0 up") == ""
    assert ask(path, "sh int").splitlines()[1].split()[:3] == ["e0", "1", "up"]


def test_where_many_wait_one_waits_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with full_listener(tmp_path / "full") as (listener, waiting):
        serving = threading.Thread(target=answer_each, args=(listener, waiting + 1))

        def serve_all(_: float) -> None:
            monkeypatch.undo()
            serving.start()

        monkeypatch.setattr("wirespeed.router.client.time.sleep", serve_all)
        assert ask(tmp_path / "full", "show version") == "here"
        serving.join()


def test_waiting_among_many_has_its_limit(tmp_path: Path) -> None:
    with full_listener(tmp_path / "full"), pytest.raises(ConnectionFault, match="it takes no more connections"):
        ask(tmp_path / "full", "show version", timeout_s=0.05)


@contextmanager
def full_listener(path: Path) -> Iterator[tuple[socket.socket, int]]:
    """A listener with a full queue, and the length of the queue."""
    with ExitStack() as sockets:
        listener = sockets.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(path))
        listener.listen(1)
        for waiting in count():
            client = sockets.enter_context(socket.socket(socket.AF_UNIX))
            client.setblocking(False)
            try:
                client.connect(str(path))
            except BlockingIOError:
                yield listener, waiting
                return


def answer_each(listener: socket.socket, clients: int) -> None:
    """All but the last one send nothing; the last one sends its request and then ends its connection."""
    with ExitStack() as accepted:
        for _ in range(clients):
            client = accepted.enter_context(listener.accept()[0])
            client.sendall(b'{"text":"here"}\n{"end":true}\n')
        client.recv(65_536)


def test_nothing_stays_of_clients_that_broke_off(process: RouterProcess) -> None:
    """That does not depend on the cyclic garbage collector, which runs late in a large process."""
    for request in (b"", b"no JSON", b'{"command":"show version"}\n'):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(process.control))
            client.sendall(request)
    wait_for(lambda: not connections(process.control), "the sessions end")
    assert process.end(signal.SIGTERM) == 0


def test_the_socket_and_its_directory_are_the_users_alone(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_an_error_comes_back_as_its_class(path: Path) -> None:
    with pytest.raises(UsageError, match="word 2, 'itnerface'"):
        ask(path, "show itnerface")


class Faulty(FakeMpls):
    def routes(self) -> list[MplsRoute]:
        raise RuntimeError("two\nlines")


def test_a_fault_of_ours_is_answered_in_one_line_with_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    core = FakeRouterCore()
    core.mpls = Faulty()
    assert list(*requests(Console(core), b'{"command": "show mpls fib"}')) == [
        {
            "error": "internal error: RuntimeError: two lines; the router's standard error has its traceback",
            "exit_code": 1,
        }
    ]
    assert "Traceback" in capsys.readouterr().err
    core.close()


def test_completion_goes_over_the_socket(path: Path) -> None:
    assert complete(path, "set int state e") == ["e0", "e1"]


def test_a_long_table_comes_in_pieces(path: Path) -> None:
    ask(path, "ip route add 10.0.0.0/32 count 5000 via e1")
    pieces = list(stream(path, "show ip fib"))
    assert len(pieces) > 5
    assert "".join(pieces).count("dpo-load-balance") == 5000


def test_commands_given_together_are_run_in_order_up_to_the_first_error(path: Path) -> None:
    answers = ask_in_order(path, ["show mode", "create loopback interface instance 7", "show itnerface", "show mode"])
    assert [next(answers), next(answers)] == ["l3 e0\nl3 e1\n", "loop7\n"]
    with pytest.raises(UsageError, match="word 2, 'itnerface'"):
        next(answers)
    assert "loop7" in ask(path, "show interface")


def test_more_commands_than_one_request_takes_are_run_in_order(path: Path) -> None:
    made = [f"create loopback interface instance {number}" for number in range(900)]
    assert list(ask_in_order(path, made)) == [f"loop{number}\n" for number in range(900)]


def test_commands_that_have_not_begun_when_the_client_goes_are_not_run(path: Path) -> None:
    slow = "ping 2001:db8::9 repeat 1 interval 0.5"
    request = {"commands": [slow, "create loopback interface instance 7"]}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(path))
        connection.sendall(encode(request))
    wait_for(lambda: not connections(path), "the session ends")
    assert "loop7" not in ask(path, "show interface")


@pytest.mark.parametrize(
    "request_line",
    [
        b"show run\n",
        b"[]\n",
        b'{"command": 3}\n',
        b'{"commands": []}\n',
        b'{"commands": "a"}\n',
        b"{}\n",
        b"\xff\xfe\n",
        b"[" * 60_000 + b"\n",
    ],
)
def test_what_is_no_request_is_refused_and_the_connection_stays(path: Path, request_line: bytes) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection, connection.makefile("rb") as answers:
        connection.connect(str(path))
        connection.sendall(request_line)
        assert decode(answers.readline())["exit_code"] == 2
        connection.sendall(b'{"command": "show mode"}\n')
        assert decode(answers.readline()) == {"text": "l3 e0\nl3 e1\n"}
        assert decode(answers.readline()) == {"end": True}


def test_an_endless_request_is_cut_off(path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection, connection.makefile("rb") as answers:
        connection.connect(str(path))
        connection.sendall(b"x" * 70_000)
        assert "at most 65536 bytes" in decode(answers.readline())["error"]
    assert ask(path, "show mode")


def test_a_line_that_no_request_holds_is_told_before_it_is_sent(path: Path) -> None:
    with pytest.raises(UsageError, match="a command has at most 65536 bytes here"):
        ask(path, "show " + "x" * 70_000)
    assert ask(path, "show mode")


def test_a_client_that_leaves_early_disturbs_nobody(path: Path) -> None:
    ask(path, "ip route add 10.0.0.0/32 count 5000 via e1")
    pieces = stream(path, "show ip fib")
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert ask(path, "show mode")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(process: RouterProcess, number: signal.Signals) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as idle:
        idle.connect(str(process.control))
        process.end(number)
    assert process.log.read_text() == ""
    assert not process.control.exists()


def test_a_router_that_says_nothing_is_told_from_one_that_is_gone(process: RouterProcess) -> None:
    stop_process(process.pid)
    try:
        with pytest.raises(ConnectionFault, match=r"router\.sock did not answer in time; see its log"):
            ask(process.control, "show mode", timeout_s=0.2)
    finally:
        os.kill(process.pid, signal.SIGCONT)


def test_a_second_router_needs_a_socket_of_its_own(path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="give this one a --socket"):
        open_socket(path)
    assert ask(path, "show mode")


def test_a_stale_socket_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "router.sock"
    open_socket(path).close()
    assert path.exists()
    open_socket(path).close()


def test_a_file_in_its_place_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "router.sock"
    path.write_text("mine")
    with pytest.raises(EnvironmentFault, match="exists and is not a socket"):
        open_socket(path)
    assert path.read_text() == "mine"


def test_no_router_is_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConnectionFault, match=r"no router answers at .*gone\.sock"):
        ask(tmp_path / "gone.sock", "show run")


def test_what_is_no_routers_socket_is_told_from_a_router_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, said in (
        (tmp_path / "file", "is not a socket"),
        (tmp_path, "is not a socket"),
        (tmp_path / "nowhere" / "router.sock", "No such file or directory"),
        (tmp_path / ("x" * 120), "path too long"),
    ):
        with pytest.raises(ConnectionFault, match=said):
            ask(path, "show run")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_another_users_socket_is_told_from_a_router_that_is_gone(tmp_path: Path) -> None:
    path = Path(tempfile.mkdtemp()) / "router.sock"  # others cannot enter pytest's own directories
    path.parent.chmod(0o755)
    with open_socket(path):
        code = (
            "import os, sys; from pathlib import Path; from wirespeed.router.client import ask\n"
            "os.setuid(65534); ask(Path(sys.argv[1]), 'show run')"
        )
        command = [sys.executable, "-c", code, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    shutil.rmtree(path.parent)
    assert "ConnectionFault" in done.stderr
    assert "belongs to user root" in done.stderr


# ---- ctl


def test_ctl_runs_one_command(path: Path) -> None:
    done = ctl(path, "sh", "int", "addr")
    assert (done.returncode, done.stdout, done.stderr) == (0, "e0 (dn):\ne1 (dn):\n", "")


def test_ctl_takes_a_command_in_quotes_as_well(path: Path) -> None:
    assert ctl(path, "show mode").stdout == "l3 e0\nl3 e1\n"


def test_ctl_ends_with_2_for_a_wrong_command(path: Path) -> None:
    done = ctl(path, "show", "itnerface")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("wirespeed: word 2, 'itnerface', is not known here")
    assert done.stderr.count("\n") == 1


def test_ctl_ends_with_4_without_a_router(tmp_path: Path) -> None:
    done = ctl(tmp_path / "gone.sock", "show", "run")
    assert done.returncode == 4
    assert "start one with wirespeed router" in done.stderr


def test_ctl_runs_lines_from_standard_input_and_goes_on_after_a_wrong_one(path: Path) -> None:
    done = ctl(path, text="set int state e0 up\nmpls table add 9\nset int state e1 up\nsh int addr\n")
    assert done.returncode == 2
    assert "there is no MPLS table 9" in done.stderr
    assert done.stdout == "e0 (up):\ne1 (up):\n"


def test_ctl_executes_files_from_where_it_stands(path: Path, tmp_path: Path) -> None:
    (tmp_path / "up.conf").write_text("set int state e0 up\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = run_wirespeed("ctl", "--socket", path, "exec", "up.conf", cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert ask(path, "sh int addr e0") == "e0 (up):\n"


def test_ctl_survives_a_reader_that_leaves(path: Path) -> None:
    ask(path, "ip route add 10.0.0.0/32 count 5000 via e1")
    line = f"{shlex.join(wirespeed('ctl', '--socket', path, 'show', 'ip', 'fib'))} | head -1"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("ipv4-VRF:0")
    assert "Traceback" not in done.stderr
