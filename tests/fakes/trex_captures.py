"""Captures of a strict T-Rex: they have no owner and require service mode. No packets pass here."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from trex_fields import BAD, Fields, Refused

_COMMANDS = ("start", "stop", "fetch", "status", "remove")


class Captures:
    """`ports` are the existing ports."""

    def __init__(self, ports: Container[int]) -> None:
        self._ports = ports
        self._held: dict[int, dict[str, Any]] = {}
        self._begun: dict[int, float] = {}
        self._next = 1

    def holding(self, port: int) -> bool:
        return any((one["filter"]["rx"] | one["filter"]["tx"]) >> port & 1 for one in self._held.values())

    def run(self, params: Fields, now_s: float) -> Any:
        command = params.one_of("command", *_COMMANDS, missing="field 'command' is missing")
        if command == "status":
            return list(self._held.values())
        if command == "start":
            return self._start(params, now_s)
        identity = params.whole("capture_id")
        if identity not in self._held:
            raise Refused("capture ID not found")
        if command == "remove":
            del self._held[identity]
            return {}
        if command == "stop":
            self._held[identity]["state"] = "STOPPED"
            return {"endpoint": "", "pkt_count": 0}
        params.whole("pkt_limit")
        return {"pending": 0, "pkts": [], "start_ts": self._begun[identity]}

    def _start(self, params: Fields, now_s: float) -> dict[str, Any]:
        limit, mode = params.whole("limit"), params.one_of("mode", "fixed", "cyclic")
        masks = {side: self._mask(params.listed(side)) for side in ("tx", "rx")}
        wanted = params.text("filter", "")
        if wanted.split()[:1] == ["xx"]:
            raise Refused(f"BPF filter: '{wanted}' is not a valid pattern", BAD)
        identity, self._next = self._next, self._next + 1
        self._begun[identity] = now_s
        self._held[identity] = {
            **{"id": identity, "state": "ACTIVE", "mode": mode, "limit": limit, "filter": {"bpf": wanted, **masks}},
            **dict.fromkeys(("count", "bytes", "matched", "fetched"), 0),
        }
        return {"capture_id": identity, "start_ts": now_s}

    def _mask(self, ports: list[int]) -> int:
        for port in ports:
            if port not in self._ports:
                raise Refused("invalid port id - should be: \1 \0")
        return sum(1 << port for port in ports)
