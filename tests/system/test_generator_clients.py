"""Many streams, several clients, several generators: the real process with typical behaviour of owners."""

from __future__ import annotations

import subprocess
import sys

import pytest
from harness.waiting import wait_for
from shared_labs import OWNER_TIMEOUT_S, RingLab, connected

from wirespeed.profiles import load_profile
from wirespeed.units import Rate

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

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


@pytest.fixture
def rpc(impatient_ring: RingLab) -> str:
    return impatient_ring.rpc


@pytest.mark.parametrize("count", [2_000, pytest.param(10_000, marks=pytest.mark.long("ten thousand streams"))])
def test_thousands_of_streams_on_a_port(rpc: str, count: int) -> None:
    (loaded,) = load_profile("bench", {"vm": "var2"}, 0, 0)
    with connected(rpc) as client:
        client.acquire([0])
        client.add_streams(0, [loaded | {"stream_id": number} for number in range(1, count + 1)])
        assert len(client.call("get_stream_list", port_id=0)) == count
        client.start([0], Rate(100_000, "pps"))
        wait_for(lambda: client.snapshot([0, 1]).ports[1].ipackets > 10_000, "10 000 packets")
        client.stop([0])
        client.release([0])


def test_traffic_of_a_client_that_vanished_stops_while_others_look_on(rpc: str) -> None:
    assert subprocess.run([sys.executable, "-c", VANISHING, rpc], timeout=60, check=False).returncode == 0
    with connected(rpc) as reader:
        assert reader.port_status([0])[0].owner
        wait_for(lambda: reader.port_status([0])[0].state == "STREAMS", "the end of the traffic")
        assert reader.snapshot([0]).ports[0].opackets > 0
        assert reader.port_status([0])[0].owner  # the port is still theirs, to come back to or to be taken by force


def test_an_owner_that_only_reads_is_heard(rpc: str) -> None:
    with connected(rpc) as client:
        client.acquire([0])
        client.add_streams(0, load_profile("bench", {}, 0, 0))
        client.start([0], Rate(1000, "pps"))
        first = client.snapshot([0])

        def reads() -> bool:
            return client.snapshot([0]).at_s > first.at_s + 2 * OWNER_TIMEOUT_S

        wait_for(reads, "twice the time that the server waits")
        assert client.port_status([0])[0].state == "TX"
        client.release([0])


def test_two_generators_on_one_host(ring: RingLab, rpc: str) -> None:
    with connected(rpc) as one, connected(ring.rpc) as two:
        for client in (one, two):
            client.acquire([0])
            client.add_streams(0, load_profile("bench", {}, 0, 0))
        before = two.snapshot([0, 1]).ports[1].ipackets  # its counters include earlier tests
        one.start([0], Rate(1000, "pps"))
        wait_for(lambda: one.snapshot([0, 1]).ports[1].ipackets > 0, "a packet")
        assert two.snapshot([0, 1]).ports[1].ipackets == before
        assert two.port_status([0])[0].state == "STREAMS"
        one.release([0])
        two.release([0])
