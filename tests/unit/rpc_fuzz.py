"""Mutated requests of recorded sessions, and plain garbage, for a server that must answer all of it and live on.

    python tests/unit/rpc_fuzz.py SECONDS [SEED] [--native]

drives it for a while, over the fake core or over the real one with two ports on a ring; an answer that is none ends
the program with the message that led to it. Internal errors count as findings: every fault of a request has a code of
its own.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import time
import zlib
from pathlib import Path
from typing import Any

from wirespeed._native import runtime
from wirespeed._native.fake_generator import FakeGenerator
from wirespeed._native.generator import GeneratorCore, NativeGenerator
from wirespeed.generator.framing import MAGIC, pack, unpack
from wirespeed.generator.server import Server
from wirespeed.model import parse_port_spec

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
    """All requests of the recorded sessions, each once, and some of methods that those do not have."""
    found: dict[str, dict[str, Any]] = {}
    for name in SESSIONS:
        for line in (DATA / name).read_text().splitlines():
            request = json.loads(line).get("request")
            for one in request if isinstance(request, list) else [request]:
                if isinstance(one, dict) and isinstance(one.get("params"), dict):
                    found.setdefault(json.dumps([one["method"], one["params"]], sort_keys=True)[:300], one)
    return [*found.values(), *({"jsonrpc": "2.0", "id": 1} | extra for extra in EXTRA)]


class Fuzzer:
    """`step` sends one message and checks its answer."""

    def __init__(self, seed: int, core: GeneratorCore | None = None) -> None:
        self.random = random.Random(seed)
        self.requests = recorded_requests()
        self.core = core or FakeGenerator()
        self.server = Server(self.core)
        self.codes: dict[int, int] = {}

    def step(self) -> None:
        message = self._message()
        answer = self.server.handle(message, self.random.choice((b"a", b"b")))
        try:
            payload, _ = unpack(answer)
            replies = json.loads(payload)
            for reply in replies if isinstance(replies, list) else [replies]:
                self._check(reply)
        except Exception as error:
            raise AssertionError(f"{error!r} after {message[:2000]!r}: {answer[:500]!r}") from error
        if isinstance(self.core, FakeGenerator):
            self.core.advance(self.random.choice((0.01, 0.5, 3.0)))
        self.server.tick()
        self.server.outgoing()
        self.server.ending = None

    def _check(self, reply: dict[str, Any]) -> None:
        assert reply["jsonrpc"] == "2.0"
        assert ("result" in reply) != ("error" in reply)
        code = reply.get("error", {}).get("code", 0)
        self.codes[code] = self.codes.get(code, 0) + 1
        text = str(reply.get("error", {}).get("specific_err", ""))
        assert code != -32603 or "bytes" in text or "zlib" in text or "nested" in text, text

    def _message(self) -> bytes:
        choice = self.random.random()
        if choice < 0.05:
            return self.random.randbytes(self.random.randrange(200))
        if choice < 0.08:
            return MAGIC.to_bytes(4) + self.random.randbytes(self.random.randrange(60))
        if choice < 0.09:
            return MAGIC.to_bytes(4) + (1 << 20).to_bytes(4) + zlib.compress(bytes(1 << 20))
        count = self.random.choice((1, 1, 1, 2, 5))
        requests = [self._request() for _ in range(count)]
        text = json.dumps(requests[0] if count == 1 else requests).encode()
        if choice < 0.2:
            text = self._spoiled(text)
        return pack(text) if self.random.random() < 0.5 and len(text) <= MAX_WIRE_BYTES else text

    def _request(self) -> dict[str, Any]:
        request = copy.deepcopy(self.random.choice(self.requests))
        params = request["params"]
        if request["method"] != "api_sync" and self.random.random() < 0.97:
            params["api_h"] = self.server.api_h
        port = params.get("port_id")
        if "handler" in params and isinstance(port, int) and port < len(self.server.ports):
            owner = self.server.ports[port].owner
            params["handler"] = owner.handler if owner is not None else "nobody"
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


def native_core() -> NativeGenerator:
    cpu = max(os.sched_getaffinity(0))
    runtime.start_runtime(f"wirespeed-fuzz-{os.getpid()}", [cpu], 256, "never")
    runtime.open_ports([parse_port_spec("ring:fuzz,speed=10G")] * 2, ["p0", "p1"])
    return NativeGenerator([cpu], 2)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float)
    parser.add_argument("seed", type=int, nargs="?", default=random.randrange(1 << 32))
    parser.add_argument("--native", action="store_true")
    given = parser.parse_args()
    what = "rpc over the native core" if given.native else "rpc"
    print(f"fuzz: {what} for {given.seconds:g} s, seed {given.seed}", flush=True)
    core = native_core() if given.native else None
    fuzzer, count, end_s = Fuzzer(given.seed, core), 0, time.monotonic() + given.seconds
    while time.monotonic() < end_s:
        fuzzer.step()
        count += 1
        if count % 5000 == 0:  # a server that had many requests has many streams
            fuzzer.server.shut_down("the next one comes")
            fuzzer = Fuzzer(fuzzer.random.randrange(1 << 32), core)
    print(f"fuzz: {what} answered {count} messages; codes of the last server {dict(sorted(fuzzer.codes.items()))}")
    if core is not None:
        core.close()
        runtime.close()


if __name__ == "__main__":
    main()
