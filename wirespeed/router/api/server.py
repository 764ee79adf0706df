"""The API socket: VPP's framing over a Unix stream socket, many clients, one thread that none of them may hold up.

Before each message stand 16 bytes: eight of no meaning, its length and four more of none, big endian.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import time
from itertools import count

from wirespeed.router.api.client import Client
from wirespeed.router.api.events import InterfaceEvents
from wirespeed.router.api.exchange import ProtocolFault, replies
from wirespeed.router.console import Console
from wirespeed.serving.accepting import StreamSessions
from wirespeed.serving.shortage import Notice

_HEADER = struct.Struct(">QII")
# The longest request, a route of 255 paths, has 43 kB; lines for cli_inband may be longer.
MOST_REQUEST_BYTES = 256 << 10
_MOST_CLIENTS = 256
_TURN_S = 0.002
_PIECE_BYTES = 32 << 10
# To look at all interfaces takes its time where there are many.
_LOOK_EVERY_S = 0.1
# Events for a client that reads none wait in the server, one for each interface; the rest of what it does not read
# makes it wait for its own answers.
_MOST_UNREAD_BYTES = 256 << 10


class ApiServer:
    """Serves one console at `listener`; `poll` is due once a second."""

    def __init__(self, console: Console, listener: socket.socket) -> None:
        self._console = console
        self._events = InterfaceEvents(console)
        self._numbers = count(1)
        self._streams = StreamSessions(listener, self._accept, "API socket")
        self._clients: dict[int, tuple[Client, asyncio.StreamWriter]] = {}
        self._look: asyncio.TimerHandle | None = None
        self._refusals = Notice("API socket")

    def start(self) -> None:
        self._streams.start()

    async def close(self) -> None:
        if self._look is not None:
            self._look.cancel()
        await self._streams.close()

    def poll(self) -> None:
        """Send interface events to their subscribers."""
        self._look = None
        if any(client.events_pid is not None for client, _ in self._clients.values()):
            self._events.look()
        for client, writer in self._clients.values():
            self._send_events(client, writer)

    def _poll_soon(self) -> None:
        if self._look is None:
            self._look = asyncio.get_running_loop().call_later(_LOOK_EVERY_S, self.poll)

    def _send_events(self, client: Client, writer: asyncio.StreamWriter) -> None:
        if writer.transport.get_write_buffer_size() < _MOST_UNREAD_BYTES:
            for message in self._events.take(client):
                writer.write(_framed(message))

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Client(self._console, next(self._numbers))
        if len(self._clients) >= _MOST_CLIENTS:
            if self._refusals.is_due():
                text = f"API: {_MOST_CLIENTS} clients are there already; further ones are refused"
                self._console.messages.warn("api", text)
            writer.close()
            return
        self._clients[client.number] = client, writer
        try:
            await self._serve(client, reader, writer)
        except ProtocolFault as fault:
            self._console.messages.warn("api", f"API client {client.name or client.number} is let go: {fault}")
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            error.__traceback__ = None  # its frames know the stream, which knows it
        except asyncio.CancelledError:
            pass  # the router ends, and asyncio would call a session that ended by that a fault
        finally:
            del self._clients[client.number]
            self._events.forget(client)
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _serve(self, client: Client, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not client.is_leaving:
            _, length, _ = _HEADER.unpack(await reader.readexactly(_HEADER.size))
            if length > MOST_REQUEST_BYTES:
                raise ProtocolFault(f"a message of {length} bytes is too long; at most {MOST_REQUEST_BYTES} are read")
            data = await reader.readexactly(length)
            was_wanting = client.events_pid is not None
            await _answer(client, data, writer)
            if client.events_pid is not None and not was_wanting:
                self._events.begin(client)
            self._poll_soon()
            # Requests that came at once are in the reader already, and reading them would not wait.
            await asyncio.sleep(0)


async def _answer(client: Client, data: bytes, writer: asyncio.StreamWriter) -> None:
    """All that answers one message, in pieces; a client that does not read them waits, and only it."""
    piece = bytearray()
    turn_ends = time.monotonic() + _TURN_S
    for message in replies(client, data):
        if isinstance(message, bytes):
            piece += _framed(message)
        elif message is not None:
            await asyncio.sleep(message)
        is_over = time.monotonic() >= turn_ends
        if len(piece) >= _PIECE_BYTES or (piece and is_over):
            writer.write(piece)
            piece = bytearray()
            await writer.drain()
        if is_over:
            await asyncio.sleep(0)
            turn_ends = time.monotonic() + _TURN_S
    if piece:
        writer.write(piece)
        await writer.drain()


def _framed(message: bytes) -> bytes:
    return _HEADER.pack(0, len(message), 0) + message
