"""Random messages for a generator's RPC: mutated requests of recorded sessions, and plain garbage."""

from __future__ import annotations

import copy
import json
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wirespeed.client.framing import MAGIC, pack

DATA = Path(__file__).parent / "data"
SESSIONS = ("trex_api_session.jsonl", "trex_console_session.jsonl")
STRANGE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1,
    1 << 31,
    1 << 32,
    1 << 64,
    1e308,
    float("inf"),
    -1e-308,
    0.5,
    "",
    "0",
    "*",
    "_",
    "\x00",
    "\U0001f600" * 50,
    [],
    [[]],
    {},
    {"": {}},
    [0] * 300,
)
EXTRA = (
    {"method": "capture", "params": {"command": "start", "rx": [0], "tx": [1], "limit": 5, "filter": "arp or port 5"}},
    {"method": "capture", "params": {"command": "fetch", "capture_id": 1, "pkt_limit": 5, "snaplen": 4}},
    {"method": "capture", "params": {"command": "remove", "capture_id": 1}},
    {"method": "push_pkts", "params": {"port_id": 0, "ipg_usec": 1, "pkts": [{"binary": "AAAA" * 20}]}},
    {"method": "push_remote", "params": {"port_id": 0, "handler": "", "pcap_filename": "/dev/null", "count": 1}},
    {"method": "set_l3", "params": {"port_id": 0, "handler": "", "src_addr": "1.1.1.1", "dst_addr": "1.1.1.2"}},
    {"method": "set_vlan", "params": {"port_id": 0, "handler": "", "vlan": [1, 2]}},
    {"method": "conf_ipv6", "params": {"port_id": 0, "handler": "", "enabled": True, "src_ipv6": "::5"}},
    {"method": "set_rx_feature", "params": {"port_id": 0, "handler": "", "type": "queue", "enabled": True, "size": 9}},
    {"method": "get_rx_queue_pkts", "params": {"port_id": 0}},
    {"method": "get_pgid_stats", "params": {"pgids": [7, 8]}},
)
MAX_WIRE_BYTES = 999_999


def recorded_requests() -> list[dict[str, Any]]:
    """All requests of the recorded sessions, without duplicates, and some of methods that do not occur there."""
    found: dict[str, dict[str, Any]] = {}
    for name in SESSIONS:
        for line in (DATA / name).read_text().splitlines():
            request = json.loads(line).get("request")
            for one in request if isinstance(request, list) else [request]:
                if isinstance(one, dict) and isinstance(one.get("params"), dict):
                    found.setdefault(json.dumps([one["method"], one["params"]], sort_keys=True)[:300], one)
    return [*found.values(), *({"jsonrpc": "2.0", "id": 1} | extra for extra in EXTRA)]


class Messages:
    """`make` generates one. The sender sets `api_h`, and the handlers of ports that it owns."""

    def __init__(
        self, chance: random.Random, handler_of: Callable[[int], str], leave_out: frozenset[str] = frozenset()
    ):
        self.random = chance
        self.api_h = ""
        self.handler_of = handler_of
        self.requests = [one for one in recorded_requests() if one["method"] not in leave_out]

    def make(self) -> bytes:
        choice = self.random.random()
        if choice < 0.05:
            return self.random.randbytes(self.random.randrange(200))
        if choice < 0.08:
            return MAGIC.to_bytes(4) + self.random.randbytes(self.random.randrange(60))
        if choice < 0.09:
            return MAGIC.to_bytes(4) + (1 << 20).to_bytes(4) + zlib.compress(bytes(1 << 20))
        count = self.random.choice((1, 1, 1, 2, 5))
        requests = [self._request() for _ in range(count)]
        text = json.dumps(requests[0] if count == 1 else requests).replace("Infinity", "1e999").encode()
        if choice < 0.2:
            text = self._spoiled(text)
        return pack(text) if self.random.random() < 0.5 and len(text) <= MAX_WIRE_BYTES else text

    def _request(self) -> dict[str, Any]:
        request = copy.deepcopy(self.random.choice(self.requests))
        params = request["params"]
        if request["method"] != "api_sync" and self.random.random() < 0.97:
            params["api_h"] = self.api_h
        port = params.get("port_id")
        if "handler" in params and isinstance(port, int):
            params["handler"] = self.handler_of(port)
        for _ in range(self.random.choice((0, 0, 1, 1, 2, 6))):
            self._mutate(request)
        return request

    def _mutate(self, document: Any) -> None:
        """Change one place somewhere in the document."""
        while True:
            keys = list(document) if isinstance(document, dict) else list(range(len(document)))
            if not keys:
                return
            key = self.random.choice(keys)
            value = document[key]
            if not isinstance(value, dict | list) or not value or self.random.random() < 0.2:
                break
            document = value
        match self.random.randrange(4):
            case 0:
                del document[key]
            case 1 if isinstance(value, int | float) and not isinstance(value, bool):
                document[key] = value + self.random.choice((-1, 1, 255, 65_536, 1e9))
            case 2 if isinstance(value, str):
                document[key] = value[: self.random.randrange(len(value) + 1)] + self.random.choice(
                    ("", "x", "=", "A" * 99)
                )
            case _:
                document[key] = copy.deepcopy(self.random.choice(STRANGE))

    def _spoiled(self, text: bytes) -> bytes:
        spoiled = bytearray(text)
        for _ in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(spoiled))
            spoiled[at : at + self.random.randrange(3)] = self.random.randbytes(self.random.randrange(3))
            if not spoiled:
                break
        return bytes(spoiled)
