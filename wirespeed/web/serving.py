"""Serves the application by uvicorn; for a test in a separate process, which costs the tester nothing and outlives
it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from wirespeed.ending_signals import ENDING
from wirespeed.errors import EnvironmentFault
from wirespeed.exporter.target import Target
from wirespeed.held_signals import signals_held
from wirespeed.serving.http import END_S, HttpServer, listening
from wirespeed.web.app import Audience, Where, application

_NICE = 15
_START_S = 20.0
_CLOSED_S = 3.0
"""Time without an open page after which the server ends: reloading a page takes about a second."""
_LOOK_S = 0.25


def bound(where: Where) -> socket.socket:
    """A socket that listens there. EnvironmentFault when it cannot be had."""
    try:
        return listening(where.host, where.port)
    except socket.gaierror as error:
        raise EnvironmentFault(
            f"{where.host} is not an address of this host: {error.strerror or error}; give another --listen"
        ) from None
    except OSError as error:
        raise EnvironmentFault(
            f"cannot listen on {where.host}:{where.port} ({error.strerror or error}); give another --listen"
        ) from None


def address_of(made: socket.socket, where: Where) -> str:
    """The URL for a browser."""
    host = f"[{where.host}]" if ":" in where.host else where.host
    return f"http://{host}:{made.getsockname()[1]}/{f'{where.token}/' if where.token else ''}"


def serve(
    places: Sequence[Path],
    where: Where,
    made: socket.socket,
    targets: Sequence[Target] = (),
    grace_s: float | None = None,
) -> None:
    """Until SIGINT, SIGTERM or SIGHUP. With `grace_s` also until `grace_s` after the end of standard input, and no
    longer than somebody looks."""
    audience = Audience()
    server = HttpServer(application(places, where, targets, audience), "web page", ending=ENDING)
    audience.ends = lambda: server.should_exit
    if grace_s is not None:
        Thread(target=_stay, args=(server, audience, grace_s), daemon=True).start()
    server.run(sockets=[made])


def _stay(server: HttpServer, audience: Audience, grace_s: float) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    # Nobody reads what would be said from here on.
    with Path(os.devnull).open("wb") as nowhere:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere.fileno(), stream.fileno())
    now_s = seen_s = time.monotonic()
    end_s = now_s + grace_s
    while now_s < end_s and now_s - seen_s < _CLOSED_S:
        time.sleep(_LOOK_S)
        now_s = time.monotonic()
        if audience.pages:
            seen_s = now_s
    server.should_exit = True


@contextmanager
def served_beside(places: Sequence[Path], grace_s: float) -> Iterator[str]:
    """Serve them by a process of its own, on this one's CPUs and behind everybody there; gives its address. After the
    block, and after this process, it stays for `grace_s` at most and ends with the last open page. EnvironmentFault
    when it does not start."""
    cpus = os.sched_getaffinity(0)

    def begin() -> None:
        os.sched_setaffinity(0, cpus)
        os.nice(_NICE)

    process = subprocess.Popen(
        [sys.executable, "-m", "wirespeed", "web", "--listen", "127.0.0.1:0", "--grace", f"{grace_s:g}"]
        + [str(place.absolute()) for place in places],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # scheduled as a group of its own: behind pollers of this one, pages would lose it
        preexec_fn=begin,  # noqa: PLW1509 - no other thread runs Python
    )
    try:
        address = _told(process)
    except BaseException:
        with signals_held():
            _end(process)
        raise
    try:
        yield address
    finally:
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.returncode = 0  # it outlives this process, and nobody waits for it


def _told(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None and process.stderr is not None
    deadline_s = time.monotonic() + _START_S
    while time.monotonic() < deadline_s:
        line = process.stdout.readline()
        if line.startswith("http"):
            return line.split()[0]
        if not line:
            break
    reason = process.stderr.read().strip().splitlines() if process.poll() is not None else []
    raise EnvironmentFault(f"the live page did not start: {reason[-1] if reason else 'it said nothing'}")


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(END_S + 3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
