"""snappi, the real client, against `wirespeed generator --otg`: two ports joined by a ring."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import snappi
from scapy.all import ICMP, IP, TCP, UDP, Dot1Q, Ether, ICMPv6EchoRequest, Raw

from wirespeed.client.stateless_client import Multiplier, StatelessClient, Target
from wirespeed.lab.lab import free_rpc_port
from wirespeed.lab.process import Child
from wirespeed.profiles.field_program import STLScVmRaw
from wirespeed.profiles.instructions import STLVmFixChecksumHw, STLVmFixIpv4, STLVmFlowVar, STLVmWrFlowVar
from wirespeed.profiles.packet import STLPktBuilder
from wirespeed.profiles.streams import STLStream, STLTXSingleBurst

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

DEADLINE_S = 60.0
EXAMPLE = Path(__file__).parents[2] / "examples" / "otg" / "two_flows.py"
EXPECTED = "dns: 500 sent, 500 received, 0 % lost\nweb: 500 sent, 500 received, 0 % lost\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Where the RPC and the API are."""
    rpc = f"127.0.0.1:{free_rpc_port()}"
    with socket.create_server(("127.0.0.1", 0)) as free:
        otg = f"127.0.0.1:{free.getsockname()[1]}"
    ports = ["--port", "ring:loop,speed=10G", "--port", "ring:loop,speed=10G"]
    arguments = ["generator", *ports, "--hugepages", "never", "--rpc", rpc, "--otg", otg]
    with Child("generator", arguments, tmp_path_factory.mktemp("otg") / "log").start():
        yield rpc, f"http://{otg}"


@pytest.fixture
def api(served: tuple[str, str]) -> Any:
    return snappi.api(location=served[1])


def two_ports(api: Any) -> Any:
    config = api.config()
    config.ports.port(name="p1", location="0").port(name="p2", location="1")
    return config


def add_flow(config: Any, name: str = "f1", packets: int = 100, pps: int = 10_000) -> Any:
    flow = config.flows.flow(name=name)[-1]
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    ethernet, ip, udp = flow.packet.ethernet().ipv4().udp()
    ethernet.src.value, ethernet.dst.value = "00:11:22:33:44:55", "00:11:22:33:44:66"
    ip.src.increment.start, ip.src.increment.step, ip.src.increment.count = "16.0.0.1", "0.0.0.1", 5
    ip.dst.values = ["48.0.0.1", "48.0.0.9", "49.0.0.1"]
    udp.dst_port.value = 53
    flow.size.fixed = 128
    flow.rate.pps = pps
    flow.duration.fixed_packets.packets = packets
    flow.metrics.enable = flow.metrics.loss = True
    return flow


def transmit(api: Any, state: str, *names: str) -> None:
    control = api.control_state()
    control.traffic.flow_transmit.state = state
    control.traffic.flow_transmit.flow_names = list(names)
    api.set_control_state(control)


def flow_metrics(api: Any) -> dict[str, Any]:
    request = api.metrics_request()
    request.flow.flow_names = []
    return {metric.name: metric for metric in api.get_metrics(request).flow_metrics}


def port_metrics(api: Any) -> dict[str, Any]:
    request = api.metrics_request()
    request.port.port_names = []
    return {metric.name: metric for metric in api.get_metrics(request).port_metrics}


def stopped(api: Any) -> dict[str, Any]:
    """Flow metrics once all flows have ended, as snappi's scripts wait for it."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        metrics = flow_metrics(api)
        if all(metric.transmit == "stopped" for metric in metrics.values()):
            return metrics
        assert time.monotonic() < deadline, "the flows do not end"
        time.sleep(0.05)


def test_what_is_sent_is_counted_by_flow_and_by_port(api: Any) -> None:
    config = two_ports(api)
    add_flow(config, "f1", 100)
    add_flow(config, "f2", 250)
    api.set_config(config)
    transmit(api, "start")
    metrics = stopped(api)
    for name, packets in (("f1", 100), ("f2", 250)):
        one = metrics[name]
        assert (one.frames_tx, one.frames_rx, one.bytes_tx, one.loss) == (packets, packets, 128 * packets, 0)
    ports = port_metrics(api)
    assert (ports["p1"].frames_tx, ports["p2"].frames_rx, ports["p2"].bytes_rx) == (350, 350, 350 * 128)
    assert (ports["p1"].link, ports["p1"].transmit, ports["p1"].location) == ("up", "stopped", "0")


def test_single_flows_start_and_counters_begin_anew(api: Any) -> None:
    config = two_ports(api)
    add_flow(config, "f1", 10)
    add_flow(config, "f2", 20)
    api.set_config(config)
    for _ in range(2):
        transmit(api, "start", "f2")
        metrics = stopped(api)
        assert (metrics["f1"].frames_tx, metrics["f2"].frames_tx, metrics["f2"].frames_rx) == (0, 20, 20)


def test_a_flow_goes_on_until_it_is_stopped(api: Any) -> None:
    config = two_ports(api)
    add_flow(config).duration.continuous.gap = 12
    api.set_config(config)
    transmit(api, "start")
    deadline = time.monotonic() + DEADLINE_S
    while flow_metrics(api)["f1"].frames_rx < 100:
        assert time.monotonic() < deadline, "nothing arrives"
    transmit(api, "pause")
    assert flow_metrics(api)["f1"].transmit == "paused"
    transmit(api, "resume")
    assert flow_metrics(api)["f1"].transmit == "started"
    transmit(api, "stop")
    metric = stopped(api)["f1"]
    assert metric.frames_tx == metric.frames_rx >= 100


def test_links_go_down_and_come_up(api: Any) -> None:
    api.set_config(two_ports(api))
    for state in ("down", "up"):
        control = api.control_state()
        control.port.link.port_names, control.port.link.state = ["p1"], state
        api.set_control_state(control)
        assert port_metrics(api)["p1"].link == state


def test_latency_is_measured(api: Any) -> None:
    config = two_ports(api)
    add_flow(config).metrics.latency.enable = True
    api.set_config(config)
    transmit(api, "start")
    metric = stopped(api)["f1"]
    assert metric.frames_rx == 100
    assert 0 < metric.latency.minimum_ns <= metric.latency.average_ns <= metric.latency.maximum_ns


def test_sizes_of_a_mix_and_time_that_ends(api: Any) -> None:
    config = two_ports(api)
    flow = add_flow(config, packets=120)
    flow.size.weight_pairs.predefined = "imix"
    api.set_config(config)
    transmit(api, "start")
    metric = stopped(api)["f1"]
    assert (metric.frames_rx, metric.bytes_rx) == (120, 70 * 64 + 40 * 570 + 10 * 1518)
    flow.duration.fixed_seconds.seconds = 0.2
    api.set_config(config)
    transmit(api, "start")
    metric = stopped(api)["f1"]
    assert metric.frames_tx == metric.frames_rx > 0


def captured(client: StatelessClient, run: Any, packets: int) -> list[bytes]:
    """What port 1 receives while `run` has so many packets sent."""
    capture = client.capture("start", tx=[], rx=[1], limit=1000, filter="")["capture_id"]
    run()
    found: list[bytes] = []
    deadline = time.monotonic() + DEADLINE_S
    while len(found) < packets:
        assert time.monotonic() < deadline, f"{len(found)} of {packets} packets came"
        answer = client.capture("fetch", capture_id=capture, pkt_limit=1000)
        found += [base64.b64decode(one["binary"]) for one in answer["pkts"]]
        time.sleep(0.02)
    client.capture("remove", capture_id=capture)
    return found


def test_a_flow_and_a_profile_send_the_same_bytes(api: Any, served: tuple[str, str]) -> None:
    config = two_ports(api)
    flow = add_flow(config, packets=40)
    flow.metrics.enable = False
    api.set_config(config)
    ip = IP(src="16.0.0.1", dst="48.0.0.1", id=0)
    packet = Ether(src="00:11:22:33:44:55", dst="00:11:22:33:44:66") / ip / UDP(sport=0, dport=53) / Raw(bytes(82))
    program = STLScVmRaw(
        [
            STLVmFlowVar("src", min_value="16.0.0.1", max_value="16.0.0.5", size=4, op="inc"),
            STLVmFlowVar("dst", value_list=["48.0.0.1", "48.0.0.9", "49.0.0.1"], size=4, op="inc"),
            STLVmWrFlowVar("src", "IP.src"),
            STLVmWrFlowVar("dst", "IP.dst"),
            STLVmFixChecksumHw("IP", "UDP", 11),
            STLVmFixIpv4("IP"),
        ]
    )
    stream = STLStream(packet=STLPktBuilder(packet, vm=program), mode=STLTXSingleBurst(total_pkts=40, pps=10_000))
    with StatelessClient(served[0]) as client:
        client.connect()
        by_otg = captured(client, lambda: transmit(api, "start"), 40)
        stopped(api)
        api.set_config(api.config())

        def by_profile() -> None:
            client.take([0])
            client.load_streams(Target(0), [{"stream_id": 1, "stream": stream.to_json()}])
            client.start_profiles([Target(0)], Multiplier("raw", "abs", 1))

        expected = captured(client, by_profile, 40)
        client.reset([0])
        client.release([0])
    assert by_otg == expected
    assert [IP(one[14:]).src for one in by_otg[:6]] == [f"16.0.0.{last}" for last in (1, 2, 3, 4, 5, 1)]
    assert len(set(by_otg)) == 15  # both fields advance together, packet by packet


def test_tags_and_sizes_that_change_leave_right_checksums(api: Any, served: tuple[str, str]) -> None:
    config = two_ports(api)
    flow = config.flows.flow(name="f1")[-1]
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    _, vlan, ip, udp = flow.packet.ethernet().vlan().ipv4().udp()
    vlan.id.decrement.start, vlan.id.decrement.step, vlan.id.decrement.count = 100, 1, 3
    vlan.priority.value = 5
    ip.priority.dscp.phb.value = 46
    udp.src_port.random.min, udp.src_port.random.max, udp.src_port.random.count = 1000, 2000, 4
    flow.size.increment.start, flow.size.increment.end, flow.size.increment.step = 64, 264, 100
    flow.rate.pps, flow.duration.fixed_packets.packets = 1000, 12
    api.set_config(config)
    with StatelessClient(served[0]) as client:
        client.connect()
        packets = captured(client, lambda: transmit(api, "start"), 12)
    stopped(api)
    assert [len(one) for one in packets[:4]] == [60, 160, 260, 60]
    assert [Ether(one)[Dot1Q].vlan for one in packets[:4]] == [100, 99, 98, 100]
    ports = [Ether(one)[UDP].sport for one in packets]
    assert ports[:4] * 3 == ports and all(1000 <= port <= 2000 for port in ports)
    for one in packets:
        layers = Ether(one)
        assert (layers[Dot1Q].prio, layers[IP].tos >> 2, layers[IP].len) == (5, 46, len(one) - 18)
        rebuilt = layers.copy()
        del rebuilt[IP].chksum, rebuilt[UDP].chksum
        assert bytes(rebuilt) == one


def varying(pattern: Any, start: Any, step: Any) -> None:
    pattern.increment.start, pattern.increment.step, pattern.increment.count = start, step, 3


def stack_ip6_tcp(packet: Any) -> None:
    _, ip, tcp = packet.ethernet().ipv6().tcp()
    ip.src.value = "2001:db8::1"
    varying(ip.dst, "2001:db8:1::1", "::1")
    tcp.ctl_syn.value, tcp.window.value = 1, 1000


def stack_ip6_icmp(packet: Any) -> None:
    _, ip, icmp = packet.ethernet().ipv6().icmpv6()
    varying(ip.src, "2001:db8:1::1", "::1")
    icmp.echo.identifier.value = 7


def stack_mpls(packet: Any) -> None:
    _, outer, inner, ip, tcp = packet.ethernet().mpls().mpls().ipv4().tcp()
    varying(outer.label, 100, 1)
    inner.label.value = 200
    varying(tcp.dst_port, 1, 1)
    ip.src.value, ip.dst.value = "16.0.0.1", "48.0.0.1"


def stack_icmp(packet: Any) -> None:
    _, _, ip, _ = packet.ethernet().vlan().ipv4().icmp()
    varying(ip.dst, "48.0.0.1", "0.0.1.0")


def stack_vxlan(packet: Any) -> None:
    _, _, udp, vxlan, _, inner, _ = packet.ethernet().ipv4().udp().vxlan().ethernet().ipv4().udp()
    udp.dst_port.value = 4789
    varying(vxlan.vni, 10, 1)
    varying(inner.src, "10.0.0.1", "0.0.0.1")


def checksums_worked_out(packet: bytes) -> bytes:
    """The same packet with every checksum worked out by scapy."""
    layers = Ether(packet)
    for kind, field in ((IP, "chksum"), (UDP, "chksum"), (TCP, "chksum"), (ICMP, "chksum")):
        place = 1
        while (layer := layers.getlayer(kind, place)) is not None:
            delattr(layer, field)
            place += 1
    if ICMPv6EchoRequest in layers:
        del layers[ICMPv6EchoRequest].cksum
    return bytes(layers)


@pytest.mark.parametrize("stack", [stack_ip6_tcp, stack_ip6_icmp, stack_mpls, stack_icmp, stack_vxlan])
def test_headers_that_change_leave_right_checksums(api: Any, served: tuple[str, str], stack: Any) -> None:
    config = two_ports(api)
    flow = config.flows.flow(name="f1")[-1]
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    stack(flow.packet)
    flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 128, 1000, 6
    api.set_config(config)
    with StatelessClient(served[0]) as client:
        client.connect()
        packets = captured(client, lambda: transmit(api, "start"), 6)
    stopped(api)
    assert packets[:3] == packets[3:] and len(set(packets)) == 3
    assert [checksums_worked_out(one) for one in packets] == packets


def post(url: str, body: bytes) -> tuple[int, dict[str, Any]]:
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def faulty(change: Any) -> bytes:
    end = {"tx_name": "p1", "rx_names": ["p2"]}
    flow = {"name": "f1", "tx_rx": {"choice": "port", "port": end}, "packet": [{"choice": "ethernet", "ethernet": {}}]}
    config = {"ports": [{"name": "p1", "location": "0"}, {"name": "p2", "location": "1"}], "flows": [flow]}
    change(config)
    return json.dumps(config).encode()


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("ports[1].name", lambda c: c["ports"][1].update(name="p1")),
        ("ports[1].location", lambda c: c["ports"][1].update(location="7")),
        ("flows[1].name", lambda c: c["flows"].append(c["flows"][0])),
        ("flows[0].tx_rx.port.tx_name", lambda c: c["flows"][0]["tx_rx"]["port"].update(tx_name="p9")),
        ("flows[0].rate", lambda c: c["flows"][0].update(rate={"choice": "gbps", "gbps": 11})),
        ("flows[0].packet[0].choice", lambda c: c["flows"][0].update(packet=[{"choice": "gre", "gre": {}}])),
        ("devices", lambda c: c.update(devices=[{"name": "d1"}])),
        ("flows[0].payload", lambda c: c["flows"][0].update(payload={"choice": "fixed"})),
        (
            "flows[0].size",
            lambda c: c["flows"][0]["packet"].append({"choice": "custom", "custom": {"bytes": "00" * 60}}),
        ),
        (
            "flows[0].packet[1].ipv4.src.value",
            lambda c: c["flows"][0]["packet"].append(
                {"choice": "ipv4", "ipv4": {"src": {"choice": "value", "value": "1.2.3"}}}
            ),
        ),
    ],
)
def test_what_is_wrong_is_named_and_the_former_configuration_stays(
    api: Any, served: tuple[str, str], path: str, change: Any
) -> None:
    config = two_ports(api)
    add_flow(config, "kept", 10)
    api.set_config(config)
    code, answer = post(f"{served[1]}/config", faulty(change))
    assert (code, answer["kind"]) == (400, "validation")
    assert answer["errors"][0].startswith(f"{path}: ")
    assert [flow.name for flow in api.get_config().flows] == ["kept"]
    transmit(api, "start")
    assert stopped(api)["kept"].frames_rx == 10


def test_requests_that_are_none(api: Any, served: tuple[str, str]) -> None:
    host = served[1].removeprefix("http://")
    assert post(f"{served[1]}/config", b" " * 10_000_000)[0] == 400
    assert "no JSON" in post(f"{served[1]}/config", b'{"ports": [')[1]["errors"][0]
    half = http.client.HTTPConnection(host)
    half.putrequest("POST", "/config")
    half.putheader("content-length", "1000")
    half.endheaders(b"{")
    half.close()
    code, answer = post(f"{served[1]}/monitor/states", b"{}")
    assert (code, answer["code"]) == (501, 501)
    assert post(f"{served[1]}/nothing", b"{}")[1]["code"] == 404
    with pytest.raises(Exception, match="flow_names: there is no"):
        transmit(api, "start", "nobody")


def test_the_clients_version_check_passes(served: tuple[str, str]) -> None:
    api = snappi.api(location=served[1], version_check=True)
    api.set_config(two_ports(api))
    assert [port.name for port in api.get_config().ports] == ["p1", "p2"]


def test_an_address_that_cannot_be_had_ends_the_program() -> None:
    command = [
        sys.executable,
        "-m",
        "wirespeed",
        "generator",
        "--port",
        "null",
        "--rpc",
        f"127.0.0.1:{free_rpc_port()}",
    ]
    ended = subprocess.run([*command, "--otg", "nowhere"], capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert "give HOST:PORT" in ended.stderr


def test_the_example_runs(served: tuple[str, str]) -> None:
    command = [sys.executable, str(EXAMPLE), served[1]]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stdout) == (0, EXPECTED), ended.stderr


def test_flows_by_https(tmp_path: Path) -> None:
    pem = tmp_path / "otg.pem"
    request = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=otg", "-days", "1"]
    subprocess.run([*request, "-keyout", f"{pem}.key", "-out", f"{pem}.crt"], check=True, capture_output=True)
    pem.write_bytes(Path(f"{pem}.key").read_bytes() + Path(f"{pem}.crt").read_bytes())
    with socket.create_server(("127.0.0.1", 0)) as free:
        otg = f"127.0.0.1:{free.getsockname()[1]}"
    arguments = ["generator", "--port", "null", "--hugepages", "never", "--rpc", f"127.0.0.1:{free_rpc_port()}"]
    with Child("generator", [*arguments, "--otg", otg, "--otg-cert", str(pem)], tmp_path / "log").start():
        trusting = ssl.create_default_context(cafile=str(pem))
        trusting.check_hostname = False
        with urllib.request.urlopen(f"https://{otg}/capabilities/version", timeout=30, context=trusting) as answer:
            assert json.load(answer)["app_version"] == "wirespeed"
