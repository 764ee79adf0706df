"""The server's sockets, and the command's own checks."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import zmq
from fake_generator import FakeGenerator
from harness.descriptors import few_descriptors
from harness.ports import free_port
from harness.waiting import wait_for

from wirespeed.cli.generator import describe, memory_needed_mb
from wirespeed.cli.main import main
from wirespeed.client.framing import pack, unpack
from wirespeed.errors import EnvironmentFault, UsageError
from wirespeed.generator.server import Server
from wirespeed.generator.service import RpcSockets, parse_rpc_address, serve
from wirespeed.model import parse_port_spec
from wirespeed.profiles import load_profile
from wirespeed.serving.loopback import is_loopback


class Client:
    """Requests and publications over real sockets."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._context = zmq.Context()
        self.requests = self._context.socket(zmq.REQ)
        self.subscriber = self._context.socket(zmq.SUB)
        for one, tcp_port in ((self.requests, port), (self.subscriber, port - 1)):
            one.setsockopt(zmq.LINGER, 0)
            one.setsockopt(zmq.RCVTIMEO, 10_000)
            one.connect(f"tcp://127.0.0.1:{tcp_port}")
        self.subscriber.setsockopt(zmq.SUBSCRIBE, b"")
        self.api_h = ""

    def call(self, method: str, **params: Any) -> Any:
        request = {"jsonrpc": "2.0", "id": "1", "method": method, "params": {"api_h": self.api_h} | params}
        self.requests.send(pack(json.dumps(request).encode()))
        reply = json.loads(unpack(self.requests.recv())[0])
        assert "result" in reply, reply
        return reply["result"]

    def published(self) -> Any:
        return json.loads(unpack(self.subscriber.recv())[0])

    def close(self) -> None:
        self.requests.close()
        self.subscriber.close()
        self._context.term()


def serving(server: Server, talk: Callable[[Client], None], number: int | None = signal.SIGTERM) -> str:
    """Serve in this thread while `talk` runs in another, then end by a signal, if any; raises the
    exception of `talk`.
    """
    port = free_port()
    faults: list[BaseException] = []

    def run() -> None:
        client = Client(port)
        try:
            client.api_h = client.call("api_sync_v2", name="STL", major=5, minor=1)["api_h"]
            talk(client)
        except BaseException as fault:
            faults.append(fault)
        finally:
            client.close()
            if number is not None:
                os.kill(os.getpid(), number)

    with RpcSockets("127.0.0.1", port) as sockets:
        thread = threading.Thread(target=run)
        thread.start()
        name = serve(server, sockets, lambda: None)
        thread.join()
    if faults:
        raise faults[0]
    return name


@contextmanager
def sockets(count: int) -> Iterator[list[socket.socket]]:
    with ExitStack() as opened:
        yield [opened.enter_context(socket.socket()) for _ in range(count)]


def test_without_file_descriptors_new_clients_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A connected client is served in the meantime, and a new one once others have disconnected. Without a descriptor
    ZeroMQ tries to accept in a tight loop: that must end.
    """

    def talk(client: Client) -> None:
        with sockets(20) as idle, few_descriptors(5):
            for one in idle:
                one.connect(("127.0.0.1", client.port))
            said = wait_for(lambda: capsys.readouterr().err, "the message")
            assert said.startswith(
                f"wirespeed: RPC at 127.0.0.1:{client.port}: Too many open files; new clients are not served"
            )
            for _ in range(3):
                assert client.call("get_version")["mode"] == "STL"
        late = Client(client.port)
        try:
            late.api_h = late.call("api_sync_v2", name="STL", major=5, minor=1)["api_h"]
        finally:
            late.close()
        assert capsys.readouterr().err == ""

    assert serving(Server(FakeGenerator()), talk) == "ended by SIGTERM"


def test_a_descriptor_that_zeromq_takes_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The descriptor reserved for refusals is closed for a moment, in which a client may get it."""
    stolen: list[int] = []

    def steal(descriptor: int) -> int:
        if len(stolen) < 3:
            stolen.append(descriptor)
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return duplicate(descriptor)

    duplicate = os.dup

    def talk(client: Client) -> None:
        with sockets(200) as idle, few_descriptors(5):
            monkeypatch.setattr(os, "dup", steal)
            left = iter(idle)

            def refused_three_times() -> bool:
                # ZeroMQ may use the descriptor of a refusal for a client: then the next client fails.
                next(left).connect(("127.0.0.1", client.port))
                return len(stolen) == 3

            wait_for(refused_three_times, "three refusals without a descriptor")
            assert client.call("get_version")["mode"] == "STL"
        monkeypatch.undo()
        late = Client(client.port)
        try:
            late.api_h = late.call("api_sync_v2", name="STL", major=5, minor=1)["api_h"]
        finally:
            late.close()

    assert serving(Server(FakeGenerator()), talk) == "ended by SIGTERM"
    assert capsys.readouterr().err.count("Too many open files") == 1


@contextmanager
def taken(port: int) -> Iterator[None]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", port))
        holder.listen()
        yield


def test_requests_are_answered_and_statistics_published() -> None:
    def talk(client: Client) -> None:
        assert client.call("get_version")["mode"] == "STL"
        message = client.published()
        while message == {}:
            message = client.published()
        assert message["name"] == "trex-global"

    class Moving(FakeGenerator):
        """A second passes between two polls."""

        def snapshot(self) -> Any:
            self.advance(1.0)
            return super().snapshot()

    assert serving(Server(Moving()), talk) == "ended by SIGTERM"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_traffic(number: signal.Signals) -> None:
    core = FakeGenerator()

    def talk(client: Client) -> None:
        handler = client.call("acquire", port_id=0, user="me", session_id=1, force=False)
        for loaded in load_profile("bench", {}, 0, 0):
            client.call("add_stream", port_id=0, handler=handler, **loaded)
        mul = {"type": "pps", "op": "abs", "value": 1}
        client.call("start_traffic", port_id=0, handler=handler, mul=mul, duration=-1, force=False)

    before = signal.getsignal(number)
    assert serving(Server(core), talk, number) == f"ended by {number.name}"
    assert ("stop", 0) in core.calls
    assert not core.snapshot().ports[0].active
    assert signal.getsignal(number) is before


def test_finished_runs_are_told_without_being_asked() -> None:
    core = FakeGenerator()

    def talk(client: Client) -> None:
        client.call("get_async_events", session_id=1, user="sub")
        handler = client.call("acquire", port_id=0, user="me", session_id=1, force=False)
        (loaded,) = load_profile("bench", {}, 0, 0)
        mode = {"type": "single_burst", "rate": {"type": "pps", "value": 10}, "total_pkts": 5}
        stream = loaded["stream"] | {"mode": mode}
        client.call("add_stream", port_id=0, handler=handler, stream_id=1, stream=stream)
        mul = {"type": "raw", "op": "abs", "value": 1}
        client.call("start_traffic", port_id=0, handler=handler, mul=mul, duration=-1, force=False)
        client.call("get_async_events", session_id=1, user="sub")
        core.finish(0)
        events: list[dict[str, Any]] = []
        while not events:
            client.published()
            events = client.call("get_async_events", session_id=1, user="sub")["data"]
        assert [event["type"] for event in events] == [14, 4]

    serving(Server(core), talk)


def test_a_request_in_several_frames_is_one_message() -> None:
    def talk(client: Client) -> None:
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}).encode()
        client.requests.send_multipart([request[:10], request[10:]])
        assert "result" in json.loads(client.requests.recv())

    serving(Server(FakeGenerator()), talk)


def test_a_fault_that_nobody_foresaw_is_answered_and_the_traffic_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    core = FakeGenerator()
    server = Server(core)
    handle = server.handle

    def failing(message: bytes, peer: bytes = b"") -> bytes:
        return handle(message, peer) if b"boom" not in message else b"%d" % (1 // 0)

    server.handle = failing  # type: ignore[method-assign]

    def talk(client: Client) -> None:
        client.requests.send(b"boom")
        assert json.loads(client.requests.recv())["error"]["code"] == -32603
        assert client.call("get_version")["mode"] == "STL"
        assert ("stop", 0) not in core.calls

    serving(server, talk)
    assert "internal error in answering: ZeroDivisionError" in capsys.readouterr().err


def test_a_proxy_between_gets_its_envelope_back() -> None:
    def talk(client: Client) -> None:
        with zmq.Context() as context, context.socket(zmq.ROUTER) as front, context.socket(zmq.DEALER) as back:
            back.connect(f"tcp://127.0.0.1:{client.port}")
            front_port = front.bind_to_random_port("tcp://127.0.0.1")
            with context.socket(zmq.REQ) as asking:
                for one in (front, back, asking):
                    one.setsockopt(zmq.LINGER, 0)
                    one.setsockopt(zmq.RCVTIMEO, 10_000)
                asking.connect(f"tcp://127.0.0.1:{front_port}")
                asking.send(b"no JSON")
                back.send_multipart(front.recv_multipart())
                front.send_multipart(back.recv_multipart())
                assert json.loads(asking.recv())["error"]["code"] == -32700
            back.send_multipart([b"x" * 256, b"", b"no JSON"])  # no identity: left alone
            back.send_multipart([b"x", b"", b"no", b" JSON"])
            assert back.recv_multipart()[:2] == [b"x", b""]

    serving(Server(FakeGenerator()), talk)


def test_garbage_on_both_sockets_is_left_alone() -> None:
    def talk(client: Client) -> None:
        for tcp_port in (client.port, client.port - 1):
            for garbage in (b"", b"GET / HTTP/1.0\r\n\r\n", os.urandom(5000), b"\xff" + bytes(8) + b"\x01\x7f"):
                with socket.create_connection(("127.0.0.1", tcp_port), timeout=10) as one:
                    one.sendall(garbage)
        with zmq.Context() as context, context.socket(zmq.DEALER) as dealer:
            dealer.setsockopt(zmq.LINGER, 0)
            dealer.setsockopt(zmq.RCVTIMEO, 10_000)
            dealer.connect(f"tcp://127.0.0.1:{client.port}")
            dealer.send(b"no empty frame")
            dealer.send_multipart([b"", b"no JSON"])
            assert json.loads(dealer.recv_multipart()[1])["error"]["code"] == -32700
        assert client.call("get_version")["mode"] == "STL"

    serving(Server(FakeGenerator()), talk)


def test_a_client_may_end_the_server() -> None:
    def talk(client: Client) -> None:
        assert client.call("shutdown", user="me", force=False) == {}

    assert serving(Server(FakeGenerator()), talk, None) == "shut down by 'me'"


@pytest.mark.parametrize("which", [0, 1])
def test_address_in_use_is_said_with_what_to_do(which: int) -> None:
    port = free_port()
    busy = port - which
    with taken(busy), pytest.raises(EnvironmentFault, match=rf"127.0.0.1:{busy} is in use; give another with --rpc"):
        RpcSockets("127.0.0.1", port)


def test_address_of_another_machine_is_refused() -> None:
    with pytest.raises(EnvironmentFault, match="192.0.2.1 is not an address of this machine"):
        RpcSockets("192.0.2.1", free_port())


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:4501", ("127.0.0.1", 4501)),
        ("10.0.0.1", ("10.0.0.1", 4501)),
        ("*:5000", ("*", 5000)),
        ("[::1]:4501", ("::1", 4501)),
    ],
)
def test_rpc_addresses(text: str, address: tuple[str, int]) -> None:
    assert parse_rpc_address(text) == address


@pytest.mark.parametrize("text", ["", ":4501", "host:", "host:0", "host:1", "host:65536", "host:x", "host:²"])
def test_rpc_addresses_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="give ADDR:PORT"):
        parse_rpc_address(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_addresses_that_only_this_machine_reaches(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["*", "0.0.0.0", "::", "10.0.0.1", "fe80::1%eth0", "tester", "eth0"])
def test_addresses_that_others_may_reach(host: str) -> None:
    assert not is_loopback(host)


def test_rpc_beyond_loopback_says_so_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_runtime(*_: object, **__: object) -> None:
        raise EnvironmentFault("as far as this test goes")

    monkeypatch.setattr("wirespeed._native.runtime.start_runtime", no_runtime)
    for host, lines in (("127.0.0.1", 1), ("0.0.0.0", 2)):
        port = free_port()
        assert main(["generator", "--port", "null", "--rpc", f"{host}:{port}"]) == 3
        said = capsys.readouterr().err.splitlines()
        assert len(said) == lines
        assert (f"anyone who reaches {host}:{port} can use this generator" in said[0]) == (lines == 2)


def test_memory_grows_with_rings_and_frames() -> None:
    small, large = parse_port_spec("null"), parse_port_spec("null,rxd=32768,txd=32768")
    assert memory_needed_mb([small] * 2, 1, 1500) < 200
    assert memory_needed_mb([large] * 2, 1, 1500) > memory_needed_mb([small] * 2, 1, 1500) + 200
    assert memory_needed_mb([small], 1, 9000) > 2 * memory_needed_mb([small], 1, 1500)


def test_one_line_for_each_port() -> None:
    core = FakeGenerator(speed_bps=2_500_000_000)
    assert describe(core, Server(core, ["02:fe:00:00:00:00"])) == [
        "port 0: net_memif 02:00:00:00:00:01 to 02:fe:00:00:00:00, 2.5 Gb/s, cpu 0",
        "port 1: net_memif 02:00:00:00:00:02 to 02:00:00:00:00:01, 2.5 Gb/s, cpu 0",
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "Missing option '--port'"),
        (["--port", "foo:1"], 2, "'foo' is not a port type"),
        (["--port", "null", "--cpu", "9999"], 3, "CPU 9999 does not exist"),
        (["--port", "null", "--rpc", "x:y"], 2, "give ADDR:PORT"),
        (["--port", "null", "--hugepages", "maybe"], 2, "'maybe' is not one of 'auto', 'never', 'require'"),
        (["--port", "null", "--mtu", "10"], 2, "give 576 to 9216"),
        (["--port", "null", "--march", "1"], 2, "'1' is not one of 'auto', 'v2', 'v3', 'v4'"),
        (["--port", "null", "--memory", "1"], 2, "megabytes"),
        (["--port", "null", "--dest-mac", "1:2"], 2, "is not a MAC address"),
        (["--port", "null", *(["--dest-mac", "02:00:00:00:00:01"] * 2)], 2, "2 --dest-mac for 1 ports"),
    ],
)
def test_flags_that_cannot_be_used(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generator", *arguments]) == code
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_busy_rpc_port_ends_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()
    with taken(port):
        assert main(["generator", "--port", "null", "--rpc", f"127.0.0.1:{port}"]) == 3
    assert capsys.readouterr().err == f"wirespeed: 127.0.0.1:{port} is in use; give another with --rpc\n"


def test_statistics_are_made_for_subscribers_only() -> None:
    """Computing them takes CPU time that a worker may need."""
    seen: list[bool] = []

    def talk(client: Client) -> None:
        client.published()
        seen.append(server.has_listeners)
        client.subscriber.close()
        for _ in range(500):  # until the connection's end has got through
            client.call("ping")
            if not server.has_listeners:
                break
        seen.append(server.has_listeners)

    class Moving(FakeGenerator):
        def snapshot(self) -> Any:
            self.advance(1.0)
            return super().snapshot()

    server = Server(Moving())
    serving(server, talk)
    assert seen == [True, False]
