"""Clients that connect and send nothing, or half of a request: servers continue, without a tight loop and without a log
that fills the disk.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.ports import free_port

from trials.started import RING, RPC, Started, connected, generator, open_files, router
from trials.trial import Ground, trial, until
from wirespeed.router.client import ask
from wirespeed.vpp_api import papi

MOST_CPU_S = 0.1
"""CPU time that a server may use per second while clients wait. It uses a hundredth; a server in a tight loop uses all
that it can get.
"""
MORE_FILES = 3
HALVES = (
    b"",
    b"G",
    b"GET / HTTP/1.1\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ",
    b"POST /config HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{",
)
HALF_LINES = (b"", b'{"command":"show ver')
HALF_MESSAGES = (b"", b"\0" * 9)
Place = str | tuple[str, int]


@dataclass(frozen=True)
class Server:
    """A listener of a started program; `ask` is a whole request, whose answer is checked; `halves` are partial requests
    for clients that send no more.
    """

    name: str
    program: Started
    place: Place
    ask: Callable[[], object]
    halves: Sequence[bytes]

    @property
    def pid(self) -> int:
        return self.program.process.pid


@trial("held-connections", "more idle clients and half requests than a server has descriptors: it waits, then serves")
def held(ground: Ground) -> None:
    with servers(ground) as there:
        for server in there:
            hold(ground, server, ground.random.randint(8, 64))


@trial("half-requests", "hundreds of half requests at each HTTP server: others are answered meanwhile")
def halves(ground: Ground) -> None:
    count = ground.times(1500, 300)
    with servers(ground) as there:
        for server in (one for one in there if one.name in ("OTG", "exporter", "live page")):
            with ExitStack() as undo:
                for _ in range(count):
                    with contextlib.suppress(ConnectionError):  # the oldest ones are closed
                        client = undo.enter_context(socket.create_connection(server.place, timeout=60))
                        client.sendall(ground.random.choice(HALVES))
                answered(ground, server, f"beside {count} half requests")
            ground.figures[server.name] = f"answers beside {count}"


def hold(ground: Ground, server: Server, more: int) -> None:
    """Use up all descriptors of `server`, check it while clients wait, disconnect, and check it again."""
    before, said = open_files(server.pid), len(server.program.said)
    soft, hard = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
    limit = max(int(path.name) for path in Path(f"/proc/{server.pid}/fd").iterdir()) + 1 + more
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (limit, hard))
    clients: list[socket.socket] = []
    try:
        # One more client is in the listener's queue, behind those that use up the descriptors.
        if not until(lambda: (connect_one(ground, server, clients), is_short(server, said))[1]):
            ground.fault(f"{server.name}: {len(clients)} clients, and it did not say that it is out of descriptors")
        cpu_s, begun_s = cpu_time_s(server.pid), time.monotonic()
        time.sleep(ground.times(15, 2))
        share = (cpu_time_s(server.pid) - cpu_s) / (time.monotonic() - begun_s)
        lines = server.program.said[said:].splitlines()
    finally:
        for client in clients:
            client.close()
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (soft, hard))
    if share > MOST_CPU_S:
        ground.fault(f"{server.name}: it took {share:.2f} of a CPU while {len(clients)} clients waited")
    if len(lines) > 2:
        ground.fault(f"{server.name}: it wrote {len(lines)} lines: {lines[-1]}")
    answered(ground, server, f"after {len(clients)} idle clients")
    if not until(lambda: open_files(server.pid) <= before + MORE_FILES):
        ground.fault(f"{server.name}: {before} descriptors became {open_files(server.pid)}")
    ground.figures[server.name] = f"{len(clients)} held, {share:.2f} of a CPU, {len(lines)} lines"


def is_short(server: Server, since: int) -> bool:
    return os.strerror(errno.EMFILE) in server.program.said[since:] or server.program.process.poll() is not None


def connect_one(ground: Ground, server: Server, clients: list[socket.socket]) -> None:
    client = socket.socket(socket.AF_UNIX if isinstance(server.place, str) else socket.AF_INET)
    client.settimeout(0.2)
    try:
        client.connect(server.place)
        client.sendall(ground.random.choice(server.halves))
    except OSError:
        client.close()  # the listener's queue is full
        return
    clients.append(client)


def answered(ground: Ground, server: Server, when: str) -> None:
    try:
        server.ask()
    except Exception as error:
        ground.fault(f"{server.name}, {when}: no answer: {type(error).__name__}: {error}")


def cpu_time_s(pid: int) -> float:
    """CPU time of all threads, except for the workers of a router or generator, which poll."""
    ticks = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        name, _, counts = (thread / "stat").read_text().partition("(")[2].rpartition(")")
        if not name.startswith("ws_wk"):
            ticks += sum(map(int, counts.split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def servers(ground: Ground) -> Iterator[list[Server]]:
    """Each wirespeed program that listens, with each of its listeners."""
    otg, metrics, page = ((f"127.0.0.1:{free_port()}") for _ in range(3))
    with ExitStack() as undo:
        made, control = undo.enter_context(router(ground.new_directory("router"), "e0=ring:a", "e1=ring:a"))
        api = control.with_name("api.sock")
        sender = undo.enter_context(generator(*RING, "--otg", otg))
        exporter = undo.enter_context(Started(["exporter", "--listen", metrics, "--router", str(control)]))
        exporter.must_say("http")
        web = undo.enter_context(Started(["web", str(ground.new_directory("results")), "--listen", page]))
        web.must_say("http")
        yield [
            Server("control socket", made, str(control), lambda: ask(control, "show version"), HALF_LINES),
            Server("binary API", made, str(api), lambda: version_by_api(api), HALF_MESSAGES),
            Server("RPC", sender, address(RPC), ping, (b"",)),
            Server("OTG", sender, address(otg), lambda: fetch(f"http://{otg}/config"), HALVES),
            Server("exporter", exporter, address(metrics), lambda: fetch(f"http://{metrics}/metrics"), HALVES),
            Server("live page", web, address(page), lambda: fetch(f"http://{page}/"), HALVES),
        ]


def address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    return host, int(port)


def ping() -> None:
    with connected() as client:
        client.call("ping")


def version_by_api(api: Path) -> None:
    with papi.connected(api) as client:
        client.api.show_version()


def fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return bytes(answer.read())
