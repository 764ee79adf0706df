"""T-Rex's JSON-RPC 2.0: one message in, one message out. What the methods do is in `methods`.

Error codes and texts are T-Rex's; `specific` is the text that its clients show.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

from wirespeed.generator.framing import MAX_MESSAGE_BYTES, FramingError, pack, unpack

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
    NO_RESULTS: "No results",
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
        request = json.loads(payload, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        reply = _encode(_error(None, RpcError(PARSE_ERROR)))
    else:
        try:
            reply = _reply(request, invoke)
        except RecursionError:  # a stream nested as deep as json can read is too deep to write
            reply = _encode(_error(None, RpcError(INTERNAL_ERROR, "the answer is nested too deep")))
    if len(reply) > MAX_MESSAGE_BYTES:
        too_long = f"the answer has {len(reply)} bytes, at most {MAX_MESSAGE_BYTES} can be sent; ask for less at a time"
        reply = _encode(_error(None, RpcError(INTERNAL_ERROR, too_long)))
    return pack(reply) if compressed else reply


def _reply(request: Any, invoke: Invoke) -> bytes:
    if not isinstance(request, list):
        return _encode(_single(request, invoke))
    if not request:
        return _encode(_error(None, RpcError(INVALID_REQUEST, message="Empty batch")))
    members = [_single(member, invoke) for member in request]
    return _encode(members[0] if len(members) == 1 else members)  # T-Rex unwraps a batch of one


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


def _encode(reply: Any) -> bytes:
    return json.dumps(reply, separators=(",", ":"), allow_nan=False).encode()


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")
