"""Many streams, several clients, several generators: the real process under its owners' habits."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.lab.lab import free_rpc_port
from wirespeed.lab.process import Child
from wirespeed.profiles import load_profile
from wirespeed.units import Rate

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

DEADLINE_S = 60.0
VANISHING = """
import os, sys
from wirespeed.client.generator_client import GeneratorClient
from wirespeed.profiles import load_profile
from wirespeed.units import Rate
client = GeneratorClient(sys.argv[1])
client.connect()
client.acquire([0])
client.add_streams(0, load_profile("bench", {}, 0, 0))
client.start([0], Rate(1000, "pps"))
os._exit(0)
"""


def generator(directory: Path, *options: str) -> tuple[Child, str]:
    """A generator on a ring, and where it answers."""
    address = f"127.0.0.1:{free_rpc_port()}"
    ports = ["--port", "ring:loop,speed=10G"] * 2
    arguments = ["generator", *ports, "--hugepages", "never", "--rpc", address, *options]
    return Child("generator", arguments, directory / f"log-{address}").start(), address


@pytest.fixture
def rpc(tmp_path: Path) -> Iterator[str]:
    child, address = generator(tmp_path, "--owner-timeout", "1")
    with child:
        yield address


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_ten_thousand_streams_on_a_port(rpc: str) -> None:
    (loaded,) = load_profile("bench", {"vm": "var2"}, 0, 0)
    with GeneratorClient(rpc) as client:
        client.connect()
        client.acquire([0])
        client.add_streams(0, [loaded | {"stream_id": number} for number in range(1, 10_001)])
        assert len(client.call("get_stream_list", port_id=0)) == 10_000
        client.start([0], Rate(100_000, "pps"))
        wait_for(lambda: client.snapshot([0, 1]).ports[1].ipackets > 10_000)
        client.stop([0])
        client.release([0])


def test_traffic_of_a_client_that_vanished_stops_while_others_look_on(rpc: str) -> None:
    assert subprocess.run([sys.executable, "-c", VANISHING, rpc], timeout=60, check=False).returncode == 0
    with GeneratorClient(rpc) as reader:
        reader.connect()
        assert reader.port_status([0])[0].owner
        wait_for(lambda: reader.port_status([0])[0].state == "STREAMS")
        assert reader.snapshot([0]).ports[0].opackets > 0
        assert reader.port_status([0])[0].owner  # the port is still theirs, to come back to or to be taken by force


def test_an_owner_that_only_reads_is_heard(rpc: str) -> None:
    with GeneratorClient(rpc) as client:
        client.connect()
        client.acquire([0])
        client.add_streams(0, load_profile("bench", {}, 0, 0))
        client.start([0], Rate(1000, "pps"))
        first = client.snapshot([0])
        now = first
        while now.at_s < first.at_s + 2.5:  # two and a half times what the server waits
            time.sleep(0.2)
            now = client.snapshot([0])
        assert client.port_status([0])[0].state == "TX"
        client.release([0])


def test_two_generators_on_one_host(tmp_path: Path, rpc: str) -> None:
    child, other = generator(tmp_path)
    with child, GeneratorClient(rpc) as one, GeneratorClient(other) as two:
        for client in (one, two):
            client.connect()
            client.acquire([0])
            client.add_streams(0, load_profile("bench", {}, 0, 0))
        one.start([0], Rate(1000, "pps"))
        wait_for(lambda: one.snapshot([0, 1]).ports[1].ipackets > 0)
        assert two.snapshot([0, 1]).ports[1].ipackets == 0
        assert two.port_status([0])[0].state == "STREAMS"
        one.release([0])
        two.release([0])
