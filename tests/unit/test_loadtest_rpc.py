"""The load tester with wirespeed's RPC server on a core of numbers instead of packets."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import zmq
from fake_generator import FakeGenerator

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import EnvironmentFault, RemoteError
from wirespeed.generator.server import Server
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.loadtest.plan import LoadPlan
from wirespeed.measurement.loadtest.run import run_loadtest
from wirespeed.profiles import load_profile
from wirespeed.results.ending import raise_for
from wirespeed.units import Rate

QUICK = LoadPlan("bench", warmup_rate=Rate(100_000, "pps"), warmup_s=0.06, ramp_s=0.36, hold_s=0.09, interval_s=0.03)


@contextmanager
def generator() -> Iterator[tuple[FakeGenerator, GeneratorClient]]:
    """A server whose packets advance with time, and a connected client."""
    core = FakeGenerator()
    server = Server(core)
    context = zmq.Context()
    socket = context.socket(zmq.REP)
    socket.setsockopt(zmq.LINGER, 0)
    port = socket.bind_to_random_port("tcp://127.0.0.1")
    ending = threading.Event()

    def serve() -> None:
        last_s = time.monotonic()
        while not ending.is_set():
            if socket.poll(20):
                message = socket.recv()
                now_s = time.monotonic()
                core.advance(now_s - last_s)
                last_s = now_s
                socket.send(server.handle(message))

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with GeneratorClient(f"127.0.0.1:{port}") as client:
            client.connect()
            yield core, client
    finally:
        ending.set()
        thread.join()
        socket.close()
        context.term()


@pytest.mark.parametrize(
    ("tunables", "frame_bytes"),
    [({"size": "64", "vm": "var2"}, 64), ({"size": "1514"}, 1514), ({"size": "imix"}, 362.5)],
)
def test_percent_of_line_means_the_same_on_both_sides(tunables: dict[str, str], frame_bytes: float) -> None:
    with generator() as (_, client):
        result = run_loadtest(replace(QUICK, tunables=tunables), Execution(client))
        statuses = client.port_status((0, 1))
    raise_for(result.ending)
    assert result.versions["generator"].startswith("wirespeed ")
    for ended in result.outcome.channels.values():
        assert ended.frame_bytes == pytest.approx(frame_bytes, abs=0.1)
        assert ended.full_load is not None and ended.full_load.received_percent == pytest.approx(100, rel=0.02)
        balance = ended.balance
        assert balance.intended == balance.sent == balance.received
        assert (balance.refused, balance.late, ended.loss_onset, ended.saturation) == (0, 0, None, None)
    hold = [sample for sample in result.samples if sample.phase == "hold"]
    assert hold[-1].ports[0].tx_util == pytest.approx(100, rel=0.02)
    assert hold[-1].ports[0].intended_pps == pytest.approx(hold[-1].ports[0].tx_pps)
    assert "cpu_util" in hold[-1].global_stats
    assert {(status.owner, status.state) for status in statuses.values()} == {("", "IDLE")}


def test_a_line_that_has_no_link_and_a_port_that_is_taken() -> None:
    with generator() as (core, client):
        core.set_link_state(1, False)
        with pytest.raises(EnvironmentFault, match="port 1 .* has no link"):
            run_loadtest(QUICK, Execution(client))
        core.set_link_state(1, True)
        client.call("acquire", port_id=1, user="somebody", session_id=1, force=False)
        with pytest.raises(RemoteError, match=r"somebody.*--force"):
            run_loadtest(QUICK, Execution(client))
        assert run_loadtest(replace(QUICK, force=True), Execution(client)).ending.status == "complete"


def test_latency_streams_alone_are_measured_at_their_own_rate(tmp_path: Path) -> None:
    (loaded,) = load_profile("bench", {"flow": "fsl", "size": "128"}, 0, 0)
    loaded["stream"]["mode"]["rate"] = {"type": "pps", "value": 10_000}
    profile = tmp_path / "latency.json"
    profile.write_text(json.dumps([loaded["stream"]]))
    with generator() as (core, client):
        assert not core.port_info(0).promiscuous
        result = run_loadtest(replace(QUICK, profile=str(profile), directions=QUICK.directions[:1]), Execution(client))
        assert core.port_info(0).promiscuous  # a DUT may bridge the addresses of a profile
    raise_for(result.ending)
    for ended in result.outcome.channels.values():
        assert ended.balance.intended == ended.balance.sent == ended.balance.received > 0
        assert ended.full_load is not None and ended.loss_onset is None
