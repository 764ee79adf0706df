"""The API socket: a router process on a core that forwards nothing, and clients of every kind,
including faulty ones.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_by_hand import ByHand
from hypothesis import given, settings
from hypothesis import strategies as st
from router_process import RouterProcess

from wirespeed.router.api.server import MOST_REQUEST_BYTES
from wirespeed.router.client import ask
from wirespeed.vpp_api.table import TABLE

SHOW_VERSION, PING, DUMP = "show_version_51077d14", "control_ping_51077d14", "sw_interface_dump_aa610c27"
ALL_INTERFACES = struct.pack(">I?I", 0xFFFFFFFF, False, 0)
LOOPBACKS = 2000


class Router(RouterProcess):
    def __init__(self, directory: Path) -> None:
        api = directory / "api.sock"
        super().__init__(directory / "router.sock", api, loopbacks=LOOPBACKS)
        self.api: Path = api

    def memory_kb(self) -> int:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


@pytest.fixture(scope="module")
def router(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Router]:
    with Router(tmp_path_factory.mktemp("api")) as made:
        yield made
        with ByHand(made.api):  # one that stays to the end
            made.end(signal.SIGTERM)
    assert "Traceback" not in made.log.read_text(), made.log.read_text()


def is_served(router: Router) -> bool:
    with ByHand(router.api) as client:
        number, body = client.ask(SHOW_VERSION, context=7)
        return number == client.numbers["show_version_reply_c919bde1"] and body[4:13] == b"wirespeed"


def test_the_socket_is_the_users_alone(router: Router) -> None:
    assert router.api.stat().st_mode & 0o777 == 0o600


def test_a_client_that_knows_the_description_alone_is_answered(router: Router) -> None:
    with ByHand(router.api) as client:
        assert client.numbers == {TABLE.signature(name): number for name, number in TABLE.numbers.items()}
        _, body = client.ask(PING, context=0x01020304)
        assert struct.unpack(">iII", body) == (0, client.index, router.pid)
        _, body = client.ask("cli_inband_f8377302", struct.pack(">I", 11) + b"sh int mode")
        retval, length = struct.unpack_from(">iI", body)
        assert retval == -1 and len(body) == 8 + length
        assert client.ask("sockclnt_delete_8ac76db6", struct.pack(">I", client.index))[1] == bytes(4)
        with pytest.raises(EOFError):
            client.receive()


def test_replies_keep_the_order_of_requests(router: Router) -> None:
    with ByHand(router.api) as client:
        for context in range(100):
            client.send(PING, context=context)
        contexts = [struct.unpack_from(">HI", client.receive())[1] for _ in range(100)]
    assert contexts == list(range(100))


def test_a_dump_ends_with_the_ping_behind_it(router: Router) -> None:
    with ByHand(router.api) as client:
        client.send(DUMP, ALL_INTERFACES, context=5)
        client.send(PING, context=6)
        seen = []
        while struct.unpack_from(">H", reply := client.receive())[0] != client.numbers["control_ping_reply_f6b0b8ca"]:
            seen.append(struct.unpack_from(">HII", reply)[2])
    assert seen[:3] == [0, 1, 2]  # local0 and the ports
    assert len(seen) == len(set(seen)) == LOOPBACKS + 3


def test_a_slow_reader_waits_alone_and_takes_no_memory(router: Router) -> None:
    assert is_served(router)
    before = router.memory_kb()
    with ByHand(router.api) as slow:
        slow.socket.settimeout(0.5)
        with pytest.raises(TimeoutError):
            while True:
                slow.send(DUMP, ALL_INTERFACES)  # each of 600 kB, none of which it reads
        assert is_served(router)
        assert ask(router.control, "show version").startswith("wirespeed")
        assert router.memory_kb() - before < 8192
    assert is_served(router)


@pytest.mark.parametrize("length", [MOST_REQUEST_BYTES + 1, 2**31, 2**32 - 1])
def test_a_length_that_no_message_has_ends_the_client_alone(router: Router, length: int) -> None:
    with ByHand(router.api) as client:
        client.socket.sendall(struct.pack(">QII", 0, length, 0) + bytes(64))
        with pytest.raises((EOFError, ConnectionError)):
            client.receive()
    assert is_served(router)


def test_halves_of_messages_and_early_ends_are_nobodys_trouble(router: Router) -> None:
    whole = struct.pack(">QIIHI64s", 0, 70, 0, 15, 1, b"half")
    waiting = []
    for end in (0, 1, 15, 16, 17, 40, len(whole) - 1):
        half = socket.socket(socket.AF_UNIX)
        half.connect(str(router.api))
        half.sendall(whole[:end])
        waiting.append(half)
    assert is_served(router)
    for half in waiting:
        half.close()
    with ByHand(router.api) as client:
        client.send(DUMP, ALL_INTERFACES)
        client.socket.close()
    assert is_served(router)


def test_what_comes_before_the_greeting_is_not_answered(router: Router) -> None:
    with socket.socket(socket.AF_UNIX) as early:
        early.connect(str(router.api))
        early.sendall(struct.pack(">QIIHII", 0, 10, 0, TABLE.numbers["show_version"], 0, 1))
        assert early.recv(1) == b""
    assert "came before sockclnt_create" in router.log.read_text()


_NUMBERS = st.sampled_from(sorted(TABLE.numbers.values()))
# Messages that change the router's process, not its tables, are excluded.
_HARMLESS = [name for name in TABLE.numbers if name not in ("cli_inband", "sockclnt_delete", "tap_create_v3")]


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.binary(max_size=300), st.builds(lambda n, body: struct.pack(">H", n) + body, _NUMBERS, st.binary()))
)
def test_hostile_bytes_end_at_most_their_own_client(router: Router, message: bytes) -> None:
    if len(message) >= 2:
        known = TABLE.by_number.get(struct.unpack_from(">H", message)[0])
        if known is not None and known.name not in _HARMLESS:
            return
    with ByHand(router.api) as client:
        client.send_raw(message)
        try:
            client.send(PING, context=0xFEEDBEEF)
            while struct.unpack_from(">HI", client.receive())[1] != 0xFEEDBEEF:
                pass
        except (EOFError, ConnectionError):
            assert is_served(router)


def test_events_tell_what_becomes_of_interfaces(router: Router) -> None:
    with ByHand(router.api) as watcher, ByHand(router.api) as other:
        assert watcher.ask("want_interface_events_476f5a08", struct.pack(">II", 1, 4711))[1] == bytes(4)
        event = struct.Struct(">HIIII?")

        def told() -> tuple[int, int, bool]:
            number, _, pid, sw_if_index, flags, deleted = event.unpack(watcher.receive())
            assert (number, pid) == (watcher.numbers["sw_interface_event_2d3d95a7"], 4711)
            return sw_if_index, flags, deleted

        assert other.ask("sw_interface_set_flags_f5aec1b8", struct.pack(">II", 1, 1))[1] == bytes(4)
        assert told() == (1, 3, False)
        ask(router.control, "set interface state e0 down")
        assert told() == (1, 2, False)
        _, made = other.ask("create_loopback_instance_d36a3ee2", bytes(6) + struct.pack(">?I", True, 4000))
        loop = struct.unpack(">iI", made)[1]
        assert other.ask("sw_interface_set_flags_f5aec1b8", struct.pack(">II", loop, 1))[1] == bytes(4)
        assert told()[::2] == (loop, False)
        while True:
            other.ask("delete_loopback_f9e6675e", struct.pack(">I", loop))
            sw_if_index, _, deleted = told()
            assert sw_if_index == loop
            if deleted:
                break


def test_clients_that_are_too_many_are_refused_in_one_line(router: Router) -> None:
    with contextlib.ExitStack() as held:
        for _ in range(256):
            held.enter_context(ByHand(router.api))
        for _ in range(5):
            with socket.socket(socket.AF_UNIX) as refused:
                refused.connect(str(router.api))
                assert refused.recv(1) == b""
    lines = [line for line in router.log.read_text().splitlines() if "256 clients are there already" in line]
    assert len(lines) == 1, lines
