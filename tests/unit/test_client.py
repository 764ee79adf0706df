"""The RPC client with a simulated server: transport, errors, retries, ownership."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import zmq
from simulated_trex import SimulatedTrex

from wirespeed.client.framing import MAGIC, pack, unpack
from wirespeed.client.generator_client import Call, GeneratorClient, parse_server
from wirespeed.client.readings import port_stats
from wirespeed.errors import ConnectionFault, RemoteError, UsageError
from wirespeed.profiles import load_profile
from wirespeed.units import Rate

BENCH = load_profile("bench", {"size": "64"}, 0, 0)


@contextmanager
def connected(server: str, timeout_s: float = 5.0) -> Iterator[GeneratorClient]:
    with GeneratorClient(server, timeout_s) as client:
        client.connect()
        yield client


@contextmanager
def answering(answer: Callable[[int, bytes], bytes | None]) -> Iterator[str]:
    """A server that answers its n-th message with `answer(n, message)`, or not at all; yields its HOST:PORT."""
    context = zmq.Context()
    socket = context.socket(zmq.ROUTER)
    socket.setsockopt(zmq.LINGER, 0)
    server = f"127.0.0.1:{socket.bind_to_random_port('tcp://127.0.0.1')}"
    ending = threading.Event()

    def serve() -> None:
        n = 0
        while not ending.is_set():
            if socket.poll(20):
                peer, empty, message = socket.recv_multipart()
                reply = answer(n, message)
                n += 1
                if reply is not None:
                    socket.send_multipart([peer, empty, reply])

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server
    finally:
        ending.set()
        thread.join()
        socket.close()
        context.term()


def reply_to(message: bytes, result: object) -> bytes:
    return pack(json.dumps({"jsonrpc": "2.0", "id": json.loads(unpack(message)[0])["id"], "result": result}).encode())


@pytest.mark.parametrize("extended", [True, False])
def test_a_session_from_connecting_to_giving_the_ports_back(extended: bool) -> None:
    with SimulatedTrex(extended=extended, capacity_pps=5e6) as trex, connected(trex.server) as client:
        info = client.server_info()
        assert (info.program, info.port_count, [port["index"] for port in info.ports]) == ("T-Rex v3.08", 2, [0, 1])
        assert client.port_status((0, 1))[1].speed_bps == 10e9
        client.acquire((0, 1))
        assert {status.owner for status in client.port_status((0, 1)).values()} == {client.user}
        client.reset((0, 1))
        client.add_streams(0, BENCH)
        before = client.snapshot((0, 1))
        client.start((0,), Rate(50, "percentage"))
        client.update((0,), Rate(8e6, "pps"))
        assert trex.ports[0].rates_asked == [pytest.approx(5e9 / 672), 8e6]
        threading.Event().wait(0.02)
        after = client.snapshot((0, 1))
        client.stop((0,))
        assert not trex.ports[0].active
        assert after.at_s > before.at_s
        assert after.ports[1].ipackets > before.ports[1].ipackets == 0
        assert after.instant is extended
        assert (after.ports[0].intended is not None) is extended
        assert bool(after.global_stats) is not extended
        client.release((0, 1))
        assert trex.idle


def test_counters_of_several_ports_come_in_one_message() -> None:
    with SimulatedTrex() as trex, connected(trex.server) as client:
        client.snapshot((0, 1))
        assert trex.messages[-1].count("get_port_stats") == 2


def test_a_snapshot_has_the_time_of_its_counters_or_of_the_servers_clock_or_else_ours() -> None:
    with SimulatedTrex(extended=True, began_s=-1000.0) as trex, connected(trex.server) as client:
        assert client.snapshot((0, 1)).at_s - time.monotonic() == pytest.approx(1000, abs=100)
    with SimulatedTrex(extended=False, began_s=500.0) as trex, connected(trex.server) as client:
        assert client.snapshot((0, 1)).at_s - time.monotonic() == pytest.approx(-500, abs=100)
        trex.extended, trex.unstamped = True, True
        assert client.snapshot((0, 1)).at_s - time.monotonic() == pytest.approx(0, abs=100)


def test_requests_are_compressed_as_the_trex_client_does() -> None:
    seen: list[bytes] = []

    def answer(n: int, message: bytes) -> bytes:
        seen.append(message)
        return reply_to(message, {"api_h": "x"})

    with answering(answer) as server, connected(server):
        assert seen[0][:4] == MAGIC.to_bytes(4, "big")
        payload = json.loads(unpack(seen[0])[0])
        assert payload["method"] == "api_sync_v2"
        assert payload["params"] == {"name": "STL", "major": 5, "minor": 1}


def test_long_batches_are_split_and_keep_their_order() -> None:
    with SimulatedTrex() as trex, connected(trex.server) as client:
        client.acquire((0,))
        item = BENCH[0]
        padded = {**item["stream"], "comment": "x" * 200_000}
        client.add_streams(0, [{"stream_id": n, "stream": padded} for n in range(1, 6)])
        assert list(trex.ports[0].streams) == [1, 2, 3, 4, 5]
        assert [len(methods) for methods in trex.messages[-3:]] == [2, 2, 1]


def test_a_refusal_carries_the_servers_words_and_code() -> None:
    with SimulatedTrex() as trex, connected(trex.server) as client:
        with pytest.raises(RemoteError, match="refused start_traffic: please acquire the port") as refused:
            client.start((0,), Rate(1000, "pps"))
        assert refused.value.code == -32000
        with pytest.raises(RemoteError, match="Method no_such not registered") as unknown:
            client.call("no_such")
        assert unknown.value.code == -32601


def test_one_failing_member_of_a_batch_does_not_hide_that_the_others_ran() -> None:
    with SimulatedTrex() as trex, connected(trex.server) as client:
        client.acquire((0,))
        with pytest.raises(RemoteError, match="no_such"):
            client.batch([Call("no_such"), Call("get_version")])
        assert trex.messages[-1] == ["no_such", "get_version"]


def test_a_port_that_somebody_else_has_needs_force() -> None:
    with SimulatedTrex() as trex, connected(trex.server) as client, connected(trex.server) as other:
        other.user = "somebody"
        other.acquire((0, 1))
        with pytest.raises(RemoteError, match="already taken by 'somebody'"):
            client.acquire((0,))
        client.acquire((0,), force=True)
        with pytest.raises(RemoteError, match="not owned by you"):
            other.reset((0,))
        other.session_id, other.user = client.session_id + 1, client.user
        with pytest.raises(RemoteError, match="another session of"):
            other.acquire((0,))


def test_a_server_of_another_kind_is_refused_in_its_own_words() -> None:
    error = {"jsonrpc": "2.0", "id": "1", "error": {"code": -32000, "message": "no", "specific_err": "is\n'ASTF'\x01"}}
    with (
        answering(lambda n, message: json.dumps(error).encode()) as server,
        pytest.raises(RemoteError, match=r"refused api_sync_v2: is 'ASTF'"),
        connected(server),
    ):
        pass


@pytest.mark.parametrize("answer", [b"\xff\xfe", b"[1]", b"42", b"[]", pack(b"{")[:-3], b'{"id": "1", "result": {}}'])
def test_what_is_no_answer_is_a_connection_fault(answer: bytes) -> None:
    with answering(lambda n, message: answer) as server, pytest.raises(ConnectionFault), connected(server):
        pass


def test_nobody_there() -> None:
    context = zmq.Context()
    socket = context.socket(zmq.REP)
    port = socket.bind_to_random_port("tcp://127.0.0.1")
    socket.close()
    context.term()
    with (
        pytest.raises(ConnectionFault, match=rf"no generator answers at 127.0.0.1:{port} .*wirespeed generator"),
        connected(f"127.0.0.1:{port}", timeout_s=0.05),
    ):
        pass


@pytest.mark.parametrize("silent", [1, 4])
def test_a_lost_answer_is_asked_for_again_on_a_new_socket_when_that_is_safe(silent: int) -> None:
    peers: list[int] = []

    def answer(n: int, message: bytes) -> bytes | None:
        peers.append(n)
        return None if 1 <= n <= silent else reply_to(message, {"api_h": "x", "version": "v3.08"})

    with answering(answer) as server, connected(server, timeout_s=0.3) as client:
        assert client.call("get_version")["version"] == "v3.08"
    assert peers == list(range(silent + 2))


def test_what_may_not_run_twice_is_not_sent_again_and_the_next_request_works() -> None:
    received: list[str] = []

    def answer(n: int, message: bytes) -> bytes | None:
        received.append(json.loads(unpack(message)[0])["method"])
        return None if received[-1] == "acquire" else reply_to(message, {"api_h": "x", "version": "v"})

    with answering(answer) as server, connected(server, timeout_s=0.1) as client:
        with pytest.raises(ConnectionFault, match=r"stopped answering: no reply within 0\.5 s"):
            client.acquire((0,))
        assert client.call("get_version")["version"] == "v"
    assert received == ["api_sync_v2", "acquire", "get_version"]


def test_a_server_that_has_failed_is_not_waited_for_at_length_again() -> None:
    received: list[int] = []

    def answer(n: int, message: bytes) -> bytes | None:
        received.append(n)
        return None if n else reply_to(message, {"api_h": "x"})

    with answering(answer) as server, connected(server, timeout_s=0.2) as client:
        for sent in (5, 1, 1):
            before = len(received)
            with pytest.raises(ConnectionFault, match="stopped answering: no reply within 1 s"):
                client.call("get_version")
            assert len(received) - before == sent


def test_a_request_that_may_not_run_twice_is_waited_for_as_long_as_others() -> None:
    release = threading.Event()

    def answer(n: int, message: bytes) -> bytes | None:
        if json.loads(unpack(message)[0])["method"] == "acquire":
            release.wait()
        return reply_to(message, {"api_h": "x"})

    with answering(answer) as server, connected(server, timeout_s=2.0) as client:
        timer = threading.Timer(2.5, release.set)
        timer.start()
        client.acquire((0,))
        timer.join()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A shell has what it runs in the background ignore SIGINT, and Python leaves that so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_while_waiting_leaves_the_client_usable() -> None:
    def answer(n: int, message: bytes) -> bytes | None:
        if n == 1:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            return None
        return reply_to(message, {"api_h": "x", "version": "v"})

    with answering(answer) as server, connected(server) as client:
        with pytest.raises(KeyboardInterrupt):
            client.call("get_version")
        assert client.call("get_version")["version"] == "v"


def test_an_interrupt_while_a_socket_is_made_does_not_keep_the_client_from_ending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The socket is there, and nobody's: who ends its context waits for ever."""
    made = zmq.Context.socket
    kept = []

    def cut_short(*given: Any) -> None:
        kept.append(made(*given))  # as the interrupt's traceback does
        raise KeyboardInterrupt

    monkeypatch.setattr(zmq.Context, "socket", cut_short)

    def connect() -> None:
        with suppress(KeyboardInterrupt), connected("127.0.0.1:9"):
            pass

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    thread.join(5.0)
    assert not thread.is_alive()
    for socket in kept:
        socket.close()


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("10.0.0.1", ("10.0.0.1", 4501)),
        ("trex.lab:4601", ("trex.lab", 4601)),
        ("::1", ("[::1]", 4501)),
        ("[::1]:4600", ("[::1]", 4600)),
        ("[fe80::2]", ("[fe80::2]", 4501)),
    ],
)
def test_servers(text: str, server: tuple[str, int]) -> None:
    assert parse_server(text) == server


@pytest.mark.parametrize("text", ["", ":4501", "host:", "host:http", "host:0", "host:65536", "a b", "tcp://host:1"])
def test_what_is_no_server(text: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        parse_server(text)


@pytest.mark.parametrize("key", ["intended_packets", "asked_packets"])  # the latter of older generators
def test_what_a_port_pushed_beside_its_streams_is_no_part_of_what_they_sent(key: str) -> None:
    raw = {"opackets": 105, "ipackets": 103, "obytes": 6720, "ibytes": 6592, "oerrors": 0, "ierrors": 0}
    told = port_stats({**raw, key: 106, "pushed_packets": 5, "pushed_bytes": 320, "refused_packets": 1})
    assert (told.opackets, told.obytes, told.intended, told.refused) == (100, 6400, 101, 1)
    of_a_trex = port_stats(raw)
    assert (of_a_trex.opackets, of_a_trex.obytes, of_a_trex.intended) == (105, 6720, None)
