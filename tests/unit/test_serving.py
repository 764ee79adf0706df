"""Servers of wirespeed: clients that hold connections, processes without file descriptors, requests from web pages."""

from __future__ import annotations

import asyncio
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from harness.descriptors import few_descriptors
from harness.serving import served
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from wirespeed.serving import http
from wirespeed.serving.accepting import StreamSessions
from wirespeed.serving.guard import Guard, is_served
from wirespeed.serving.http import HttpServer


@pytest.mark.parametrize(
    ("host", "at", "served"),
    [
        ("127.0.0.1:80", "127.0.0.1", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("localhost:8443", "127.0.0.1", True),
        ("[::1]:8443", "::1", True),
        ("[::1]", "127.0.0.1", True),
        (socket.gethostname(), "0.0.0.0", True),
        ("192.0.2.7:80", "0.0.0.0", True),
        ("192.0.2.7:80", "127.0.0.1", False),
        ("evil.example:8443", "127.0.0.1", False),
        ("evil.example", "0.0.0.0", False),
        ("", "127.0.0.1", False),
    ],
)
def test_a_server_answers_to_names_of_its_machine_only(host: str, at: str, served: bool) -> None:
    assert is_served(host, at) is served


async def _echo(request: Request) -> Response:
    return PlainTextResponse((await request.body()).decode() or "nothing")


@contextmanager
def serving() -> Iterator[int]:
    """The port of a server that echoes."""
    app = Guard(
        Starlette(routes=[Route("/", _echo, methods=["GET", "POST"])]),
        "127.0.0.1",
        lambda status, reason: PlainTextResponse(reason, status),
        ("GET", "POST"),
    )
    with served(HttpServer(app, "echo")) as port:
        yield port


def ask(port: int, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", body, named)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_requests_of_web_pages_of_other_sites_are_refused() -> None:
    json = "application/json"
    with serving() as port:
        own = f"http://127.0.0.1:{port}"
        assert ask(port) == (200, "nothing")
        assert ask(port, b"{}", Content_Type=json) == (200, "{}")
        assert ask(port, b"{}", Content_Type="application/json; charset=utf-8", Origin=own) == (200, "{}")
        for refused, headers in {
            415: {"Content_Type": "text/plain"},
            403: {"Content_Type": json, "Origin": "http://evil.example"},
            421: {"Content_Type": json, "Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"},
        }.items():
            assert ask(port, b"{}", **headers)[0] == refused
        assert ask(port, b"{}", Content_Type=json, Origin="null")[0] == 403
        assert ask(port, b"{}")[0] == 415  # a form, as urllib says by itself
        assert ask(port, Host="evil.example")[0] == 421


def test_half_requests_keep_out_nobody() -> None:
    with serving() as port, ExitStack() as held:
        for number in range(http.MOST_CONNECTIONS + 20):
            half = held.enter_context(socket.create_connection(("127.0.0.1", port)))
            half.sendall(b"GET / HTTP/1.1\r\n" if number % 2 else b"POST / HTTP/1.1\r\nContent-Le")
        assert ask(port) == (200, "nothing")


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"]
)
def test_a_request_that_never_ends_is_ended(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "REQUEST_S", 0.2)
    with serving() as port, socket.create_connection(("127.0.0.1", port)) as half:
        half.sendall(sent)
        half.settimeout(60)
        with pytest.raises(ConnectionResetError):
            while half.recv(4096):
                pass
            raise ConnectionResetError


class CountingSocket(socket.socket):
    tries = 0

    def accept(self) -> tuple[socket.socket, object]:
        self.tries += 1
        return super().accept()


def test_a_listener_without_descriptors_waits_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Clients that connect in the meantime are served once others have disconnected."""
    monkeypatch.setattr("wirespeed.serving.accepting.PAUSE_S", 0.5)
    path = str(tmp_path / "socket")
    ended: list[asyncio.StreamWriter] = []

    async def session(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(line)
        writer.close()
        await writer.wait_closed()
        ended.append(writer)

    async def scenario() -> None:
        with CountingSocket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(64)
            sessions = StreamSessions(listener, session, "test socket")
            clients = [socket.socket(socket.AF_UNIX) for _ in range(20)]
            with few_descriptors(10):
                sessions.start()
                for client in clients:
                    client.connect(path)
                    client.sendall(b"hello\n")
                while not (said := capsys.readouterr().err):
                    await asyncio.sleep(0.01)
                assert said.startswith("wirespeed: test socket: Too many open files; new clients are not served")
                for _ in range(4):
                    tries = listener.tries
                    for _ in range(1000):
                        await asyncio.sleep(0)
                    assert listener.tries <= tries + 1  # one for each pause that ended meanwhile
                assert capsys.readouterr().err == ""
            for client in clients:
                client.setblocking(False)
                assert await asyncio.get_running_loop().sock_recv(client, 16) == b"hello\n"
                client.close()
            while len(ended) < len(clients):
                await asyncio.sleep(0.01)
            await sessions.close()

    asyncio.run(scenario())
