"""Sessions that are still alive: the time of the last request of each.

A request tells its session by its `session_id`, or by the handler of a port that the session owns. Requests that tell
neither (statistics) count for the session that spoke before on the same connection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirespeed.generator.port import Port

_MAX_KNOWN = 4096


class Sessions:
    def __init__(self, ports: Sequence[Port]) -> None:
        self._ports = ports
        self._of_peer: dict[bytes, int] = {}
        self._heard_s: dict[int, float] = {}

    def heard(self, peer: bytes, params: dict[str, Any], now_s: float) -> None:
        """A request came over the connection `peer`."""
        session_id = params.get("session_id")
        if not isinstance(session_id, int):
            handler = params.get("handler")
            owners = [port.owner for port in self._ports if port.owner is not None]
            session_id = next((owner.session_id for owner in owners if owner.handler == handler), None)
        if session_id is not None:
            _remember(self._of_peer, peer, session_id)
        if peer in self._of_peer:
            _remember(self._heard_s, self._of_peer[peer], now_s)

    def who(self, peer: bytes) -> int | bytes:
        """The session that speaks over a connection; before it told its number, the connection itself."""
        return self._of_peer.get(peer, peer)

    def silent_s(self, session_id: int, now_s: float) -> float:
        """For how long the session has not been heard."""
        return now_s - self._heard_s.setdefault(session_id, now_s)


def _remember(known: dict[Any, Any], key: Any, value: Any) -> None:
    """Keep the newest; connections and sessions come and go."""
    known.pop(key, None)
    known[key] = value
    if len(known) > _MAX_KNOWN:
        del known[next(iter(known))]
