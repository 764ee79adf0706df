"""RPC ports of labs that start at the same time."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import ExitStack

from wirespeed.machine.ports import free_rpc_port

_CHOOSE = "from wirespeed.machine.ports import free_rpc_port; print(free_rpc_port(), flush=True); input()"


def chooser() -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _CHOOSE]
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


def chosen(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())


def test_labs_that_start_together_are_given_ports_of_their_own() -> None:
    with ExitStack() as running:
        processes = [running.enter_context(chooser()) for _ in range(4)]
        try:
            ports = [chosen(process) for process in processes]
            assert len({*ports, free_rpc_port()}) == 5
        finally:
            for process in processes:
                process.kill()


def test_a_killed_lab_leaves_its_port_to_others_and_a_living_one_has_it_again() -> None:
    with chooser() as first:
        port = chosen(first)
        first.kill()
    with chooser() as second:
        assert chosen(second) == port
        second.kill()
    own = free_rpc_port()
    assert free_rpc_port() == own
    with socket.socket() as other:
        other.bind(("127.0.0.1", own - 1))
        assert free_rpc_port() != own
