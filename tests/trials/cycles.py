"""Thousands of starts, of interfaces made and deleted, and of connections: descriptors and memory do not grow."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path

import zmq

from trials.isolation import present
from trials.started import RING, RPC, connected, generator, open_files, resident_kb, router
from trials.trial import Ground, trial, until
from wirespeed.profiles import load_profile
from wirespeed.router.client import ask
from wirespeed.units import Rate

MAX_MORE_FILES = 3
MAX_MORE_KB = 8192
"""Allowed growth between the first tenth of the rounds, when all permanent memory is allocated, and the last one;
allocators are not exact.
"""


class _Level:
    """A process's descriptors and memory, compared with those after the first tenth of the rounds."""

    def __init__(self, ground: Ground, what: str, pid: int, rounds: int) -> None:
        self._ground, self._what, self._pid, self._rounds = ground, what, pid, rounds
        self._files = self._kb = 0

    def after(self, round_number: int) -> None:
        if round_number == self._rounds // 10:
            self._files, self._kb = open_files(self._pid), resident_kb(self._pid)

    def check(self) -> None:
        """Delayed releases may happen first."""
        until(lambda: open_files(self._pid) <= self._files + MAX_MORE_FILES, 10.0)
        files, kb = open_files(self._pid), resident_kb(self._pid)
        if files > self._files + MAX_MORE_FILES:
            self._ground.fault(f"{self._what}: {self._files} descriptors became {files}")
        if kb > self._kb + MAX_MORE_KB:
            self._ground.fault(f"{self._what}: {self._kb} kB became {kb}")
        self._ground.figures[self._what] = f"{self._rounds}: {self._files} to {files} files, {self._kb} to {kb} kB"


@trial("starts-stops", "traffic started and stopped again and again: descriptors and memory stay")
def starts_stops(ground: Ground) -> None:
    rounds = ground.times(2000, 100)
    with generator(*RING) as made, connected() as client:
        client.acquire([0, 1])
        streams = load_profile("bench", {"size": "imix", "vm": "var2"}, 0, 0)
        level = _Level(ground, "starts", made.process.pid, rounds)
        for number in range(rounds):
            if number % 4 == 0:
                client.reset([0, 1])
                for port in (0, 1):
                    client.add_streams(port, streams)
            client.start([0, 1], Rate(10_000, "pps"), force=True)
            client.stop([0, 1])
            level.after(number)
        level.check()


def _kinds(directory: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Lines that make an interface, and those that delete it."""
    return {
        "loopback": (
            ["create loopback interface instance 7", "set interface ip address loop7 10.7.0.1/24"],
            ["delete loopback interface intfc loop7"],
        ),
        "sub-interface": (
            ["create sub-interfaces e0 7", "set interface state e0.7 up", "set interface ip address e0.7 10.8.0.1/24"],
            ["delete sub-interface e0.7"],
        ),
        "bridge": (
            ["create bridge-domain 7", "create loopback interface instance 8", "set interface l2 bridge loop8 7 bvi"],
            ["delete loopback interface intfc loop8", "create bridge-domain 7 del"],
        ),
        "tap": (
            ["create tap id 7 host-if-name trial7", "set interface state tap7 up"],
            ["delete tap tap7"],
        ),
        "memif": (
            [
                f"create memif socket id 7 filename {directory}/m7.sock",
                "create interface memif id 0 socket-id 7 master",
                "set interface state memif7/0 up",
            ],
            ["delete interface memif memif7/0", "delete memif socket id 7"],
        ),
        "linux pair": (
            ["lcp create e0 host-if trial8", "set interface ip address e0 10.9.0.1/24"],
            ["lcp delete e0", "set interface ip address e0 10.9.0.1/24 del"],
        ),
    }


@trial("interfaces", "interfaces of each kind made and deleted under traffic: descriptors, memory and links stay")
def interfaces(ground: Ground) -> None:
    rounds = ground.times(500, 20)
    faces = ("e0=ring:a", "e1=ring:a", "e2=null", "e3=null")
    lines = "set interface state e2 up\nset interface state e3 up\nset interface l2 xconnect e2 e3\n"
    with router(ground.directory, *faces, lines=lines) as (made, path):
        before = present()
        for kind, (make, delete) in _kinds(ground.directory).items():
            level = _Level(ground, kind, made.process.pid, rounds)
            for number in range(rounds):
                for line in (*make, *delete):
                    ask(path, line)
                level.after(number)
            level.check()
            if not until(lambda: not present() - before, 10.0):
                ground.fault(f"{kind}: left {', '.join(sorted(present() - before))}")
        if "e0" not in ask(path, "show interface"):
            ground.fault("the router has lost its interfaces")


@trial("connects", "connections to RPC and control socket, some broken off: descriptors and memory stay")
def connects(ground: Ground) -> None:
    attempts = ground.times(10_000, 400)
    with generator(*RING) as made, router(ground.directory, "e0=ring:a", "e1=ring:a") as (other, path):
        host, _, port = RPC.rpartition(":")
        _connect(ground, "of the RPC", made.process.pid, attempts // 4, _request)
        _connect(ground, "to its port", made.process.pid, attempts // 4, lambda: _break_off((host, int(port)), ground))
        _connect(ground, "of the control socket", other.process.pid, attempts // 4, lambda: _ask(path))
        _connect(ground, "broken off there", other.process.pid, attempts // 4, lambda: _break_off(str(path), ground))


def _connect(ground: Ground, what: str, pid: int, rounds: int, connect: Callable[[], None]) -> None:
    level = _Level(ground, what, pid, rounds)
    for number in range(rounds):
        connect()
        if number == rounds // 10:
            time.sleep(0.5)  # earlier ones are released
        level.after(number)
    level.check()


def _request() -> None:
    with zmq.Context() as context, context.socket(zmq.REQ) as request:
        request.setsockopt(zmq.LINGER, 0)
        request.connect(f"tcp://{RPC}")
        request.send(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}')
        if not request.poll(60_000):
            raise TimeoutError("the generator does not answer a ping")
        request.recv()


def _ask(path: Path) -> None:
    ask(path, "show version")


def _break_off(where: tuple[str, int] | str, ground: Ground) -> None:
    family = socket.AF_UNIX if isinstance(where, str) else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as connection:
        connection.connect(where)  # waits while too many connections are pending
        connection.settimeout(60)
        match ground.random.randrange(3):
            case 0:
                connection.sendall(ground.random.randbytes(20))
            case 1:
                connection.sendall(b'{"command":"show version"}\n')
