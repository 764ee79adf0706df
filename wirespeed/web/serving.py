"""The application served by uvicorn; and as a process beside a test, which costs the tester nothing."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wirespeed.bound_child import bound_to_parent
from wirespeed.ending_signals import ENDING
from wirespeed.errors import EnvironmentFault
from wirespeed.exporter.target import Target
from wirespeed.held_signals import signals_held
from wirespeed.serving.http import END_S, HttpServer, listening
from wirespeed.web.app import Where, application

_NICE = 15
_START_S = 20.0


def bound(where: Where) -> socket.socket:
    """A socket that listens there. EnvironmentFault when it cannot be had."""
    try:
        return listening(where.host, where.port)
    except socket.gaierror as error:
        raise EnvironmentFault(
            f"{where.host} is not an address here: {error.strerror or error}; give --listen"
        ) from None
    except OSError as error:
        raise EnvironmentFault(
            f"{where.host}:{where.port} cannot be listened at ({error.strerror or error}); give another --listen"
        ) from None


def address_of(made: socket.socket, where: Where) -> str:
    """What a browser is given."""
    host = f"[{where.host}]" if ":" in where.host else where.host
    return f"http://{host}:{made.getsockname()[1]}/{f'{where.token}/' if where.token else ''}"


def serve(places: Sequence[Path], where: Where, made: socket.socket, targets: Sequence[Target] = ()) -> None:
    """Until SIGINT, SIGTERM or SIGHUP."""
    HttpServer(application(places, where, targets), "web page", ending=ENDING).run(sockets=[made])


@contextmanager
def served_beside(places: Sequence[Path]) -> Iterator[str]:
    """Serve them by a process of its own, on this one's CPUs and behind everybody there, until the block ends; gives
    its address. EnvironmentFault when it does not start."""
    settle = bound_to_parent(os.sched_getaffinity(0), signal.SIGTERM)

    def begin() -> None:
        settle()
        os.nice(_NICE)

    process = subprocess.Popen(
        [sys.executable, "-m", "wirespeed", "web", "--listen", "127.0.0.1:0", *map(str, places)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=begin,  # noqa: PLW1509 - no other thread runs Python
    )
    try:
        yield _told(process)
    finally:
        with signals_held():
            _end(process)


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
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
