"""VPP's client at the control socket, and delayed clients of wirespeed."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from fake_router import FakeRouterCore
from harness.waiting import PATIENCE_S
from hypothesis import given
from hypothesis import strategies as st
from router_process import RouterProcess
from vppctl import vppctl, without_telnet

from wirespeed.router.client import ask
from wirespeed.router.console import Console
from wirespeed.router.protocol import decode
from wirespeed.router.server import answer_line
from wirespeed.router.telnet import GREETING, Decoder, TelnetSession

_XTERM = bytes((255, 250, 24, 0)) + b"xterm" + bytes((255, 240))
_WINDOW = bytes((255, 251, 31, 255, 250, 31, 0, 80, 0, 24, 255, 240))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with RouterProcess(tmp_path_factory.mktemp("telnet") / "cli.sock") as process:
        yield process.control


def test_a_script_has_text_and_nothing_else(path: Path) -> None:
    assert vppctl(path, "set interface state e0 up") == ""
    assert vppctl(path, "show interface address") == ask(path, "show interface address")
    assert vppctl(path, "show nonsense").startswith("word 2, 'nonsense', is not known here")
    many = [vppctl(path, "show version\nshow plugins\nshow interface") for _ in range(20)]
    assert set(many) == {"".join(ask(path, line) for line in ("show version", "show plugins", "show interface"))}
    assert vppctl(path, "show version\nshow interface address") == ask(path, "show version") + ask(
        path, "show interface address"
    )


def test_a_client_of_ours_that_is_slow_is_served_all_the_same(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as client, client.makefile("rb") as answers:
        client.settimeout(PATIENCE_S)
        client.connect(str(path))
        assert client.recv(1) == GREETING[:1]
        client.sendall(b'{"command":"show version"}\n')
        assert decode(answers.readline())["text"].startswith("wirespeed")
        assert decode(answers.readline()) == {"end": True}


# ---- A person at a terminal


def at_terminal(talk: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]) -> bytes:
    """A user types into a session; returns the text that the session leaves to others."""

    async def both() -> bytes:
        ours, theirs = socket.socketpair()
        console = Console(FakeRouterCore())
        streams = await asyncio.open_connection(sock=ours)
        session = TelnetSession(*streams, partial(answer_line, console), console.complete, 100)
        serving = asyncio.create_task(session.serve())
        reader, writer = await asyncio.open_connection(sock=theirs)
        assert await reader.readexactly(len(GREETING)) == GREETING
        async with asyncio.timeout(PATIENCE_S):
            await talk(reader, writer)
            left = await serving
        for stream in (streams[1], writer):
            stream.close()
            await stream.wait_closed()
        console.close()
        return left

    return asyncio.run(both())


async def typed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, keys: bytes, until: bytes) -> str:
    writer.write(keys)
    return (await reader.readuntil(until)).decode()


def test_a_person_has_echo_prompt_completion_help_and_history() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await typed(reader, writer, _WINDOW + _XTERM, b"vpp# ") == "vpp# "
        said = await typed(reader, writer, b"show int address\r\n", b"vpp# ")
        assert said == "show int address\r\ne0 (dn):\r\ne1 (dn):\r\nvpp# "
        said = await typed(reader, writer, b"show vex\x7fr\t", b"version ")
        assert said == "show vex\r\x1b[Kvpp# show ver\r\x1b[Kvpp# show version "
        assert "Current PID" in await typed(reader, writer, b"verb\t\r", b"\r\nvpp# ")
        assert "<interface>" in await typed(reader, writer, b"show int ?", b"vpp# show int ")
        assert await typed(reader, writer, b"\x15", b"vpp# ") == "\r\x1b[Kvpp# "
        assert await typed(reader, writer, b"\x1b[A\x1b[A", b"show int address") == (
            "\r\x1b[Kvpp# show version verbose \r\x1b[Kvpp# show int address"
        )
        assert await typed(reader, writer, b"\x17", b"show int") == "\r\x1b[Kvpp# show int"
        assert await typed(reader, writer, b"\x03", b"vpp# ") == "\r\nvpp# "
        assert "is not known here" in await typed(reader, writer, b"nonsense\r", b"\r\nvpp# ")
        assert "show" in await typed(reader, writer, b"s\t", b"vpp# s")
        assert await typed(reader, writer, b"\x15quit\r\n", b"quit\r\n") == "\r\x1b[Kvpp# quit\r\n"

    assert at_terminal(talk) == b""


@pytest.mark.parametrize(("keys", "left"), [(b"{", b"{"), (b"\x04", b""), (b"quit\n", b"")])
def test_who_names_no_terminal_is_prompted_after_a_while_or_is_a_client_of_ours(
    keys: bytes, left: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirespeed.router.telnet._PATIENCE_S", 0.0)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"vpp# ")
        writer.write(keys)

    assert at_terminal(talk) == left


def test_a_request_that_comes_late_is_left_to_others() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'{"command":"show version"}\n')

    assert at_terminal(talk) == b"{"


# ---- Telnet


@given(st.lists(st.sampled_from([_XTERM, _WINDOW, b"show", b" ", bytes((255, 253, 1)), bytes((255, 241))])), st.data())
def test_commands_are_taken_out_however_they_come_in_pieces(parts: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=5)))
    decoder, kept = Decoder(), b""
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        kept += decoder.feed(stream[start:end])
    assert kept == b"".join(part for part in parts if part[0] != 255)
    assert decoder.terminal == ("xterm" if _XTERM in parts else None)


def test_an_option_without_an_end_is_given_up() -> None:
    decoder = Decoder()
    assert decoder.feed(bytes((255, 250, 24))) == b""
    assert decoder.feed(b"x" * 300).endswith(b"x" * 299)


def test_what_a_script_reads_bears_no_commands() -> None:
    assert without_telnet(GREETING) == b""
