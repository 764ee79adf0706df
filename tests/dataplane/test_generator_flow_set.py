"""Flow sets over RPC: the phases of RFC 9693 on two ports of a generator, connected directly or by a cross-connect.

Effects of a device on flows are tested in native/tests/test_flow_set_translator.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_run import start_generator
from harness.cpus import ALL_CPUS
from harness.waiting import wait_for
from router_run import CROSSED, router

from wirespeed.client.flow_sets import FlowAddresses, FlowPorts, FlowProtocol, FlowSet
from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import RemoteError
from wirespeed.trial.directions import pair_directions
from wirespeed.trial.flow_session import FlowSession, Handshakes
from wirespeed.trial.load import load_of
from wirespeed.trial.tester import Tester as Ports
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate

FLOWS = 8_000
DEADLINE_S = 20


@contextmanager
def serving(*ports: str, options: Sequence[str] = ()) -> Iterator[str]:
    run = start_generator("--port", ports[0], "--port", ports[1], *options)
    assert run.serves, run.lines
    yield run.address
    run.process.terminate()
    assert run.process.communicate(timeout=DEADLINE_S) == ("", "")


@pytest.fixture(scope="module", params=["ring", "memif"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A ring passes packets on and gets copies; a memif's peer reads them in place, and they are rewritten."""
    if request.param == "ring":
        with serving("ring:wire", "ring:wire") as address:
            yield address
        return
    with crossed(tmp_path_factory.mktemp("wire")) as address:
        yield address


@contextmanager
def crossed(folder: Path, queues: int = 1, options: Sequence[str] = ()) -> Iterator[str]:
    """A generator whose ports a router cross-connects."""
    wires = [f"memif:{folder}/w{i}.sock,rxq={queues},txq={queues},rxd=4096,txd=4096" for i in (0, 1)]
    crossing = router(folder, [f"e{i}={wire},role=server" for i, wire in enumerate(wires)], CROSSED)
    with crossing as running, serving(*(f"{wire},role=client" for wire in wires), options=options) as address:
        wait_for(lambda: running.ask("show hardware-interfaces").count("carrier up") == 2, "both links")
        yield address


@pytest.fixture
def client(server: str) -> Iterator[GeneratorClient]:
    with GeneratorClient(server) as one:
        one.connect()
        one.acquire([0, 1])
        yield one
        one.release([0, 1])


def flow_set(version: int = 4, flows: int = FLOWS, protocol: FlowProtocol = "udp") -> FlowSet:
    source, destination = {4: ("10.0.0.2", "198.19.0.2"), 6: ("2001:2::2", "2001:2:0:8000::2")}[version]
    ranges = FlowAddresses(source), FlowAddresses(destination, 3), FlowPorts(1024, 50_000), FlowPorts(1, 10)
    return FlowSet(*ranges, flows=flows, protocol=protocol)


@pytest.mark.parametrize(
    ("version", "frame_bytes", "protocol"),
    [
        (4, None, "udp"),
        pytest.param(4, 1514, "udp", marks=pytest.mark.long("the shortest frames leave the least room")),
        pytest.param(6, None, "udp", marks=pytest.mark.long("IPv6 is tested with connections each day")),
        pytest.param(4, None, "tcp", marks=pytest.mark.long("IPv4 is tested without connections each day")),
        pytest.param(4, 1514, "tcp", marks=pytest.mark.long("the shortest frames leave the least room")),
        (6, None, "tcp"),
    ],
)
def test_all_phases_over_a_wire(
    client: GeneratorClient, version: int, frame_bytes: int | None, protocol: FlowProtocol
) -> None:
    rate_fps = 20_000  # a worker that is preempted on a busy machine catches up 1024 frames
    with FlowSession(client, flow_set(version, protocol=protocol), frame_bytes=frame_bytes) as session:
        for _ in range(2):  # the second trial forgets what the first one learnt
            opened = session.establish(rate_fps, latency_every=1)
            assert opened.is_whole
            assert (opened.sending.sent, opened.established, opened.untranslated) == (FLOWS, FLOWS, FLOWS)
            assert (opened.duplicates, opened.destination_changed) == (0, 0)
            assert (opened.latency.packets if opened.latency is not None else 0) == (FLOWS if protocol == "udp" else 0)
            assert opened.handshakes == (None if protocol == "udp" else Handshakes(0, 0, 0, 0))
            proved = session.validate(rate_fps)
            assert proved.is_whole
            assert (proved.sending.sent, proved.established, proved.missing, proved.duplicates) == (FLOWS, FLOWS, 0, 0)
            assert proved.latency is None
        used = session.exchange(0.1, initiator_fps=50_000, responder_fps=20_000, latency_every=4)
        for direction, fps in ((used.to_responder, 50_000), (used.to_initiator, 20_000)):
            assert direction is not None
            assert direction.sending.asked == pytest.approx(fps / 10)
            assert direction.received == direction.sending.sent > 0
            assert (direction.remapped, direction.unlearnt, direction.wrong_destination) == (0, 0, 0)
            assert direction.latency is not None
            assert direction.latency.packets == pytest.approx(direction.received / 4, abs=1)
            assert direction.variation is None
        assert (used.others.late, used.others.bad, used.others.unknown) == (0, 0, 0)
        one_way = session.exchange(0.05, responder_fps=20_000, latency_every=1)
        assert one_way.to_responder is None
        assert one_way.to_initiator is not None
        variation = one_way.to_initiator.variation
        assert variation is not None
        assert variation.packets == one_way.to_initiator.received - 1
        assert variation.min_us <= variation.median_us <= variation.max_us


def test_connections_open_at_the_rate_that_a_line_carries() -> None:
    """Answers are planned at twice the rate, on the port that sends the SYNs: together more than its line."""
    with serving("ring:flows,speed=1G", "ring:flows,speed=1G") as address, GeneratorClient(address) as client:
        client.connect()
        client.acquire([0, 1])
        with FlowSession(client, flow_set(protocol="tcp")) as session:
            assert session.establish(700_000).sending.sent > 0
        client.release([0, 1])


@pytest.mark.long("two workers have the whole machine")
@pytest.mark.skipif(len(ALL_CPUS) < 2, reason="two workers need two CPUs")
@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_workers_share_a_set(tmp_path: Path, protocol: FlowProtocol) -> None:
    first, second = sorted(ALL_CPUS)[:2]
    with crossed(tmp_path, 2, ("--cpu", f"{first},{second}/")) as address, GeneratorClient(address) as client:
        client.connect()
        client.acquire([0, 1])
        with FlowSession(client, flow_set(protocol=protocol)) as session:
            assert session.establish(20_000).is_whole
            assert session.validate(20_000).is_whole
            used = session.exchange(0.2, initiator_fps=20_000, responder_fps=20_000, latency_every=1)
        client.release([0, 1])
    for direction in (used.to_responder, used.to_initiator):
        assert direction is not None
        assert direction.received == direction.sending.sent > 0
        assert (direction.duplicates, direction.unplaced, direction.remapped, direction.wrong_destination) == (
            0,
            0,
            0,
            0,
        )


def test_a_trial_holds_loads_over_flows(client: GeneratorClient) -> None:
    session = FlowSession(client, flow_set())
    load = load_of({0: session.streams(), 1: session.streams()})
    with Trial(Ports(client, pair_directions()), load) as trial, session:
        session.establish(100_000)
        session.begin_exchange()
        balances = [trial.measure(Rate(pps, "pps"), 0.1).balance for pps in (10_000, 20_000)]
        used = session.end_exchange()
    assert [one.lost for one in balances] == [0, 0]
    assert used.to_responder is not None and used.to_initiator is not None
    assert used.to_responder.received + used.to_initiator.received == sum(one.offered for one in balances)


def test_flows_are_told_one_by_one(client: GeneratorClient) -> None:
    with FlowSession(client, flow_set(6, 5)) as session:
        assert client.call("get_flow_tuple", port_id=0, flow=4)["learnt"] is None
        session.establish(1000)
        told = [client.call("get_flow_tuple", port_id=0, flow=flow) for flow in range(5)]
        assert all(one["sent"] == one["learnt"] for one in told)
        assert {one["sent"]["source"] for one in told} == {"2001:2::2"}
        assert len({tuple(one["sent"].values()) for one in told}) == 5
        with pytest.raises(RemoteError, match="there is no flow 5; 0 to 4 are possible"):
            client.call("get_flow_tuple", port_id=0, flow=5)


def test_a_cancelled_phase_ends_early(client: GeneratorClient) -> None:
    with FlowSession(client, flow_set()) as session:
        opened = session.establish(100, is_cancelled=lambda: True)
        assert 0 < opened.sending.sent < FLOWS
        assert opened.established == opened.sending.sent
        proved = session.validate(100_000)
        assert proved.learnt == proved.established == opened.established


def test_a_set_ends_with_its_owner(client: GeneratorClient, server: str) -> None:
    session = FlowSession(client, flow_set())
    session.__enter__()
    session.establish(100_000)
    client.acquire([0, 1], force=True)  # the same session
    assert session.validate(100_000).is_whole
    with GeneratorClient(server) as other:
        other.connect()
        other.acquire([0, 1], force=True)
        with pytest.raises(RemoteError, match="has no flow set"):
            other.call("get_flow_set", port_id=0)
        other.release([0, 1])
    client.acquire([0, 1])


def test_what_cannot_be_is_refused(client: GeneratorClient) -> None:
    few = flow_set(flows=10)
    with pytest.raises(RemoteError, match="has no flow set"):
        client.ask_as_owner("begin_flow_phase", 0, phase="learn")
    client.add_streams(0, [{"stream_id": 1, "stream": few.stream("each", 64, 1000, packets=10)}])
    with pytest.raises(RemoteError, match="has no flow set"):
        client.ask_as_owner("start_traffic", 0, mul={"type": "raw", "op": "abs", "value": 1}, duration=-1, force=False)
    with FlowSession(client, few) as session:
        with pytest.raises(RemoteError, match="no phase of the flow set has begun"):
            client.ask_as_owner(
                "start_traffic", 0, mul={"type": "raw", "op": "abs", "value": 1}, duration=-1, force=False
            )
        with pytest.raises(RemoteError, match="no flows are learnt yet; send phase 1 first"):
            session.begin_exchange()
        proved = session.validate(1000)
        assert (proved.learnt, proved.sending.sent, proved.is_whole) == (0, 0, False)
        with pytest.raises(RemoteError, match="a power of 2"):
            session.begin_exchange(latency_every=3)
        with pytest.raises(RemoteError, match="cannot be both initiator and responder"):
            FlowSession(client, few, responder=0).__enter__()
        session.establish(10_000)
        stream = few.stream("random", 64, 1000)
        counted = {"enabled": True, "stream_id": 7, "rule_type": "stats"}
        with pytest.raises(RemoteError, match="a stream of a flow set has no flow_stats"):
            client.add_streams(1, [{"stream_id": 2, "stream": stream | {"flow_stats": counted}}])
        client.add_streams(1, [{"stream_id": 3, "stream": stream}])
        session.begin_exchange()
        client.ask_as_owner("start_traffic", 1, mul={"type": "raw", "op": "abs", "value": 1}, duration=-1, force=False)
        with pytest.raises(RemoteError, match="still sends; stop it first"):
            session.begin_exchange()
    with pytest.raises(RemoteError, match=r"\d+ flows take \d+ MB in the generator"):
        FlowSession(client, FlowSet(*wide(), flows=(1 << 32) - 1)).__enter__()


def wide() -> tuple[FlowAddresses, FlowAddresses, FlowPorts, FlowPorts]:
    return FlowAddresses("10.0.0.2", 65_000), FlowAddresses("198.19.0.2"), FlowPorts(1024, 50_000), FlowPorts(1, 10)
