"""From a client's message to the messages that answer it, without a socket."""

from __future__ import annotations

import struct
import traceback
from collections.abc import Generator, Iterator, Mapping
from typing import Any

from wirespeed.errors import WirespeedError
from wirespeed.router.api import HANDLERS
from wirespeed.router.api.client import Client
from wirespeed.router.api.registry import Handler
from wirespeed.router.api.retvals import Refusal, Retval, retval_of
from wirespeed.vpp_api.codec import CodecError, Values, coder, number_of
from wirespeed.vpp_api.declarations import ApiMessage
from wirespeed.vpp_api.table import TABLE

_HEADS = struct.Struct(">HII")


class ProtocolFault(Exception):
    """The client speaks something else; there is no going on with it."""


def replies(client: Client, data: bytes) -> Iterator[bytes | float | None]:
    """The messages that answer one; None lets others have their turn, seconds are to be waited. ProtocolFault for what
    cannot be answered; a message that nothing answers to has none, as with VPP."""
    try:
        message = TABLE.by_number.get(number_of(data))
    except CodecError as error:
        raise ProtocolFault(str(error)) from None
    if message is None:
        raise ProtocolFault(f"there is no message {number_of(data)}")
    if not client.is_greeted and message.name != "sockclnt_create":
        raise ProtocolFault(f"{message.name} came before sockclnt_create")
    handler = HANDLERS.get(message.name)
    if handler is None:
        return
    try:
        request = coder(message.name).unpack(data)
    except CodecError as error:
        if len(data) < _HEADS.size:
            raise ProtocolFault(str(error)) from None
        request = Values(context=_HEADS.unpack_from(data)[2])
        yield from _refusal(message, request, Retval.INVALID_VALUE)
        return
    try:
        yield from _answers(client, handler, message, request)
    finally:
        if handler.changes:
            client.console.changed()


def _answers(client: Client, handler: Handler, message: ApiMessage, request: Values) -> Iterator[bytes | float | None]:
    try:
        answer = handler.function(client, request)
        if message.stream is not None and isinstance(answer, Iterator):
            answer = yield from _stream(answer, message.stream, request)
        elif isinstance(answer, Iterator):
            answer = yield from _waiting(answer)
        if message.reply not in (None, "null"):
            yield _packed(message.reply, request, answer or {})
    except Refusal as refusal:
        yield from _refusal(message, request, refusal.retval)
    except WirespeedError as error:
        yield from _refusal(message, request, retval_of(error))
    except Exception:
        # A fault of ours must end neither the router nor the client's session.
        traceback.print_exc()
        yield from _refusal(message, request, Retval.UNSPECIFIED)


def _stream(answer: Iterator[Any], details: str, request: Values) -> Generator[bytes | float | None, None, Any]:
    while True:
        try:
            one = next(answer)
        except StopIteration as end:
            return end.value
        yield _packed(details, request, one) if isinstance(one, Mapping) else one


def _waiting(answer: Iterator[Any]) -> Generator[float | None, None, Any]:
    while True:
        try:
            yield next(answer)
        except StopIteration as end:
            return end.value


def _refusal(message: ApiMessage, request: Values, retval: Retval) -> Iterator[bytes]:
    """A dump of a missing object has no details, and no reply that could report the error."""
    if message.reply is not None:
        yield _packed(message.reply, request, {"retval": retval})


def _packed(name: str, request: Values, fields: Mapping[str, Any]) -> bytes:
    return coder(name).pack({"context": request.get("context", 0), **fields})
