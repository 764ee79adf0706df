"""An access method to a device whose router also has VPP's binary API.

A line that begins with `vpp-api` is a message, any other line a command for the device's shell:

    vpp-api sw_interface_set_flags {"sw_if_index": "@e0", "flags": 1}

`@NAME` is replaced by the current number of the interface. A dump or reply is printed as JSON, an object or a list; a
negative reply is a failure with its number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from enum import Enum
from typing import Any

from wirespeed.dut.reach.questions import answers, asking, mark, questions_of
from wirespeed.dut.reach.reach import PATIENCE_S, Ran, Reach
from wirespeed.errors import ConnectionFault, WirespeedError
from wirespeed.vpp_api.retvals import refusal

_MESSAGE = "vpp-api "
NO_API = 127
"""Exit code of a message if the API is not available, like a shell's for a missing program."""


def message(name: str, **fields: Any) -> str:
    """The line that asks for it."""
    return f"{_MESSAGE}{name} {json.dumps(fields)}"


class ApiReach:
    """`reach` for commands, and the API at `where`, as `connected_api` has it, for messages, once one is sent."""

    def __init__(self, reach: Reach, where: str) -> None:
        self.name = reach.name
        self._reach, self._where = reach, where
        self._open = ExitStack()
        self._client: Any = None
        self._why_not = ""

    def run(self, command: str, *, stdin: str = "", timeout_s: float = PATIENCE_S) -> Ran:
        if command.startswith(_MESSAGE):
            return self._send(command)
        questions = questions_of(command)
        ours = {question: _with_reason(self._send(question)) for question in questions if question.startswith(_MESSAGE)}
        if not ours:
            return self._reach.run(command, stdin=stdin, timeout_s=timeout_s)
        others = [question for question in questions if question not in ours]
        theirs = answers(others, self._reach.run(asking(others), timeout_s=timeout_s).out) if others else {}
        told = ours | theirs
        return Ran(0, "".join(mark(told[question]) for question in questions))

    def close(self) -> None:
        self._disconnect()
        self._reach.close()

    def _disconnect(self) -> None:
        client, self._client = self._client, None
        try:
            self._open.close()
        except (OSError, WirespeedError):
            if client is not None:  # it went away before us
                client.transport.connected = False

    def _send(self, line: str) -> Ran:
        name, _, fields = line.removeprefix(_MESSAGE).partition(" ")
        try:
            return self._answer(name, json.loads(fields))
        except ConnectionFault:
            self._disconnect()
        # Whatever was there may have been was restarted meanwhile.
        try:
            return self._answer(name, json.loads(fields))
        except ConnectionFault as fault:
            self._disconnect()
            return Ran(NO_API, "", str(fault))

    def _answer(self, name: str, fields: Any) -> Ran:
        if self._client is None:
            from wirespeed.dut.reach.api_socket import connected_api  # noqa: PLC0415 - slow, and not all need it

            self._client = self._open.enter_context(connected_api(self._where))
        function = getattr(self._client.api, name, None)
        if function is None:
            return Ran(1, "", f"the router has no message {name}; a plugin of it may be off")
        try:
            reply = function(**self._numbered(fields))
        except KeyError as error:
            return Ran(1, "", f"there is no interface {error.args[0]}")
        except Exception as error:
            # vpp_papi has several exceptions for a lost connection.
            raise ConnectionFault(f"the connection to the router's API was lost: {error}") from None
        retval = getattr(reply, "retval", 0)
        return Ran(1, "", refusal(name, retval)) if retval else Ran(0, json.dumps(_plain(reply)))

    def _numbered(self, fields: Any) -> Any:
        """The fields with interface numbers; KeyError names a missing interface."""
        if isinstance(fields, str) and fields.startswith("@"):
            there = {face.interface_name: int(face.sw_if_index) for face in self._client.api.sw_interface_dump()}
            return there[fields[1:]]
        if isinstance(fields, list):
            return [self._numbered(one) for one in fields]
        if isinstance(fields, dict):
            return {name: self._numbered(value) for name, value in fields.items()}
        return fields


def _with_reason(ran: Ran) -> Ran:
    """An answer with its output only; a failed one with its error text as output."""
    return ran if ran.code == 0 else Ran(ran.code, ran.err)


def _plain(reply: Any) -> Any:
    """Replies of vpp_papi as JSON values: numbers and texts; addresses and prefixes as they are written."""
    if hasattr(reply, "_asdict"):
        return {name: _plain(value) for name, value in reply._asdict().items()}
    if isinstance(reply, Mapping):
        return {str(name): _plain(value) for name, value in reply.items()}
    if isinstance(reply, list | tuple):
        return [_plain(one) for one in reply]
    if isinstance(reply, Enum):
        return _plain(reply.value)
    return reply if isinstance(reply, str | int | float | bool | None) else str(reply)
