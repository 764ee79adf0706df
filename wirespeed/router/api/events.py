"""sw_interface_event: changes of interfaces since a client subscribed."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.errors import WirespeedError
from wirespeed.router.api.client import Client
from wirespeed.router.api.interfaces import status
from wirespeed.router.console import Console
from wirespeed.router.interface_numbers import shown_index
from wirespeed.vpp_api.codec import coder

_EVENT = "sw_interface_event"


class InterfaceEvents:
    """Compares all interfaces and keeps, for each subscribed client, the unsent events: only the latest per interface,
    however slowly the client reads. A deleted interface has None."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._seen: dict[int, int] = {}
        self._waiting: dict[int, dict[int, int | None]] = {}

    def begin(self, client: Client) -> None:
        """From now on."""
        if not self._waiting:
            self._seen = self._read()
        self._waiting[client.number] = {}

    def forget(self, client: Client) -> None:
        self._waiting.pop(client.number, None)

    def look(self) -> None:
        now = self._read()
        changed: dict[int, int | None] = {i: flags for i, flags in now.items() if self._seen.get(i, 0) != flags}
        changed |= dict.fromkeys(self._seen.keys() - now.keys())
        self._seen = now
        for waiting in self._waiting.values():
            waiting.update(changed)

    def take(self, client: Client) -> Iterator[bytes]:
        """The messages that a client is due."""
        waiting = self._waiting.get(client.number)
        if not waiting:
            return
        self._waiting[client.number] = {}
        if client.events_pid is None:
            self.forget(client)
            return
        head = {"client_index": client.number, "pid": client.events_pid}
        for index, flags in waiting.items():
            what = {"sw_if_index": shown_index(index), "flags": flags or 0, "deleted": flags is None}
            yield coder(_EVENT).pack({**head, **what})

    def _read(self) -> dict[int, int]:
        core, statuses = self._console.core, {}
        for index in core.interface_names().values():
            try:
                statuses[index] = status(core.interface(index))
            except WirespeedError:  # a device that was taken out
                continue
        return statuses
