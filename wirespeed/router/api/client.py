"""One client of the binary API: its name, and the objects for its handlers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wirespeed.errors import WirespeedError
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.console import Console
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import RouterInterface

if TYPE_CHECKING:
    from wirespeed.router.native import NativeRouter

ALL = 0xFFFFFFFF
"""No interface, table or domain in particular: VPP's ~0."""
_MOST_INDEX = 0xFFFF


@dataclass
class Client:
    """`number` is its `client_index`; `events_pid` is the pid in its events, None while it wants none."""

    console: Console
    number: int
    name: str = ""
    is_greeted: bool = False
    is_leaving: bool = False
    events_pid: int | None = None

    @property
    def core(self) -> NativeRouter:
        return self.console.core

    def interface(self, sw_if_index: int, retval: Retval = Retval.INVALID_SW_IF_INDEX) -> tuple[int, RouterInterface]:
        """Number and record of the interface that a client calls so; Refusal when there is none."""
        index = sw_if_index - shown_index(0)
        if not 0 <= index <= _MOST_INDEX:
            raise Refusal(retval)
        try:
            return index, self.core.interface(index)
        except WirespeedError:
            raise Refusal(retval) from None

    def index(self, sw_if_index: int, retval: Retval = Retval.INVALID_SW_IF_INDEX) -> int:
        return self.interface(sw_if_index, retval)[0]

    def chosen(self, sw_if_index: int) -> Iterator[tuple[int, RouterInterface]]:
        """The interface in the request of a dump, or all; none for an unknown one."""
        if sw_if_index == ALL:
            for index in self.core.interface_names().values():
                # A dump gives others their turn, who may delete what was listed.
                with contextlib.suppress(WirespeedError):
                    yield index, self.core.interface(index)
            return
        with contextlib.suppress(Refusal):
            yield self.interface(sw_if_index)


@contextlib.contextmanager
def refused_as(retval: Retval, *errnos: int) -> Iterator[None]:
    """Context in which errors of the core with one of these numbers are raised as a Refusal with `retval`."""
    try:
        yield
    except WirespeedError as error:
        if error.errno not in errnos:
            raise
        raise Refusal(retval) from None
