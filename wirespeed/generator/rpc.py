"""T-Rex's JSON-RPC 2.0: one message in, one message out. What the methods do is in `methods`.

Error codes and texts are T-Rex's; `specific` is the text that its clients show.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from wirespeed.client.framing import MAX_MESSAGE_BYTES, FramingError, pack, unpack

Json = dict[str, Any]
Invoke = Callable[[str, Json], Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
UNKNOWN_METHOD = -32601
BAD_PARAMETERS = -32602
INTERNAL_ERROR = -32603
EXECUTION_FAILED = -32000
WORK_IN_PROGRESS = -32002
NO_RESULTS = -32003

_MESSAGES = {
    PARSE_ERROR: "Bad JSON Format",
    BAD_PARAMETERS: "Bad parameters for method",
    INTERNAL_ERROR: "Internal Server Error",
    EXECUTION_FAILED: "Failed To Execute Method",
    WORK_IN_PROGRESS: "Work in progress",
    NO_RESULTS: "No results for request",
}


class RpcError(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: int, specific: str | None = None, message: str | None = None) -> None:
        self.code = code
        self.specific = specific
        self.message = message or _MESSAGES[code]
        super().__init__(specific or self.message)


def failed(specific: str) -> RpcError:
    """The request was understood and cannot be done now, or not with these values."""
    return RpcError(EXECUTION_FAILED, specific)


def bad_parameters(specific: str) -> RpcError:
    return RpcError(BAD_PARAMETERS, specific)


def answer(message: bytes, invoke: Invoke) -> bytes:
    """The reply to one message, compressed exactly when the message was.

    `invoke` runs a method with its parameters and returns what json can encode, or raises RpcError.
    """
    try:
        payload, compressed = unpack(message)
    except FramingError as error:
        return _encode(_error(None, RpcError(INTERNAL_ERROR, str(error))))
    try:
        request = json.loads(payload, parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        reply = _encode(_error(None, RpcError(PARSE_ERROR)))
    else:
        reply = _reply(request, invoke)
    return pack(reply) if compressed else reply


def _reply(request: Any, invoke: Invoke) -> bytes:
    """The answers to a request or a batch. Encoding stops if the answer becomes too long. The rest of the batch is then
    not run, since its answers could not be sent."""
    if not isinstance(request, list):
        return _answered(request, invoke, MAX_MESSAGE_BYTES) or _too_long("the answer has")
    if not request:
        return _encode(_error(None, RpcError(INVALID_REQUEST, message="Empty batch")))
    members: list[bytes] = []
    room = MAX_MESSAGE_BYTES - len(b"[]")
    for number, member in enumerate(request, start=1):
        answer = _answered(member, invoke, room)
        if answer is None:
            ran = f"the answers to {number} of {len(request)} requests, after which no other was run, have"
            return _too_long(ran if len(request) > 1 else "the answer has")
        members.append(answer)
        room -= len(answer) + len(b",")
    return members[0] if len(members) == 1 else b"[" + b",".join(members) + b"]"  # T-Rex unwraps a batch of one


def _answered(request: Any, invoke: Invoke, room: int) -> bytes | None:
    """The encoded answer to one request; None when it has more than `room` bytes."""
    reply = _single(request, invoke)
    try:
        return _encode_within(reply, room)
    except RecursionError:  # a stream nested as deep as json can read is too deep to write
        return _encode(_error(None, RpcError(INTERNAL_ERROR, "the answer is nested too deep")))
    except ValueError as fault:
        return _encode(_error(reply["id"], internal_error("what a method returned", fault)))


def _too_long(what: str) -> bytes:
    too_long = f"{what} more than {MAX_MESSAGE_BYTES} bytes, the most that can be sent; ask for less at a time"
    return _encode(_error(None, RpcError(INTERNAL_ERROR, too_long)))


def internal_error(where: str, fault: Exception) -> RpcError:
    """An internal error, which must end neither the traffic nor other sessions: it is printed on standard error, and
    answered."""
    print(f"wirespeed: internal error in {where}: {type(fault).__name__}: {fault}", file=sys.stderr)
    return RpcError(INTERNAL_ERROR, f"{type(fault).__name__}: {fault}")


def encoded_error(error: RpcError) -> bytes:
    """The answer to a message whose request is not known."""
    return _encode(_error(None, error))


def _single(request: Any, invoke: Invoke) -> Json:
    request_id = request.get("id") if isinstance(request, dict) else None
    try:
        method, params = _checked(request)
        result = invoke(method, params)
    except RpcError as error:
        return _error(request_id, error)
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def _checked(request: Any) -> tuple[str, Json]:
    if not isinstance(request, dict) or request.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, message="Invalid JSONRPC Version")
    if request.get("id") is None:
        raise RpcError(INVALID_REQUEST, message="Missing 'id' field")
    method = request.get("method")
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, message="Missing Method Name")
    params = request.get("params")
    if not isinstance(params, dict):
        raise failed("JSON-RPC2 params should be object in TRex case")
    return method, params


def _error(request_id: Any, error: RpcError) -> Json:
    body: Json = {"code": error.code, "message": error.message}
    if error.specific is not None:
        body["specific_err"] = error.specific
    return {"jsonrpc": "2.0", "id": request_id, "error": body}


_encoder = json.JSONEncoder(separators=(",", ":"), allow_nan=False)

_PIECES_DEPTH = 4
"""Depth of incremental encoding: one stream of a profile of a port, or one packet of a capture. Deeper values are
encoded at once."""


def _encode(reply: Any) -> bytes:
    return _encoder.encode(reply).encode()


def _encode_within(reply: Json, room: int) -> bytes | None:
    pieces: list[str] = []
    for piece in _pieces(reply, _PIECES_DEPTH):
        room -= len(piece)
        if room < 0:
            return None
        pieces.append(piece)
    return "".join(pieces).encode()


def _pieces(value: Any, depth: int) -> Iterator[str]:
    """JSON in pieces, so that an answer that turns out too long is not made first."""
    if not depth or not value or not isinstance(value, dict | list):
        yield _encoder.encode(value)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    for key in value:
        if isinstance(value, dict):
            yield f"{opening}{_encoder.encode(str(key))}:"
            yield from _pieces(value[key], depth - 1)
        else:
            yield opening
            yield from _pieces(key, depth - 1)
        opening = ","
    yield closing


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _finite(text: str) -> float:
    """JSON has no infinite numbers: 1e999 would become a value that no answer can contain."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is out of range for a number")
    return number
