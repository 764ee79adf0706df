"""T-Rex's own Python client at work, in a process of its own: it brings its own scapy, ZeroMQ and YAML.

    python trex_client_session.py

reads lines `RPC_PORT CASE` and runs each case, one of those below, against a generator whose port 0 leads to port 1 and
back. It answers each line with one line of JSON: an empty text, or the traceback of a case that failed.
"""

import contextlib
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

import lbr_trex_client  # noqa: F401 - puts T-Rex's client on the path
from harness.waiting import wait_for
from trex.stl.api import (
    IP,
    UDP,
    Ether,
    STLClient,
    STLFlowLatencyStats,
    STLFlowStats,
    STLPktBuilder,
    STLProfile,
    STLStream,
    STLTXCont,
    STLTXMultiBurst,
    STLTXSingleBurst,
    TRexError,
    wrpcap,
)

EXAMPLES = Path(__file__).parents[2] / "examples"
DEADLINE_S = 60
CASES = {}


def case(run):
    CASES[run.__name__] = run
    return run


def connect(rpc_port, **more):
    client = STLClient(server="127.0.0.1", sync_port=rpc_port, async_port=rpc_port - 1, **more)
    client.connect()
    return client


def udp(port_id, payload=b"x" * 18):
    source, destination = ("16.0.0.1", "48.0.0.1") if port_id == 0 else ("48.0.0.1", "16.0.0.1")
    return STLPktBuilder(pkt=Ether() / IP(src=source, dst=destination) / UDP(sport=1025, dport=12) / payload)


def refused(call, *arguments, **named):
    """The client's message when the server refuses."""
    try:
        call(*arguments, **named)
    except TRexError as error:
        return str(error)
    raise AssertionError(f"{call.__name__} was not refused")


def at_rest(client):
    """Statistics once counters rest and all packets are back, or have rested for two seconds."""
    before, since = {}, 0.0

    def settled():
        nonlocal before, since
        now = client.get_stats()
        for port in (0, 1):
            now[port] = {name: now[port][name] for name in ("opackets", "ipackets", "obytes", "ibytes")}
        if before and (before[0], before[1]) == (now[0], now[1]):
            are_back = all(now[port]["opackets"] == now[port ^ 1]["ipackets"] for port in (0, 1))
            if are_back or time.monotonic() - since > 2:
                return True
        else:
            before, since = now, time.monotonic()
        time.sleep(0.1)
        return False

    wait_for(settled, "the last packet")
    return before


def check_all_arrived(client, due, late=0):
    """All due packets went from port 0 to port 1, except for those that the sender left out on a busy machine."""
    stats, counted = at_rest(client), client.get_xstats(0)
    assert counted["tx_intended_packets"] == due, counted
    assert stats[0]["opackets"] == stats[1]["ipackets"] == due - late, (stats, counted)
    assert stats[0]["opackets"] > 0


@case
def life_of_a_session(client, rpc_port):
    for port in (0, 1):
        client.add_streams(STLStream(packet=udp(port), mode=STLTXCont(pps=10)), ports=[port])
    client.clear_stats()
    client.start(ports=[0, 1], mult="1kpps")
    wait_for(lambda: client.get_stats()[0]["ipackets"] > 100, "packets")
    assert client.get_active_ports() == [0, 1]
    client.update(ports=[0, 1], mult="2kpps")
    client.pause(ports=[0, 1])
    paused = at_rest(client)
    time.sleep(0.2)
    assert at_rest(client)[0] == paused[0]
    client.resume(ports=[0, 1])
    wait_for(lambda: client.get_stats()[1]["opackets"] > paused[1]["opackets"], "packets after the pause")
    client.update(ports=[0], mult="50%+")
    client.stop(ports=[0, 1])
    stats = at_rest(client)
    for port in (0, 1):
        assert stats[port]["opackets"] == stats[port ^ 1]["ipackets"] > 0
        assert stats[port]["obytes"] == stats[port ^ 1]["ibytes"] == 64 * stats[port]["opackets"]
    assert client.get_warnings() == []


@case
def chain_of_bursts(client, rpc_port):
    streams = [
        STLStream(name="S0", packet=udp(0), mode=STLTXSingleBurst(pps=5000, total_pkts=100), next="S1"),
        STLStream(
            name="S1",
            self_start=False,
            packet=udp(0),
            mode=STLTXMultiBurst(pps=5000, pkts_per_burst=5, count=10, ibg=1000),
            next="S0",
            action_count=3,
        ),
    ]
    client.add_streams(streams, ports=[0])
    client.clear_stats()
    client.start(ports=[0])
    client.wait_on_traffic(ports=[0], timeout=DEADLINE_S)
    check_all_arrived(client, 450)


@case
def duration_ends_traffic(client, rpc_port):
    client.add_streams(STLStream(packet=udp(0), mode=STLTXCont(pps=1000)), ports=[0])
    client.start(ports=[0], duration=0.5)
    client.wait_on_traffic(ports=[0], timeout=DEADLINE_S)
    assert client.get_active_ports() == []


@case
def profile_file(client, rpc_port):
    path = EXAMPLES / "profiles" / "many_flows.py"
    for port in (0, 1):
        profile = STLProfile.load_py(str(path), direction=port, port_id=port, tunables=["--size", "imix"])
        client.add_streams(profile, ports=[port])
    client.clear_stats()
    client.start(ports=[0, 1], mult="2kpps", duration=1, core_mask=STLClient.CORE_MASK_PIN)
    client.wait_on_traffic(ports=[0, 1], timeout=DEADLINE_S)
    stats = at_rest(client)
    for port in (0, 1):
        assert stats[port]["opackets"] == stats[port ^ 1]["ipackets"]
        mean = stats[port]["obytes"] / stats[port]["opackets"]
        assert 340 < mean < 375, mean  # 28 : 16 : 4 of 68, 590 and 1514


@case
def streams_one_by_one(client, rpc_port):
    number = client.add_streams(STLStream(packet=udp(0), mode=STLTXCont(pps=500)), ports=[0])
    client.start(ports=[0])
    client.pause_streams(port=0, stream_ids=[number])
    still = at_rest(client)[0]["opackets"]
    client.resume_streams(port=0, stream_ids=[number])
    wait_for(lambda: client.get_stats()[0]["opackets"] > still, "packets of the stream that goes on")
    client.update_streams(port=0, mult="1kpps", stream_ids=[number])
    client.stop(ports=[0])
    client.remove_streams([number], ports=[0])
    assert client.get_port_info(0)[0]["status"] == "IDLE"


@case
def several_clients(client, rpc_port):
    reader = connect(rpc_port, username="reader")
    client.add_streams(STLStream(packet=udp(0), mode=STLTXCont(pps=1000)), ports=[0])
    client.start(ports=[0])
    wait_for(lambda: reader.get_stats(ports=[0, 1])[1]["ipackets"] > 0, "a packet")
    assert "already taken" in refused(reader.acquire, ports=[0])
    reader.acquire(ports=[0], force=True)
    reader.stop(ports=[0])
    reader.release(ports=[0])
    reader.disconnect()
    wait_for(lambda: client.get_acquired_ports() == [1], "the loss of the port")


@case
def attributes(client, rpc_port):
    client.set_port_attr(ports=[0], promiscuous=True)
    assert client.get_port_attr(0)["prom"] == "on"
    assert client.get_port_attr(1)["prom"] == "off"
    assert "not supported" in refused(client.set_port_attr, ports=[0], vxlan_fs=[4789])


@case
def loads_that_are_refused(client, rpc_port):
    client.add_streams(STLStream(packet=udp(0), mode=STLTXCont(pps=1)), ports=[0])
    assert "exceeds port line rate" in refused(client.start, ports=[0], mult="200%")
    long_packet = STLStream(packet=udp(0, b"x" * 8900), mode=STLTXCont(pps=1))
    assert "--mtu" in refused(client.add_streams, long_packet, ports=[0])


def captured(client, number):
    """Packets of a capture, which this call ends."""
    packets = []
    client.stop_capture(number, packets)
    return [Ether(packet["binary"]) for packet in packets], packets


@case
def capture_and_push(client, rpc_port):
    client.set_service_mode(ports=[0, 1])
    number = client.start_capture(tx_ports=[0], rx_ports=[1], limit=10, bpf_filter="udp dst port 777")["id"]
    packet = Ether() / IP(src="16.0.0.1", dst="48.0.0.1") / UDP(sport=1, dport=777) / (b"push" * 8)
    other = Ether() / IP(src="16.0.0.1", dst="48.0.0.1") / UDP(sport=1, dport=778) / (b"push" * 8)
    client.push_packets([packet, other, packet], ports=[0], ipg_usec=100)
    wait_for(lambda: client.get_capture_status()[number]["matched"] == 4, "four captured packets")
    frames, packets = captured(client, number)
    assert sorted(one["origin"] for one in packets) == ["RX", "RX", "TX", "TX"]
    assert {one["port"] for one in packets} == {0, 1}
    assert all(frame[UDP].payload.load == b"push" * 8 for frame in frames)
    assert packets == sorted(packets, key=lambda one: one["ts"])
    assert client.get_capture_status() == {}
    assert "not a valid pattern" in refused(client.start_capture, rx_ports=[0], bpf_filter="no such thing")


@case
def capture_beside_traffic(client, rpc_port):
    client.add_streams(STLStream(packet=udp(0), mode=STLTXCont(pps=500)), ports=[0])
    client.set_service_mode(ports=[1])
    number = client.start_capture(rx_ports=[1], limit=5)["id"]
    client.start(ports=[0], force=True)
    wait_for(lambda: client.get_capture_status()[number]["count"] == 5, "five captured packets")
    client.stop(ports=[0])
    frames, _ = captured(client, number)
    assert [frame[IP].dst for frame in frames] == ["48.0.0.1"] * 5


@case
def receive_queue(client, rpc_port):
    client.set_service_mode(ports=[1])
    client.set_rx_queue(ports=[1], size=100)
    client.push_packets([bytes(udp(0).pkt)], ports=[0], force=True)
    received = []

    def arrived():
        for packet in client.ports[1].get_rx_queue_pkts().data():
            received.append(Ether(packet["binary"]))
        return any(UDP in frame and frame[UDP].dport == 12 for frame in received)

    wait_for(arrived, "the packet in the queue")
    client.remove_rx_queue(ports=[1])


@case
def packet_file_of_the_server(client, rpc_port):
    with tempfile.TemporaryDirectory() as directory:
        path = str(Path(directory) / "five.pcap")
        wrpcap(path, [Ether(bytes(udp(0).pkt)) for _ in range(5)])
        client.clear_stats()
        client.push_remote(path, ports=[0], ipg_usec=1000, count=20)
        client.wait_on_traffic(ports=[0], timeout=DEADLINE_S)
        check_all_arrived(client, 100)
        client.push_remote(path, ports=[0], ipg_usec=1000, count=0)
        wait_for(lambda: client.get_stats()[1]["ipackets"] > 200, "more packets than one round has")
        assert client.ports[0].state == client.ports[0].STATE_PCAP_TX
        client.stop(ports=[0])
        assert client.get_active_ports() == []
        at_rest(client)
        client.clear_stats()
        client.push_pcap(path, ports=[0], ipg_usec=1000, count=3, force=True)
        client.wait_on_traffic(ports=[0], timeout=DEADLINE_S)
        check_all_arrived(client, 15)
    assert "No such file" in refused(client.push_remote, path, ports=[0])


@case
def hosts(client, rpc_port):
    """On the ring the other port replies, behind the router its interface does."""
    looped = client.get_port_attr(0)["driver"] == "ring"
    addresses = ("1.1.1.1", "1.1.1.2") if looped else ("100.64.1.2", "100.64.1.1")
    client.set_service_mode(ports=[0, 1])
    if looped:
        client.ports[1].set_l3_mode("1.1.1.2", "1.1.1.1")
    before = client.get_port_attr(0)["dest"]
    client.set_l3_mode(0, *addresses)
    attr = client.get_port_attr(0)
    assert (attr["layer_mode"], attr["src_ipv4"], attr["dest"]) == ("IPv4", *addresses), attr
    assert attr["arp"] == (client.get_port_attr(1)["src_mac"] if looped else "02:fe:00:00:00:00"), attr
    replies = client.ping_ip(0, addresses[1], pkt_size=64, count=3, interval_sec=0.01)
    assert [str(reply).split()[0] for reply in replies] == ["Reply"] * 3, replies
    client.set_l2_mode(0, before)
    client.set_l2_mode(1, client.get_port_attr(0)["src_mac"] if looped else "02:fe:00:00:00:01")


@case
def several_profiles(client, rpc_port):
    for name in ("a", "b"):
        client.add_streams(STLStream(packet=udp(0), mode=STLTXCont(pps=500)), ports=[f"0.{name}"])
    client.clear_stats()
    client.start(ports=["0.a"])
    client.start(ports=["0.b"], duration=0.5)

    def sending():
        return sorted(str(profile) for profile in client.get_profiles_with_state("transmitting"))

    assert sending() == ["0.a", "0.b"]
    wait_for(lambda: sending() == ["0.a"], "the end of profile b")
    client.pause(ports=["0.a"])
    still = at_rest(client)[0]["opackets"]
    client.resume(ports=["0.a"])
    wait_for(lambda: client.get_stats()[0]["opackets"] > still, "packets of the profile that goes on")
    client.stop(ports=["0.*"])
    client.remove_all_streams(ports=["0.*"])


@case
def both_ports_start_together(client, rpc_port):
    for port in (0, 1):
        client.add_streams(STLStream(packet=udp(port), mode=STLTXCont(pps=1000)), ports=[port])
    client.clear_stats()
    client.start(ports=[0, 1], synchronized=True, duration=0.5)
    assert client.get_stats()[0]["opackets"] == 0  # the start is in the future
    client.wait_on_traffic(ports=[0, 1], timeout=DEADLINE_S)
    check_all_arrived(client, 500, late=client.get_xstats(0)["tx_late_packets"])


@case
def latency_and_flow_statistics(client, rpc_port):
    load = STLStream(packet=udp(0), mode=STLTXCont(pps=1000), flow_stats=STLFlowStats(pg_id=7))
    probe = STLStream(packet=udp(0), mode=STLTXCont(pps=500), flow_stats=STLFlowLatencyStats(pg_id=8))
    client.add_streams([load, probe], ports=[0])
    client.clear_stats()
    client.start(ports=[0], duration=1)
    client.wait_on_traffic(ports=[0], timeout=DEADLINE_S)
    at_rest(client)
    assert client.get_active_pgids() == {"flow_stats": [7], "latency": [8]}
    stats = client.get_pgid_stats([7, 8])
    for group, packets in ((7, 1000), (8, 500)):
        counted = stats["flow_stats"][group]
        assert 0 < counted["tx_pkts"][0] == counted["rx_pkts"][1] <= packets, counted
        assert counted["rx_bytes"][1] == 64 * counted["rx_pkts"][1]
    assert not any(stats["latency"][8]["err_cntrs"].values())
    seen = stats["latency"][8]["latency"]
    assert 0 < seen["total_min"] <= seen["average"] <= seen["total_max"]
    assert 0 < seen["last_max"] <= seen["total_max"]  # kept while no packets come
    assert sum(seen["histogram"].values()) == stats["flow_stats"][8]["rx_pkts"][1]


@case
def latency_streams_alone(client, rpc_port):
    probe = STLStream(packet=udp(0), mode=STLTXCont(pps=1000), flow_stats=STLFlowLatencyStats(pg_id=8))
    client.add_streams([probe], ports=[0])
    client.start(ports=[0], mult="10%", duration=1)
    client.wait_on_traffic(ports=[0], timeout=DEADLINE_S)
    at_rest(client)
    assert client.get_pgid_stats([8])["flow_stats"][8]["tx_pkts"][0] <= 1000
    assert client.get_port_info(ports=[0])[0]["rx"]["counters"] == 1023


@case
def bursts_without_end(client, rpc_port):
    endless = STLTXMultiBurst(pps=1000, pkts_per_burst=5, ibg=1000.0, count=0)
    client.add_streams(STLStream(packet=udp(0), mode=endless), ports=[0])
    client.start(ports=[0], duration=0)
    wait_for(lambda: client.get_stats(ports=[0])[0]["opackets"] > 20, "packets of the bursts")
    assert client.is_traffic_active(ports=[0])
    client.stop(ports=[0])


@case
def link_down_is_no_state(client, rpc_port):
    """T-Rex's client cannot connect to a server that reports a state which it does not know."""
    port = client.ports[0]

    def switch(up):
        attr = {"link_status": {"up": up}}
        return port.transmit("set_port_attr", {"port_id": 0, "handler": port.handler, "attr": attr})

    if not switch(False):
        return  # this medium has a link that cannot be taken down
    try:
        second = connect(rpc_port, username="second")
        assert second.get_port_attr(0)["link"] == "DOWN"
        second.disconnect()
    finally:
        switch(True)


@case
def acquired_with_force(client, rpc_port):
    client.add_streams(STLStream(packet=udp(0), mode=STLTXCont(pps=100)), ports=[0])
    client.start(ports=[0])
    second = connect(rpc_port, username="second")
    second.acquire(ports=[0], force=True, sync_streams=True)
    assert second.is_traffic_active(ports=[0])
    second.stop(ports=[0])
    second.release(ports=[0])
    second.disconnect()
    client.acquire(ports=[0], force=True)


@case
def cores_and_packet_buffers(client, rpc_port):
    client.add_streams(STLStream(packet=udp(0), mode=STLTXCont(pps=100)), ports=[0])
    client.start(ports=[0])
    told = client.get_util_stats()
    assert told["cpu"][0]["ports"] == [0, -1]
    pools = told["mbuf_stats"]["cpu-socket-0"]
    assert list(pools) == ["64b", "128b", "256b", "512b", "1024b", "2048b", "4096b", "9kb"]
    assert all(0 < free <= total for free, total in pools.values())
    for table in ("cpu", "mbuf"):
        client.util_stats.to_table(table)
    client.push_packets([bytes(udp(0).pkt)], ports=[0])  # beside the load
    client.stop(ports=[0])


@case
def profiles_in_one_call(client, rpc_port):
    names = [f"0.p{number}" for number in range(20)]
    client.add_streams(STLStream(packet=udp(0), mode=STLTXCont(pps=10)), ports=names)
    client.start(ports=names)
    client.pause(ports=names)
    client.resume(ports=names)
    client.update(ports=names, mult="20pps")
    assert client.get_stats()["global"]["tx_expected_pps"] == 20 * 20
    client.stop(ports=names)
    assert not client.is_traffic_active(ports=[0])
    client.remove_all_streams(ports=names)


def run(rpc_port, name):
    client = connect(rpc_port)
    try:
        client.reset(ports=[0, 1])
        CASES[name](client, rpc_port)
        client.release()
    finally:
        client.disconnect()


def main():
    for line in sys.stdin:
        rpc_port, name = line.split()
        fault = ""
        with contextlib.redirect_stdout(sys.stderr):
            try:
                run(int(rpc_port), name)
            except Exception:
                fault = traceback.format_exc()
        print(json.dumps(fault), flush=True)


if __name__ == "__main__":
    main()
