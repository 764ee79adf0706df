"""The generator as a process on the real core: two ports connected by a ring, driven over its RPC."""

from __future__ import annotations

import base64
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from generator_run import start_generator
from harness.cpus import ALL_CPUS
from harness.waiting import wait_for
from scapy.all import IP, TCP, UDP, Ether, wrpcap

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.client.readings import Snapshot
from wirespeed.errors import RemoteError
from wirespeed.machine.child import Child
from wirespeed.machine.ports import free_rpc_port
from wirespeed.profiles import load_profile
from wirespeed.units import Rate

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

RECORDED = Path(__file__).parents[1] / "unit" / "data" / "trex_client_streams.json"
DEADLINE_S = 60.0
CPUS = sorted(ALL_CPUS)[:2]
BOTH = f"{CPUS[0]},{CPUS[-1]}/"
needs_two_cpus = pytest.mark.skipif(len(CPUS) < 2, reason="two workers need two CPUs")


class Client(GeneratorClient):
    def on_port(self, method: str, port: int, **params: Any) -> Any:
        """A request of the port's owner for which the client has no method."""
        return self.batch([self._owned(method, port, **params)])[0]


@pytest.fixture(scope="module")
def rpc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    address = f"127.0.0.1:{free_rpc_port()}"
    ports = ["--port", "ring:loop,speed=10G", "--port", "ring:loop,speed=10G"]
    arguments = ["generator", *ports, "--hugepages", "never", "--rpc", address]
    with Child("generator", arguments, tmp_path_factory.mktemp("generator") / "log").start():
        yield address


def raw(factor: float) -> dict[str, Any]:
    return {"type": "raw", "op": "abs", "value": factor}


@pytest.fixture
def client(rpc: str) -> Iterator[Client]:
    with Client(rpc) as one:
        one.connect()
        one.acquire([0, 1], force=True)
        one.reset([0, 1])
        yield one
        one.release([0, 1])


def run_until_done(client: Client, session: int) -> list[int]:
    """Wait until port 0 has finished by itself; returns the kinds of the events."""
    kinds: list[int] = []

    def is_done() -> bool:
        events = client.call("get_async_events", session_id=session, user="sub")["data"]
        kinds.extend(event["type"] for event in events)
        return 4 in kinds

    wait_for(is_done, "the end of the run")
    return kinds


def drained(client: Client) -> Snapshot:
    """Counters once no packets are in flight."""
    now = client.snapshot([0, 1])

    def is_at_rest() -> bool:
        nonlocal now
        before, now = now, client.snapshot([0, 1])
        on_the_way = any(now.ports[port].opackets != now.ports[port ^ 1].ipackets for port in (0, 1))
        return now.ports == before.ports and not on_the_way

    wait_for(is_at_rest, "counters at rest")
    return now


def wait_sent(client: Client, before: Snapshot, packets: int) -> None:
    """Wait until both ports have sent that many packets more."""
    wait_for(
        lambda: all(added(before, client.snapshot([0, 1]), port, "opackets") >= packets for port in (0, 1)),
        f"{packets} packets of each port",
    )


def added(before: Snapshot, after: Snapshot, port: int, name: str) -> int:
    difference: int = getattr(after.ports[port], name) - getattr(before.ports[port], name)
    return difference


def test_recorded_chain_sends_what_it_sent_on_trex(client: Client) -> None:
    first, second = json.loads(RECORDED.read_text())["api"][:2]
    client.call("get_async_events", session_id=1, user="sub")
    before = drained(client)
    client.add_streams(
        0,
        [
            {"stream_id": 2, "stream": first | {"next_stream_id": 3}},
            {"stream_id": 3, "stream": second | {"next_stream_id": 2}},
        ],
    )
    client.on_port("start_traffic", 0, mul=raw(1), duration=-1, force=False)
    assert run_until_done(client, 1)[-4:] == [10, 0, 14, 4]
    after = drained(client)
    for port, packets, size in ((0, "opackets", "obytes"), (1, "ipackets", "ibytes")):
        assert added(before, after, port, packets) == 450
        assert added(before, after, port, size) == 38_400
    assert client.port_status([0])[0].state == "STREAMS"


@pytest.mark.alone
@pytest.mark.parametrize("tunables", [{}, {"vm": "var2"}, {"vm": "random"}, {"vm": "tuple"}, {"size": "imix"}])
def test_what_is_sent_arrives(client: Client, tunables: dict[str, str]) -> None:
    before = drained(client)
    for port in (0, 1):
        client.add_streams(port, load_profile("bench", tunables, port, port))
    client.start([0, 1], Rate(10_000, "pps"))
    wait_sent(client, before, 3000)
    client.update([0, 1], Rate(20_000, "pps"))
    wait_sent(client, before, 9000)
    client.stop([0, 1])
    after = drained(client)
    for port in (0, 1):
        sent = added(before, after, port, "opackets")
        assert sent >= 9000
        assert added(before, after, port ^ 1, "ipackets") == sent
        assert added(before, after, port ^ 1, "ibytes") == added(before, after, port, "obytes")
        unsent = added(before, after, port, "refused") + added(before, after, port, "late")
        assert added(before, after, port, "intended") == sent + unsent


@pytest.mark.alone
def test_balance_medium_and_machine_are_told(client: Client) -> None:
    client.add_streams(0, load_profile("bench", {}, 0, 0))
    before = client.call("get_port_stats", port_id=0)["opackets"]
    client.start([0], Rate(100_000, "pps"))
    wait_for(lambda: client.call("get_port_stats", port_id=0)["opackets"] > before, "packets")
    total, sent = client.call("get_global_stats"), client.call("get_port_stats", port_id=0)
    client.stop([0])
    unsent = sum(sent[f"{why}_packets"] for why in ("refused", "no_buffer", "late"))
    assert sent["intended_packets"] == sent["opackets"] + unsent > 0
    assert not {"rx_pause_frames", "tx_pause_frames"} & sent.keys()
    kinds = {key for key in sent if key.startswith("rx_kind_")}
    assert kinds == {f"rx_kind_{kind}" for kind in ("icmp_error", "icmp6_error", "arp", "nd", "lldp", "control")}
    assert [port["medium"] for port in client.call("get_system_info")["ports"]] == ["ring", "ring"]
    status = client.call("get_port_status", port_id=0)["attr"]
    assert (status["medium"], status["fc"]) == ("ring", {"mode": -1})
    (worker,) = total["machine"]["workers"]
    assert 0 <= worker["longest_preemption_s"] <= worker["preempted_s"]
    assert total["machine"]["cpus"] >= 1


def test_a_generator_without_an_owner_rests() -> None:
    """It looks for packets a thousand times a second at most, and more often once a client has acquired a port."""
    run = start_generator("--port", "ring:rest", "--port", "ring:rest")
    try:
        thread = next(task for task in Path(f"/proc/{run.process.pid}/task").iterdir() if is_worker(task))
        wait_for(lambda: naps_per_s(thread, 20) <= 1000, "rest")
        assert naps_per_s(thread, 300) <= 1000
        with Client(run.address) as client:
            client.connect()
            client.acquire([1], force=False)
            wait_for(lambda: naps_per_s(thread, 100) > 1000, "short naps")
            client.release([1])
        wait_for(lambda: naps_per_s(thread, 20) <= 1000, "rest again")
    finally:
        run.process.terminate()
        run.process.communicate()


def is_worker(task: Path) -> bool:
    return (task / "comm").read_text().startswith("ws_wk_")


def naps_per_s(thread: Path, count: int) -> float:
    """Mean rate over the next `count` naps; not more than it was."""
    begin = time.monotonic()
    before = naps(thread)
    wait_for(lambda: naps(thread) > before + count, f"{count} naps")
    whole = naps(thread) - before - 1  # the first one had begun
    return whole / (time.monotonic() - begin)


def naps(thread: Path) -> int:
    lines = (thread / "status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))


@pytest.mark.alone
def test_duration_ends_a_run(client: Client) -> None:
    client.call("get_async_events", session_id=2, user="sub")
    client.add_streams(0, load_profile("bench", {}, 0, 0))
    client.on_port("start_traffic", 0, mul=raw(1000), duration=0.2, force=False)
    assert run_until_done(client, 2)[-2:] == [14, 4]


@pytest.mark.alone
def test_a_packet_file_is_sent_at_its_own_times(client: Client, tmp_path: Path) -> None:
    packets = [Ether(src=f"02:00:00:00:00:{number:02x}") / IP() / UDP() for number in range(3)]
    for packet, at_s in zip(packets, (5.0, 5.2, 5.3), strict=True):
        packet.time = at_s
    wrpcap(str(tmp_path / "three.pcap"), packets)
    client.call("get_async_events", session_id=3, user="sub")
    capture = client.call("capture", command="start", limit=100, mode="fixed", tx=[0], snaplen=64)["capture_id"]
    begin = time.monotonic()
    keeps_src = 0x8000_0000
    client.on_port("push_remote", 0, pcap_filename=str(tmp_path / "three.pcap"), count=2 | keeps_src)
    run_until_done(client, 3)
    assert time.monotonic() - begin >= 0.7  # a packet is never sent before its time
    sent = client.call("capture", command="fetch", capture_id=capture, pkt_limit=100, snaplen=64)["pkts"]
    client.call("capture", command="remove", capture_id=capture)
    assert [base64.b64decode(one["binary"])[11] for one in sent] == [0, 1, 2, 0, 1, 2]


def test_paused_port_sends_nothing(client: Client) -> None:
    client.add_streams(0, load_profile("bench", {}, 0, 0))
    client.start([0], Rate(10_000, "pps"))
    client.on_port("pause_traffic", 0)
    assert client.port_status([0])[0].state == "PAUSE"
    before = drained(client)
    client.on_port("resume_traffic", 0)
    wait_for(lambda: added(before, client.snapshot([0, 1]), 0, "opackets") > 0, "packets of the resumed port")
    client.stop([0])


def test_counters_of_the_driver_and_of_each_queue(client: Client) -> None:
    names = client.call("get_port_xstats_names", port_id=0)["xstats_names"]
    values = client.call("get_port_xstats_values", port_id=0)["xstats_values"]
    counted = dict(zip(names, values, strict=True))
    assert counted["tx_good_packets"] == counted["tx_q0_packets"]
    assert {"rx_q0_packets", "rx_missed_errors", "tx_late_packets"} <= counted.keys()


@pytest.mark.parametrize(
    "attr", [{"led_status": {"on": True}}, {"flow_ctrl_mode": {"mode": 1}}], ids=["LED", "flow control"]
)
def test_what_the_driver_has_not_is_refused_by_its_name(client: Client, attr: dict[str, Any]) -> None:
    (name,) = attr
    with pytest.raises(RemoteError, match=f"Error applying {name}: operation is not supported for this NIC"):
        client.on_port("set_port_attr", 0, attr=attr)


def test_streams_that_cannot_be_counted_are_refused_when_they_are_added(client: Client) -> None:
    (loaded,) = load_profile("bench", {"flow": "fsl"}, 0, 0)
    stream = loaded["stream"]
    short = base64.b64encode(bytes(Ether() / IP() / TCP())).decode()  # padded to 60, still too short
    for packet, kind, words in (
        (short, "latency", "stream 1: its packet has 6 bytes of payload; latency takes 16"),
        (base64.b64encode(bytes(60)).decode(), "stats", "flow statistics need an IPv4 or IPv6 packet"),
    ):
        counted = {"enabled": True, "stream_id": 5, "rule_type": kind}
        wrong = stream | {"packet": {"binary": packet, "meta": ""}, "flow_stats": counted}
        with pytest.raises(RemoteError, match=words):
            client.add_streams(0, [{"stream_id": 1, "stream": wrong}])
    assert client.call("get_active_pgids")["ids"] == {"flow_stats": [], "latency": []}
    for number in range(128):
        counted = {"enabled": True, "stream_id": 1000 + number, "rule_type": "latency"}
        client.add_streams(0, [{"stream_id": number + 1, "stream": stream | {"flow_stats": counted}}])
    with pytest.raises(RemoteError, match="at most 128 pg_ids with latency can be counted"):
        client.add_streams(0, [{"stream_id": 200, "stream": stream | {"flow_stats": counted | {"stream_id": 5}}}])


def test_more_than_the_line_is_refused(client: Client) -> None:
    client.add_streams(0, load_profile("bench", {}, 0, 0))
    with pytest.raises(RemoteError, match="exceeds port line rate: '10 Gbps'"):
        client.start([0], Rate(101, "percentage"))
    assert client.port_status([0])[0].state == "STREAMS"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_sending_ends_the_process_in_order(number: signal.Signals) -> None:
    run = start_generator("--port", "null", "--port", "null")
    with GeneratorClient(run.address) as one:
        one.connect()
        one.acquire([0])
        one.add_streams(0, load_profile("bench", {}, 0, 0))
        one.start([0], Rate(1000, "pps"))
    run.process.send_signal(number)
    rest, errors = run.process.communicate(timeout=DEADLINE_S)
    assert (rest, errors, run.process.returncode) == ("", "", 0)


def test_ready_line_follows_a_line_for_each_port() -> None:
    run = start_generator("--port", "null,speed=2.5G", "--port", "null", "--dest-mac", "02:fe:00:00:00:09")
    run.process.terminate()
    run.process.communicate(timeout=DEADLINE_S)
    assert run.lines[0].startswith("port 0: net_null ")
    assert "to 02:fe:00:00:00:09, 2.5 Gb/s, cpu " in run.lines[0]
    assert run.lines[1].startswith("port 1: net_null ")
    assert run.lines[2:] == [f"ready: RPC at {run.address}"]


@pytest.mark.alone
def test_bursts_weigh_their_own_rate_where_that_is_asked_for() -> None:
    run = start_generator("--port", "null", "--port", "null", "--own-burst-rates", "--spread-starts")
    (loaded,) = load_profile("bench", {}, 0, 0)
    burst = {"type": "single_burst", "rate": {"type": "pps", "value": 1000}, "total_pkts": 20}
    with Client(run.address) as one:
        one.connect()
        one.acquire([0])
        one.add_streams(0, [loaded | {"stream": loaded["stream"] | {"mode": burst}}])
        mul = {"type": "pps", "op": "abs", "value": 500}
        assert one.on_port("start_traffic", 0, mul=mul, duration=-1, force=False) == {
            "multiplier": pytest.approx(0.5),
            "ts": pytest.approx(one.call("ping")["ts"], abs=DEADLINE_S),
        }
    run.process.terminate()
    assert run.process.communicate(timeout=DEADLINE_S)[1] == ""


@needs_two_cpus
def test_cores_of_a_pair_are_told_one_by_one() -> None:
    run = start_generator("--port", "null", "--port", "null", "--cpu", BOTH)
    assert all(line.endswith(f", cpu {CPUS[0]},{CPUS[1]}") for line in run.lines[:2])
    (loaded,) = load_profile("bench", {}, 0, 0)
    with Client(run.address) as one:
        one.connect()
        one.acquire([0, 1])
        system = one.call("get_system_info")
        assert (system["dp_core_count"], system["dp_core_count_per_port"], system["is_multiqueue_mode"]) == (2, 2, True)
        assert {port["index"]: port["cores"] for port in system["ports"]} == {0: [0, 1], 1: [0, 1]}

        def start(port: int, core_mask: int, core_id: int) -> list[list[int]]:
            """Bit set of the ports on which each core sends then."""
            one.add_streams(port, [loaded | {"stream": loaded["stream"] | {"core_id": core_id}}])
            one.on_port("start_traffic", port, mul=raw(1000), duration=-1, force=False, core_mask=core_mask)
            return [core["ports"] for core in one.call("get_utilization")["cpu"]]

        assert start(0, core_mask=2, core_id=-1) == [[-1, -1], [0, -1]]
        assert start(1, core_mask=3, core_id=0) == [[1, -1], [0, -1]]
        one.stop([0, 1])
        one.reset([0, 1])
        assert start(0, core_mask=3, core_id=-1) == [[0, -1], [0, -1]]
        with pytest.raises(RemoteError, match="core_id 2; the port has cores 0 to 1"):
            start(1, core_mask=3, core_id=2)
        one.stop([0])
    run.process.terminate()
    assert run.process.communicate(timeout=DEADLINE_S)[1] == ""


@needs_two_cpus
@pytest.mark.parametrize(
    ("cpu", "status", "said"),
    [
        (BOTH, 3, "port p0 has 2 workers and queues for 1 of them (1 RX, 1 TX); give it fewer CPUs"),
        (
            f"{CPUS[0]}/{CPUS[-1]}",
            2,
            "has 2 lists of CPUs for 2 ports; give one for each pair of ports, 1 in all, such as 2-5/6-9",
        ),
        ("/", 2, "has an empty list; each pair of ports needs a CPU"),
    ],
)
def test_workers_that_ports_cannot_have_are_refused_in_a_line(cpu: str, status: int, said: str) -> None:
    run = start_generator("--port", "ring:a", "--port", "ring:a", "--cpu", cpu)
    errors = run.process.communicate(timeout=DEADLINE_S)[1]
    assert (run.lines, run.process.returncode) == ([], status)
    assert said in errors
    assert len(errors.splitlines()) == 1
