"""The control socket of a running router, and the loop that its main thread sleeps in."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirespeed._native.port_checks import listens
from wirespeed.errors import EnvironmentFault, UsageError, WirespeedError
from wirespeed.later import Later
from wirespeed.router.console import Console
from wirespeed.router.pause import Pause
from wirespeed.router.protocol import MAX_REQUEST_BYTES, encode
from wirespeed.router.stats_socket import StatsServer
from wirespeed.serving.accepting import StreamSessions

if TYPE_CHECKING:
    from wirespeed.router import telnet
    from wirespeed.router.api import server as api_server
else:
    api_server = Later("wirespeed.router.api.server")
    telnet = Later("wirespeed.router.telnet")

_PERIOD_S = 1.0
_FIRST_BYTE_S = 0.2
_PIECE_CHARACTERS = 65_536


def open_socket(
    path: Path,
    what: str = "control socket",
    option: str = "--socket",
    kind: socket.SocketKind = socket.SOCK_STREAM,
) -> socket.socket:
    """Listen at `path`, for this user only. EnvironmentFault if another router listens there, or the file belongs to
    another program."""
    listener = socket.socket(socket.AF_UNIX, kind)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.is_socket():
            if listens(path, kind):
                raise EnvironmentFault(f"a router listens at {path} already; give this one a {option} of its own")
            path.unlink()
        elif path.exists():
            raise EnvironmentFault(f"{what} {path} exists and is not a socket; give another {option}")
        _bind_privately(listener, path)
        listener.listen(128)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise EnvironmentFault(f"{what} {path} cannot be made: {reason}; give another {option}") from None
    except EnvironmentFault:
        listener.close()
        raise
    return listener


def open_telnet(host: str, port: int) -> socket.socket:
    """Listen for VPP's client at a TCP port. EnvironmentFault where that cannot be."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise EnvironmentFault(
            f"cli-listen {host}:{port} cannot be opened: {error.strerror}; give another port"
        ) from None


def _bind_privately(listener: socket.socket, path: Path) -> None:
    """The socket has its mode from the first moment, so no other user can connect in between."""
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)


def serve(
    console: Console,
    listener: socket.socket,
    ready: Callable[[], None],
    poll_interval_s: float = _PERIOD_S,
    stats: StatsServer | None = None,
    api: socket.socket | None = None,
    terminals: socket.socket | None = None,
) -> None:
    """Answer at the socket, VPP's client at `terminals` besides, clients of the binary API at theirs, and hand out the
    statistics at theirs, until SIGINT, SIGTERM or SIGHUP. Nothing else wakes the thread but the core's events and a
    timer once a second or `poll_interval_s`, or more often while packets are sampled, for it may share its CPU with a
    worker."""
    asyncio.run(_serve(console, listener, ready, min(poll_interval_s, _PERIOD_S), stats, api, terminals))


async def _serve(
    console: Console,
    listener: socket.socket,
    ready: Callable[[], None],
    poll_interval_s: float,
    stats: StatsServer | None,
    api_listener: socket.socket | None,
    terminals: socket.socket | None,
) -> None:
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # nohup
            loop.add_signal_handler(number, ended.set)
    loop.add_reader(console.core.event_fd(), console.core.poll)
    loop.add_reader(console.core.links_fd(), _follow_links, console)
    controls = console.controls.values()
    for control in controls:
        control.serve(loop)
    sessions = [StreamSessions(listener, partial(_session, console), "control socket", MAX_REQUEST_BYTES)]
    if terminals is not None:
        sessions.append(StreamSessions(terminals, partial(_terminal, console), "cli-listen", MAX_REQUEST_BYTES))
    for session in sessions:
        session.start()
    if stats is not None:
        stats.start()
    api = None if api_listener is None else _Api(console, api_listener)
    ready()
    try:
        sample_at = loop.time() + _PERIOD_S
        while not ended.is_set():
            wait_s = min([poll_interval_s, *(control.interval_s() for control in controls)])
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), wait_s)
            _poll(console)
            for control in controls:
                control.tick()
            if wait_s == _PERIOD_S or loop.time() >= sample_at:
                sample_at = loop.time() + _PERIOD_S
                console.statistics.sample()
                for control in controls:
                    control.each_second()
                if api is not None:
                    api.poll()
    finally:
        if stats is not None:
            stats.stop()
        if api is not None:
            await api.close()
        loop.remove_reader(console.core.event_fd())
        loop.remove_reader(console.core.links_fd())
        for session in sessions:
            await session.close()


def _poll(console: Console) -> None:
    """One poll of the core; report its findings."""
    console.core.poll()
    for conflict in console.core.ip6.dad_conflicts():
        name = console.core.interface(conflict.interface).name
        text = f"interface {name}: {conflict.address} is the address of {conflict.mac}; it is not used here"
        console.messages.warn("ip6", text)


def _follow_links(console: Console) -> None:
    for index in console.core.follow_links():
        port = console.core.port(index)
        text = f"interface {port.name}: its device {port.bus_address} was removed; the others go on"
        console.messages.warn("interface", text)
    console.changed()


class _Api:
    """The binary API, which is imported when its first client connects."""

    def __init__(self, console: Console, listener: socket.socket) -> None:
        self._console, self._listener = console, listener
        self._server: api_server.ApiServer | None = None
        listener.setblocking(False)
        asyncio.get_running_loop().add_reader(listener, self._start)

    def _start(self) -> None:
        asyncio.get_running_loop().remove_reader(self._listener)
        self._server = api_server.ApiServer(self._console, self._listener)
        self._server.start()

    def poll(self) -> None:
        if self._server is not None:
            self._server.poll()

    async def close(self) -> None:
        if self._server is None:
            asyncio.get_running_loop().remove_reader(self._listener)
        else:
            await self._server.close()


async def _session(console: Console, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One client, until it goes."""
    try:
        first = await _first(console, reader, writer)
        line = b"" if first is None else first + await reader.readline()
        while line:
            for number, messages in enumerate(requests(console, line)):
                # A client that is gone wants no more of the commands that it gave together.
                if (number and reader.at_eof()) or not await _send(messages, writer):
                    break
            line = await reader.readline()
    except ValueError:
        writer.write(encode({"error": f"a request has at most {MAX_REQUEST_BYTES} bytes", "exit_code": 2}))
    except ConnectionError as error:
        _let_go(error)
    finally:
        await _close(writer)


async def _terminal(console: Console, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One client at a TCP port, until it goes."""
    run = partial(answer_line, console)
    try:
        await telnet.TelnetSession(reader, writer, run, console.complete, MAX_REQUEST_BYTES).serve_telnet()
    except ConnectionError as error:
        _let_go(error)
    finally:
        await _close(writer)


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    try:
        await writer.wait_closed()
    except ConnectionError as error:
        _let_go(error)


async def _first(console: Console, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | None:
    """The first byte of requests. VPP's client waits for the router to speak first: None once it was served."""
    try:
        return await asyncio.wait_for(reader.read(1), _FIRST_BYTE_S)
    except TimeoutError:
        run = partial(answer_line, console)
        return await telnet.TelnetSession(reader, writer, run, console.complete, MAX_REQUEST_BYTES).serve() or None


def answer_line(console: Console, line: str) -> Iterator[dict[str, Any]]:
    """The messages that answer one line of a client of VPP's."""
    return _guarded(_execution(console, Path("/"), line))


async def _send(messages: Iterator[dict[str, Any]], writer: asyncio.StreamWriter) -> bool:
    """True if the request succeeded."""
    message: dict[str, Any] = {}
    for message in messages:
        if "pause" in message:
            await asyncio.sleep(message["pause"])
            continue
        writer.write(encode(message))
        await writer.drain()
        # A long table must keep neither other clients nor the core's events waiting.
        await asyncio.sleep(0)
    return "error" not in message


def _let_go(error: ConnectionError) -> None:
    """Release the frames that the error was raised through. They refer to the stream, which refers to the error. Such
    a cycle of a lost client would stay until the collector examines the oldest generation."""
    error.__traceback__ = None


def requests(console: Console, line: bytes) -> Iterator[Iterator[dict[str, Any]]]:
    """Requests in one line from a client, in order: the messages that answer each. For a "pause", the sender waits that
    many seconds."""
    try:
        request = _parse(line)
    except UsageError as error:
        yield iter([{"error": str(error), "exit_code": error.exit_code}])
        return
    if "complete" in request:
        yield _guarded(_completion(console, request["complete"]))
        return
    directory = Path(request.get("directory", "/"))
    for command in request["commands"] if "commands" in request else [request["command"]]:
        yield _guarded(_execution(console, directory, command))


def _completion(console: Console, line: str) -> Iterator[dict[str, Any]]:
    yield {"words": console.complete(line)}


def _execution(console: Console, directory: Path, line: str) -> Iterator[dict[str, Any]]:
    try:
        for piece in _pieces(console.run_from(directory, line)):
            yield {"pause": piece.seconds} if isinstance(piece, Pause) else {"text": piece}
    finally:
        console.changed()
    yield {"end": True}


def _guarded(messages: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The messages, and an error as one more."""
    try:
        yield from messages
    except WirespeedError as error:
        yield {"error": str(error), "exit_code": error.exit_code}
    except Exception as error:
        # A fault of ours must end neither the router nor the client's session.
        traceback.print_exc()
        what = f"internal error: {type(error).__name__}: {error}; the router's standard error has its traceback"
        yield {"error": what.replace("\n", " "), "exit_code": WirespeedError.exit_code}


def _parse(line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict) or not request.keys() & {"command", "commands", "complete"}:
        raise _not_a_request()
    for key, value in request.items():
        words = value if key == "commands" and isinstance(value, list) and value else [value]
        if not all(isinstance(word, str) for word in words) or (key == "commands" and words is not value):
            raise _not_a_request()
    return request


def _not_a_request() -> UsageError:
    return UsageError('a request is a JSON object with "command", "commands" or "complete" on one line')


def _pieces(lines: Iterator[str]) -> Iterator[str]:
    """Lines joined into pieces of some length, so that a long table neither fills memory nor trickles; pauses stay."""
    piece: list[str] = []
    size = 0
    for line in lines:
        if isinstance(line, Pause):
            if piece:
                yield "\n".join(piece) + "\n"
            yield line
            piece, size = [], 0
            continue
        piece.append(line)
        size += len(line) + 1
        if size >= _PIECE_CHARACTERS:
            yield "\n".join(piece) + "\n"
            piece, size = [], 0
    if piece:
        yield "\n".join(piece) + "\n"
