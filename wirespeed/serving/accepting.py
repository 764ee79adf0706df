"""Accepting connections in an event loop, also while the process has no file descriptor left.

asyncio's own servers then try again in a tight loop and write a line for each try. An `Acceptor` stops for a second,
lets clients wait in the listener's queue, and says so once a minute.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress

from wirespeed.serving.shortage import PAUSE_S, SHORT_OF, Notice

_AT_ONCE = 64
"""Connections accepted before other work of the loop has its turn."""
Session = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Acceptor:
    """Calls `accepted` with each socket that connects to `listener`, from `start` to `stop`. `name` is for messages.

    The listener stays the caller's; `stop` does not close it.
    """

    def __init__(self, listener: socket.socket, accepted: Callable[[socket.socket], None], name: str) -> None:
        self._listener, self._accepted = listener, accepted
        self._notice = Notice(name)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._retry: asyncio.TimerHandle | None = None
        listener.setblocking(False)

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._resume()

    def stop(self) -> None:
        if self._loop is None:
            return
        self._loop.remove_reader(self._listener)
        if self._retry is not None:
            self._retry.cancel()
        self._loop = None

    def _resume(self) -> None:
        self._retry = None
        assert self._loop is not None
        self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                client, _ = self._listener.accept()
            except (BlockingIOError, InterruptedError):
                return
            except ConnectionError:
                continue
            except OSError as error:
                if error.errno not in SHORT_OF:
                    raise
                self._pause(error)
                return
            client.setblocking(False)
            self._accepted(client)

    def _pause(self, error: OSError) -> None:
        assert self._loop is not None
        self._loop.remove_reader(self._listener)
        self._retry = self._loop.call_later(PAUSE_S, self._resume)
        self._notice.say(str(error.strerror))


class StreamSessions:
    """Runs `session` for each client of a stream listener, and ends those that still run at `close`."""

    def __init__(self, listener: socket.socket, session: Session, name: str, limit: int = 1 << 16) -> None:
        """`limit` is the number of bytes that a client's line may have (asyncio.StreamReader)."""
        self._session, self._limit = session, limit
        self._tasks: set[asyncio.Task[None]] = set()
        self._acceptor = Acceptor(listener, self._begin, name)

    def start(self) -> None:
        self._acceptor.start()

    async def close(self) -> None:
        self._acceptor.stop()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, client: socket.socket) -> None:
        task = asyncio.get_running_loop().create_task(self._run(client))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, client: socket.socket) -> None:
        try:
            reader, writer = await asyncio.open_connection(sock=client, limit=self._limit)
        except OSError:
            client.close()  # it has left already
            return
        with suppress(asyncio.CancelledError):
            await self._session(reader, writer)
