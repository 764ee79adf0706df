"""Talking to a running router over its control socket."""

from __future__ import annotations

import contextlib
import pwd
import socket
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from wirespeed.errors import ConnectionFault, UsageError, error_of
from wirespeed.router.protocol import MAX_REQUEST_BYTES, decode, encode

_TIMEOUT_S = 60.0
_TRY_AGAIN_S = 0.01


def ask(path: Path, line: str, timeout_s: float = _TIMEOUT_S) -> str:
    """Run one command line; returns its answer. UsageError for a wrong line, ConnectionFault without a router, or when
    it says nothing for `timeout_s`."""
    return "".join(stream(path, line, timeout_s))


def stream(path: Path, line: str, timeout_s: float = _TIMEOUT_S) -> Iterator[str]:
    """The answer like `ask`, in pieces: a routing table may be long."""
    for answer in _request(path, {"command": line, "directory": str(Path.cwd())}, timeout_s):
        if "error" in answer:
            raise error_of(answer.get("exit_code", 1), answer["error"])
        yield answer.get("text", "")


def complete(path: Path, line: str) -> list[str]:
    """Words that could stand where `line` ends."""
    answers = list(_request(path, {"complete": line}))
    return [str(word) for answer in answers for word in answer.get("words", [])]


def ask_in_order(path: Path, lines: Sequence[str], timeout_s: float = _TIMEOUT_S) -> Iterator[str]:
    """Run command lines, one after the other without a round trip each; yields the answer of each. The first that is
    wrong raises as `ask` does, and none behind it is run; nor are those not begun yet once the caller goes."""
    with _connection(path, timeout_s) as connection, connection.makefile("rb") as answers:
        for some in _requests(lines):
            _send(connection, path, {"commands": some, "directory": str(Path.cwd())})
            for _ in some:
                text = []
                for answer in _answers(answers, path):
                    if "error" in answer:
                        raise error_of(answer.get("exit_code", 1), answer["error"])
                    text.append(answer.get("text", ""))
                yield "".join(text)


def _requests(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines grouped into requests of the largest size; JSON may need six bytes for one byte of a line."""
    some: list[str] = []
    size = 0
    for line in lines:
        own = 6 * len(line) + 4
        if some and size + own > MAX_REQUEST_BYTES // 2:
            yield some
            some, size = [], 0
        some.append(line)
        size += own
    if some:
        yield some


def _request(path: Path, message: dict[str, Any], timeout_s: float = _TIMEOUT_S) -> Iterator[dict[str, Any]]:
    """All answers to one request; the last one ends it."""
    with _connection(path, timeout_s) as connection, connection.makefile("rb") as answers:
        _send(connection, path, message)
        yield from _answers(answers, path)


@contextlib.contextmanager
def _connection(path: Path, timeout_s: float) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        try:
            _connect(connection, path, timeout_s)
        except OSError as error:
            raise ConnectionFault(
                f"no router answers at {path} ({_reason(path, error)}): start one with wirespeed router, "
                "or name its socket with --socket"
            ) from None
        yield connection


def _send(connection: socket.socket, path: Path, message: dict[str, Any]) -> None:
    request = encode(message)
    if len(request) > MAX_REQUEST_BYTES:
        raise UsageError(f"a command has at most {MAX_REQUEST_BYTES} bytes here, not {len(request)}; give it in parts")
    try:
        connection.sendall(request)
    except OSError as error:
        raise _gone(path, error) from None


def _answers(answers: BinaryIO, path: Path) -> Iterator[dict[str, Any]]:
    while True:
        try:
            line = answers.readline()
        except OSError as error:
            raise _gone(path, error) from None
        if not line:
            raise ConnectionFault(f"the router at {path} ended before its answer was complete; see its log")
        answer = decode(line)
        yield answer
        if "text" not in answer:
            return


def _gone(path: Path, error: OSError) -> ConnectionFault:
    if isinstance(error, TimeoutError):
        return ConnectionFault(f"the router at {path} did not answer in time; see its log")
    return ConnectionFault(f"the router at {path} went away: {error}")


def _connect(connection: socket.socket, path: Path, timeout_s: float) -> None:
    """Retry if the queue of the socket is full: with a timeout on the socket, Linux refuses at once."""
    end_s = time.monotonic() + timeout_s
    while True:
        try:
            connection.connect(str(path))
        except BlockingIOError:
            if time.monotonic() >= end_s:
                raise
            time.sleep(_TRY_AGAIN_S)
        else:
            return


def _reason(path: Path, error: OSError) -> str:
    with contextlib.suppress(OSError):
        status = path.stat()
        if not stat.S_ISSOCK(status.st_mode):
            return "it is not a socket"
        if isinstance(error, BlockingIOError):
            return "it takes no more connections"
        if isinstance(error, PermissionError):
            with contextlib.suppress(KeyError):
                return f"it belongs to user {pwd.getpwuid(status.st_uid).pw_name}"
    return error.strerror or str(error)
