"""Mutated lines and requests for the router's control socket while it forwards: all are answered, and it keeps
running.
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import time
from collections import deque
from contextlib import ExitStack
from pathlib import Path

from command_lines import SYNTAXES, typed

from trials.rpc_fuzzing import MAX_MORE_FILES, MAX_MORE_KB, PATIENCE_MS, RATE_PPS
from trials.started import connected, generator, open_files, resident_kb, router
from trials.trial import Fault, Ground, trial
from wirespeed.profiles import load_profile
from wirespeed.router.protocol import MAX_REQUEST_BYTES, decode
from wirespeed.units import Rate

IN_FLIGHT, SHORT_BYTES = 32, 2000
"""Requests sent before the first answer; the short ones all fit into the socket."""

_LEFT_OUT = ("ping", "quit", "exit", "create tap", "create interface memif", "lcp create")
"""Commands that wait, and those that use descriptors while their objects exist (the trial of interfaces makes and
deletes them).
"""


@trial("control-fuzz", "mutated lines and requests at the router's control socket while traffic passes", limit_s=7200)
def control(ground: Ground) -> None:
    wanted = ground.messages or ground.times(20_000, 700)
    syntaxes = [one for one in SYNTAXES if not one.startswith(_LEFT_OUT)]
    faces = [f"e{number}=memif:{ground.directory}/m{number},role=server" for number in range(2)]
    lines = "".join(
        f"set interface state e{number} up\nset interface l2 xconnect e{number} e{1 - number}\n" for number in (0, 1)
    )
    with ExitStack() as undo:
        made, path = undo.enter_context(router(ground.directory, *faces, lines=lines))
        wires = [f"memif:{ground.directory}/m{number},role=client" for number in range(2)]
        words = [word for wire in wires for word in ("--port", wire)]
        undo.enter_context(generator(*words, "--hugepages", "never", "--owner-timeout", "0"))
        client = undo.enter_context(connected())
        client.acquire([0, 1])
        for port in (0, 1):
            client.add_streams(port, load_profile("bench", {"size": "64", "vm": "var2"}, port, 0))
        client.start([0, 1], Rate(RATE_PPS, "pps"), force=True)
        pid = made.process.pid
        began = time.monotonic()
        files, memory_kb, refused = 0, 0, 0
        connection = _Lines(path)
        undo.callback(connection.close)
        for number in range(wanted):
            if number == min(1000, wanted // 4):
                files, memory_kb = open_files(pid), resident_kb(pid)
            line = typed(ground.random, syntaxes) if ground.random.random() < 0.9 else None
            try:
                refused += connection.ask(line, ground.random)
            except Fault as fault:
                raise Fault(f"{fault}; the router's code is {made.process.poll()}: {made.said[-1000:]}") from None
        refused += connection.take_all_answers()
        duration_s = time.monotonic() - began
        connection.close()
        now_files, now_kb = open_files(pid), resident_kb(pid)
        if now_files > files + MAX_MORE_FILES or now_kb > memory_kb + MAX_MORE_KB:
            ground.fault(f"from {files} open files and {memory_kb} kB it grew to {now_files} and {now_kb} kB")
        if "Traceback" in made.said:
            ground.fault(f"the router said: {made.said[-1500:]}")
        client.release([0, 1])
    ground.figures["lines"] = f"{wanted:,}, {refused:,} of them refused"
    ground.figures["lines a second"] = f"{wanted / duration_s:,.0f}"
    ground.figures["files"] = f"{files} to {now_files}"
    ground.figures["memory"] = f"{memory_kb} to {now_kb} kB"


class _Lines:
    """A session with a router, reopened when the router closes it. Short requests are sent some answers ahead."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: socket.socket | None = None
        self._waiting: deque[bytes] = deque()

    def ask(self, line: str | None, chance: random.Random) -> int:
        """Send a command, or an invalid request if there is no line; returns the number of refusals so far."""
        request = (
            self._garbage(chance) if line is None else json.dumps({"command": line, "directory": "/run/trial"}).encode()
        )
        gone, long = chance.random() < 0.01, len(request) > SHORT_BYTES
        refused = self.take_all_answers() if gone or long else 0
        if self._connection is None:
            self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._connection.settimeout(PATIENCE_MS / 1000)
            self._connection.connect(str(self._path))
            self._answers = self._connection.makefile("rb")
        if gone:  # before the answer
            self._connection.sendall(request)
            self.close()
            return refused
        self._waiting.append(request)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # which reading shows, too
            self._connection.sendall(request + b"\n")
        if long:
            refused += self.take_all_answers()
        elif len(self._waiting) >= IN_FLIGHT:
            refused += self._take_answer()
        if len(request) > MAX_REQUEST_BYTES:
            self.close()  # closed by the router, after an error message
        return refused

    def take_all_answers(self) -> int:
        return sum(self._take_answer() for _ in range(len(self._waiting)))

    def _take_answer(self) -> bool:
        """Answers come in the order of the requests. Returns whether this one was refused."""
        request = self._waiting.popleft()
        try:
            while True:
                answer = decode(self._answers.readline() or b"{}")
                if "text" not in answer:
                    break
        except (BrokenPipeError, ConnectionResetError):
            answer = {}
        except OSError as error:
            raise Fault(f"no answer to {request[:200]!r}: {error}") from None
        if "internal error" in str(answer.get("error", "")):
            raise Fault(f"{answer['error']} as answer to {request[:300]!r}")
        if not answer and len(request) <= MAX_REQUEST_BYTES:
            raise Fault(f"the session ended at {request[:200]!r}")
        return "error" in answer

    def _garbage(self, chance: random.Random) -> bytes:
        return chance.choice(
            (
                chance.randbytes(chance.randrange(100)).replace(b"\n", b""),
                b"[" * chance.choice((10, 60_000)),
                b'{"command":' + b"[" * 1000 + b"]" * 1000 + b"}",
                b'{"command":1e999}',
                b'{"complete":"show ' + b"x" * chance.choice((3, 60_000)) + b'"}',
                b'{"command":"show version","directory":"' + b"d" * 5000 + b'"}',
                b"x" * 70_000,
                b'{"command":"show \\ud800 interface"}',
            )
        )

    def close(self) -> None:
        if self._connection is not None:
            self._answers.close()
            self._connection.close()
            self._connection = None
