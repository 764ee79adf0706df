"""Mutated requests of recorded sessions, and plain garbage, for a server that must answer all of it and live on.

    python tests/unit/rpc_fuzz.py SECONDS [SEED] [--native]

drives it for a while, over the fake core or over the real one with two ports on a ring; an answer that is none ends
the program with the message that led to it. Internal errors count as findings: every fault of a request has a code of
its own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from typing import Any

from fake_generator import FakeGenerator
from rpc_messages import Messages

from wirespeed._native import runtime
from wirespeed._native.generator import NativeGenerator
from wirespeed.client.framing import unpack
from wirespeed.generator.server import Server
from wirespeed.model import parse_port_spec


class Fuzzer:
    """`step` sends one message and checks its answer."""

    def __init__(self, seed: int, core: NativeGenerator | None = None) -> None:
        self.random = random.Random(seed)
        self.core = core or FakeGenerator()
        self.server = Server(self.core)
        self.messages = Messages(self.random, self._handler_of)
        self.codes: dict[int, int] = {}

    def step(self) -> None:
        self.messages.api_h = self.server.api_h
        message = self.messages.make()
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

    def _handler_of(self, port: int) -> str:
        owner = self.server.ports[port].owner if port < len(self.server.ports) else None
        return owner.handler if owner is not None else "nobody"


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
        if count % 5000 == 0:  # after many requests a server has many streams
            fuzzer.server.shut_down("the next one comes")
            fuzzer = Fuzzer(fuzzer.random.randrange(1 << 32), core)
    print(f"fuzz: {what} answered {count} messages; codes of the last server {dict(sorted(fuzzer.codes.items()))}")
    if core is not None:
        core.close()
        runtime.close()


if __name__ == "__main__":
    main()
