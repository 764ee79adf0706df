"""An ASGI application over HTTP or HTTPS, by uvicorn, so that clients which hold their connections keep out nobody.

A request that is not whole after `REQUEST_S` ends its connection. Where there are `MOST_CONNECTIONS`, the oldest one
without a whole request makes room for the next.
"""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from wirespeed.serving.accepting import Acceptor

REQUEST_S = 10.0
"""Time from a connection, or from the first byte of a later request, to the end of the request. A body of 4 MiB over
loopback takes a hundredth of that."""
MOST_CONNECTIONS = 256
END_S = 1
"""Time that running answers have when the server is told to end."""


class HttpServer(uvicorn.Server):
    """Serves `app` on listening sockets. `name` is for messages, `ending` the signals that end it.

    Without `ending` it runs in any thread, until `should_exit` is set.
    """

    def __init__(
        self,
        app: ASGIApp,
        name: str,
        *,
        ending: Sequence[signal.Signals] = (),
        lifespan: bool = False,
        certificate: Path | None = None,
        key: Path | None = None,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=_protocol(),
                ws="none",
                log_level="critical",
                access_log=False,
                lifespan="on" if lifespan else "off",
                server_header=False,
                timeout_graceful_shutdown=END_S,
                ssl_certfile=certificate,
                ssl_keyfile=key,
            )
        )
        self._name, self._ending = name, ending
        self._acceptors: list[Acceptor] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=[])
        self._acceptors = [Acceptor(made, self._serve_client, self._name) for made in sockets or ()]
        for acceptor in self._acceptors:
            acceptor.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for acceptor in self._acceptors:
            acceptor.stop()
        await super().shutdown(sockets=sockets)

    def _serve_client(self, client: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(self._connect(client))
        self.server_state.tasks.add(task)
        task.add_done_callback(self.server_state.tasks.discard)

    async def _connect(self, client: socket.socket) -> None:
        def made() -> asyncio.Protocol:
            return self.config.http_protocol_class(  # type: ignore[call-arg]
                config=self.config, server_state=self.server_state, app_state=self.lifespan.state
            )

        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                made, client, ssl=self.config.ssl, ssl_handshake_timeout=REQUEST_S if self.config.ssl else None
            )
        except (OSError, EOFError):
            client.close()  # no client of HTTP, or one that has left

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """uvicorn's own raises the signal once more at the end; a server that was told to end has ended well."""
        before = {number: signal.signal(number, self.handle_exit) for number in self._ending}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _protocol() -> type[H11Protocol]:
    """uvicorn's protocol with a time limit for requests. `unfinished` are the connections without a whole request, in
    order of age."""
    unfinished: dict[H11Protocol, asyncio.TimerHandle] = {}

    class TimedProtocol(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > MOST_CONNECTIONS and unfinished:
                next(iter(unfinished)).transport.abort()
            self._expect_request()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
                self._forget()
            elif self not in unfinished:
                self._expect_request()

        def _expect_request(self) -> None:
            unfinished[self] = self.loop.call_later(REQUEST_S, self.transport.abort)

        def _forget(self) -> None:
            timer = unfinished.pop(self, None)
            if timer is not None:
                timer.cancel()

    return TimedProtocol


def listening(host: str, port: int, backlog: int = 128) -> socket.socket:
    """A TCP socket that listens at `host` and `port`. OSError when it cannot be had."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    made = socket.socket(family, kind)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(backlog)
    except OSError:
        made.close()
        raise
    return made
