"""Texts of a server's events, and the thread that fetches them while the console waits for input."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from wirespeed.client.stateless_client import StatelessClient
from wirespeed.errors import ConnectionFault, RemoteError, WirespeedError

POLL_S = 1.0
_TIMEOUT_S = 2.0
_PATIENCE = 3
"""Unanswered polls before the server counts as gone: it may be busy building 10 000 streams."""


@dataclass(frozen=True)
class Happening:
    """`loud` ones are told at once, the others are in the log only. `taken` says by whom a port was."""

    at: float
    text: str
    loud: bool = False
    port: int = -1
    taken: Literal["by us", "by another"] | None = None
    ended: bool = False

    def __str__(self) -> str:
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.at))
        return f"{stamp} - [server][{'warning' if self.loud else 'info'}] - {self.text}"


_VERBS = {0: "started", 1: "stopped", 2: "paused", 3: "resumed"}
_PROFILE_VERBS = {10: "started", 11: "stopped", 12: "paused", 13: "resumed", 14: "finished"}


def read_event(event: Mapping[str, Any], session_id: int, at: float) -> Happening:
    """One element of `get_async_events`."""
    kind, data = int(event.get("type", -1)), event.get("data") or {}
    port = int(data.get("port_id", -1))
    ours = data.get("session_id") == session_id
    who = "you" if ours else f"'{data.get('who', '?')}'"
    if kind in _VERBS:
        return Happening(at, f"Port {port} has {_VERBS[kind]}")
    if kind in _PROFILE_VERBS:
        return Happening(at, f"Profile {port}.{data.get('profile_id', '_')} has {_PROFILE_VERBS[kind]}")
    match kind:
        case 4:
            return Happening(at, f"Port {port} job done", loud=True)
        case 5:
            how = "forcely taken" if data.get("force") else "taken"
            taken: Literal["by us", "by another"] = "by us" if ours else "by another"
            return Happening(at, f"Port {port} was {how} by {who}", loud=not ours, port=port, taken=taken)
        case 6:
            return Happening(at, f"Port {port} was released by {who}", loud=not ours)
        case 7 | 17:
            return Happening(at, f"Port {port} has an error", loud=True)
        case 8:
            return Happening(at, f"Port {port} attributes changed: {_attributes(data.get('attr') or {})}", loud=True)
        case 100:
            return Happening(at, f"Server stopped: {data.get('cause', 'no cause given')}", loud=True, ended=True)
    return Happening(at, f"event {kind}: {data}")


def _attributes(attr: Mapping[str, Any]) -> str:
    words = []
    for name, value in attr.items():
        if name == "link" and isinstance(value, Mapping):
            words.append(f"link {'up' if value.get('up') else 'down'}")
        elif isinstance(value, Mapping):
            words.append(f"{name} {', '.join(str(one) for one in value.values())}")
        else:
            words.append(f"{name} {value}")
    return ", ".join(words)


class EventWatcher:
    """Polls events on a separate connection. `tell` gets those of one poll, `lost` the error that ends the watch.

    Polling also resets the owner timeout of this session.
    """

    def __init__(
        self,
        server: str,
        session_id: int,
        tell: Callable[[list[Happening]], None],
        lost: Callable[[WirespeedError], None],
    ) -> None:
        self._client = StatelessClient(server, timeout_s=_TIMEOUT_S, attempts=1)
        self._client.session_id = session_id
        self._tell, self._lost = tell, lost
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="events", daemon=True)

    def start(self) -> None:
        """Make the session known to the server, so that nothing from now on is missed; then poll."""
        self._client.connect()
        self._client.events()
        self._thread.start()

    def stop(self) -> None:
        self._ending.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        self._client.close()

    def _watch(self) -> None:
        """Ends if the server ends or was restarted, since a new server does not know the API handle."""
        unanswered = 0
        while not self._ending.wait(POLL_S):
            try:
                events = self._client.events()
            except ConnectionFault as fault:
                unanswered += 1
                if unanswered == _PATIENCE:
                    self._lost(fault)
                    break
            except RemoteError as error:
                self._lost(error)
                break
            else:
                unanswered = 0
                if events:
                    self._tell([read_event(event, self._client.session_id, time.time()) for event in events])
