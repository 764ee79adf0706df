"""A simulated T-Rex: the strict one behind two sockets, for requests and, on the port below, for publications.

As with T-Rex, counters are published twice per second, a bare `{}` announces an event, and nothing is answered after a
request that crashes it.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

import zmq
from strict_trex import StrictTrex
from trex_fields import Dead

_TRIES = 20
_PUBLISH_S = 0.5


class SimulatedTrex(StrictTrex):
    """Use as a context manager; `server` is its HOST:PORT. Leaving it fails if a request has crashed it. It answers
    nothing after `dies_after` messages; `messages` are the methods of each.
    """

    def __init__(self, *, extended: bool = True, dies_after: int | None = None, **kinds: Any) -> None:
        self._context = zmq.Context()
        self._requests = self._context.socket(zmq.REP)
        self._events = self._context.socket(zmq.PUB)
        for socket in (self._requests, self._events):
            socket.setsockopt(zmq.LINGER, 0)
        port = self._bind()
        self.server = f"127.0.0.1:{port}"
        super().__init__(extended=extended, publish=self._events.send, **kinds)
        self.dies_after = dies_after
        self.messages: list[list[str]] = []
        self.died_of: str | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def _bind(self) -> int:
        for _ in range(_TRIES):
            port = self._requests.bind_to_random_port("tcp://127.0.0.1")
            try:
                self._events.bind(f"tcp://127.0.0.1:{port - 1}")
            except zmq.ZMQError:
                self._requests.unbind(f"tcp://127.0.0.1:{port}")
            else:
                return port
        raise RuntimeError("no two ports beside each other are free")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None) -> None:
        self._ending.set()
        self._thread.join()
        self._requests.close()
        self._events.close()
        self._context.term()
        if self.died_of is not None and kind is None:
            raise AssertionError(f"a T-Rex would have died of {self.died_of}")

    def _serve(self) -> None:
        published_s = 0.0
        while not self._ending.is_set():
            self.tick()
            if self.now_s - published_s >= _PUBLISH_S:
                published_s = self.now_s
                self.publish_counters()
            if not self._requests.poll(20):
                continue
            message = self._requests.recv()
            if self.dies_after is not None and len(self.messages) >= self.dies_after:
                return
            before = len(self.methods)
            try:
                answer = self.handle(message)
            except Dead as death:
                self.died_of = str(death)
                return
            self.messages.append(self.methods[before:])
            self._requests.send(answer)
