"""Captures, ARP, ping and tickets, over a link with the answers of the recorded T-Rex."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self

import pytest
import zmq
from console_server import Driver
from harness.waiting import wait_for
from scapy.layers.inet import ICMP, IP
from scapy.layers.inet6 import ICMPv6EchoReply, ICMPv6EchoRequest, ICMPv6ND_NA, ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.utils import rdpcap

from wirespeed.client.framing import pack, unpack
from wirespeed.client.stateless_client import Pushed

MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")
ROUTER_MAC = "02:fe:00:00:00:08"
NEIGHBOUR, NEIGHBOUR_MAC = "1.1.1.2", "02:fe:00:00:00:09"

CAPTURE_PARAMS = {
    "start": {"command", "filter", "limit", "mode", "rx", "tx"},
    "status": {"command"},
    "stop": {"command", "capture_id"},
    "fetch": {"command", "capture_id", "pkt_limit", "snaplen"},
    "remove": {"command", "capture_id"},
}
"""Parameters that T-Rex's client sends with each request."""

ON_DEMAND = {"endpoint", "snaplen"}
"""Parameters that the console sends only if the user gives them."""


class Failure(Exception):
    def __init__(self, text: str, code: int = -32000) -> None:
        super().__init__(text)
        self.code = code


class Wire:
    """A T-Rex with two ports wired to each other, and a neighbour on port 0 that answers ARP and ping.

    With `tickets`, addresses are set in the background. Packets are in every capture of the port that sends or
    receives them, whatever its filter.
    """

    def __init__(self, tickets: bool = False, wired: bool = True, answers: bool = True) -> None:
        self.tickets, self.wired, self.answers = tickets, wired, answers
        self.service = [False, False]
        self.ipv4: list[dict[str, str]] = [{"state": "none"}, {"state": "none"}]
        self.captures: dict[int, dict[str, Any]] = {}
        self.pending = 0
        self.told6: list[Any] = []
        self.now_s = 100.0
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        self.address = f"127.0.0.1:{self._socket.bind_to_random_port('tcp://127.0.0.1')}"
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()
        self._socket.close()
        self._context.term()

    def _serve(self) -> None:
        while not self._ending.is_set():
            if not self._socket.poll(20):
                continue
            request = json.loads(unpack(self._socket.recv())[0])
            calls = request if isinstance(request, list) else [request]
            answers = [self._answer(call) for call in calls]
            self._socket.send(pack(json.dumps(answers if len(answers) > 1 else answers[0]).encode()))

    def _answer(self, call: dict[str, Any]) -> dict[str, Any]:
        head = {"id": call["id"], "jsonrpc": "2.0"}
        params = {key: value for key, value in call["params"].items() if key not in ("api_h", "handler")}
        try:
            return head | {"result": getattr(self, call["method"])(**params)}
        except Failure as error:
            return head | {"error": {"code": error.code, "message": "failed", "specific_err": str(error)}}

    def api_sync_v2(self, **_: Any) -> Any:
        return {"api_h": "12345678"}

    def get_version(self) -> Any:
        return {"version": "v3.08", "mode": "STL", "built_by": "unknown"}

    def get_system_info(self) -> Any:
        return {"port_count": 2, "ports": [{"index": port, "hw_mac": mac} for port, mac in enumerate(MACS)]}

    def acquire(self, **_: Any) -> Any:
        return "handler1"

    def release(self, **_: Any) -> Any:
        return {}

    def get_port_status(self, port_id: int, **_: Any) -> Any:
        ether = {"src": MACS[port_id], "dst": self.ipv4[port_id].get("mac", MACS[port_id ^ 1])}
        layers = {"ether": ether, "ipv4": self.ipv4[port_id], "ipv6": {"enabled": False}}
        attr = {"layer_cfg": layers, "vlan": {"tags": []}}
        return {"owner": "me", "state": "IDLE", "service": self.service[port_id], "attr": attr}

    def set_l3(self, port_id: int, src_addr: str, dst_addr: str, block: bool, resolved_mac: str = "") -> Any:
        assert block is False
        state = {"state": "resolved", "mac": resolved_mac} if resolved_mac else {"state": "unresolved"}
        self.ipv4[port_id] = {"src": src_addr, "dst": dst_addr, **state}
        if self.tickets and not resolved_mac:
            self.pending = 2
            raise Failure("7", -32002)
        return {}

    def get_async_results(self, ticket_id: int) -> Any:
        assert ticket_id == 7
        self.pending -= 1
        if self.pending:
            raise Failure("7", -32002)
        return {}

    def capture(self, **params: Any) -> Any:
        command = params["command"]
        assert CAPTURE_PARAMS[command] <= set(params) <= CAPTURE_PARAMS[command] | ON_DEMAND
        if command == "start":
            identity = len(self.captures) + 1
            self.captures[identity] = {**params, "pkts": [], "state": "ACTIVE"}
            return {"capture_id": identity, "start_ts": self.now_s}
        if command == "status":
            return [
                {
                    "id": identity,
                    "state": one["state"],
                    "limit": one["limit"],
                    "count": len(one["pkts"]),
                    "bytes": 0,
                    "matched": len(one["pkts"]),
                    "fetched": 0,
                    "mode": one["mode"],
                    "filter": {"bpf": one["filter"], "tx": _mask(one["tx"]), "rx": _mask(one["rx"])},
                }
                for identity, one in self.captures.items()
                if one["state"] != "REMOVED"
            ]
        one = self.captures[params["capture_id"]]
        if command == "stop":
            one["state"] = "STOPPED"
            return {"pkt_count": len(one["pkts"]), "endpoint": ""}
        if command == "remove":
            one["state"] = "REMOVED"
            return {}
        taken, one["pkts"] = one["pkts"][: params["pkt_limit"]], one["pkts"][params["pkt_limit"] :]
        return {"pkts": taken, "pending": len(one["pkts"]), "start_ts": 0.0}

    def push_pkts(self, port_id: int, pkts: list[Any], ipg_usec: float, force: bool) -> Any:
        for one in pkts:
            packet = base64.b64decode(one["binary"])
            self.now_s += 0.001
            self._seen(port_id, "TX", packet)
            if self.wired:
                self._seen(port_id ^ 1, "RX", packet)
            if self.answers and port_id == 0 and (reply := _reply(Ether(packet))) is not None:
                self.now_s += 0.002
                self._seen(0, "RX", bytes(reply))
            if self.answers and port_id == 0:
                for answer in self._answers6(Ether(packet)):
                    self._seen(0, "RX", bytes(answer))
        return {"sent": len(pkts), "ts": self.now_s}

    def _answers6(self, packet: Any) -> list[Any]:
        """A host sends a solicitation for the pinging address before it replies; a router sends advertisements."""
        if ICMPv6ND_NA in packet:
            self.told6.append(packet)
            asker = IPv6(src="fe80::9", dst=packet[ICMPv6ND_NA].tgt)
            return [Ether(src=NEIGHBOUR_MAC, dst=packet.src) / asker / ICMPv6EchoReply()]
        if ICMPv6EchoRequest not in packet:
            return []
        host = Ether(src=NEIGHBOUR_MAC, dst="33:33:ff:00:00:01") / IPv6(src="fe80::9", dst="ff02::1:ff00:1")
        router = Ether(src=ROUTER_MAC, dst=packet.src) / IPv6(src="2001:db8::8", dst=packet[IPv6].src)
        return [host / ICMPv6ND_NS(tgt=packet[IPv6].src), router / ICMPv6ND_NA(tgt="2001:db8::8", R=1)]

    def _seen(self, port: int, origin: str, packet: bytes) -> None:
        for one in self.captures.values():
            if one["state"] == "ACTIVE" and port in one[origin.lower()]:
                index = len(one["pkts"]) + 1
                entry = {"binary": base64.b64encode(packet).decode(), "origin": origin, "port": port}
                one["pkts"].append(entry | {"ts": self.now_s, "index": index, "wirelen": len(packet) + 4})


def _mask(ports: list[int]) -> int:
    return sum(1 << port for port in ports)


def _reply(packet: Any) -> Any:
    arp, icmp = packet.getlayer(ARP), packet.getlayer(ICMP)
    if arp is not None and arp.pdst == NEIGHBOUR:
        answer = ARP(op=2, hwsrc=NEIGHBOUR_MAC, psrc=NEIGHBOUR, hwdst=arp.hwsrc, pdst=arp.psrc)
        return Ether(src=NEIGHBOUR_MAC, dst=arp.hwsrc) / answer
    if icmp is not None and packet.dst == NEIGHBOUR_MAC and packet[IP].dst == NEIGHBOUR:
        back = IP(src=NEIGHBOUR, dst=packet[IP].src) / ICMP(type=0, id=icmp.id, seq=icmp.seq)
        return Ether(src=NEIGHBOUR_MAC, dst=packet.src) / back
    return None


@pytest.fixture
def wire() -> Iterator[Wire]:
    with Wire() as one:
        yield one


@pytest.fixture
def console(wire: Wire) -> Iterator[Driver]:
    one = Driver(wire.address)
    one("acquire")
    yield one
    one.close()


def test_a_next_hop_is_resolved_and_pinged(wire: Wire, console: Driver) -> None:
    wire.service = [True, True]
    out = console(f"l3 -p 0 --src 1.1.1.1 --dst {NEIGHBOUR}")
    assert f"{NEIGHBOUR} is at {NEIGHBOUR_MAC}" in out
    assert wire.ipv4[0] == {"src": "1.1.1.1", "dst": NEIGHBOUR, "state": "resolved", "mac": NEIGHBOUR_MAC}
    out = console(f"ping -p 0 -d {NEIGHBOUR} -n 2 -i 0 -s 128")
    assert out.count(f"reply from {NEIGHBOUR}, time=2.000 ms") == 2
    assert "2 of 2 answered" in out
    assert f"{NEIGHBOUR} is at {NEIGHBOUR_MAC}" in console("arp -p 0")
    assert "no captures" in console("capture show")


def test_addresses_set_in_the_background() -> None:
    with Wire(tickets=True) as wire:
        wire.service = [True, True]
        console = Driver(wire.address)
        console("acquire")
        assert "is at" in console(f"l3 -p 0 --src 1.1.1.1 --dst {NEIGHBOUR}")
        assert wire.pending == 0
        console.close()


def test_a_neighbour_that_does_not_answer() -> None:
    with Wire(answers=False) as wire:
        wire.service = [True, True]
        console = Driver(wire.address)
        console("acquire")
        assert "no answer for 1.1.1.2" in console.refused("l3 -p 0 --src 1.1.1.1 --dst 1.1.1.2")
        out = console("ping -p 0 -d 1.1.1.2 -n 1")
        assert "seq=1 no reply" in out and "0 of 1 answered" in out
        console.close()


def test_service_mode_comes_first(console: Driver) -> None:
    assert "must be under service mode" in console.refused("ping -p 0 -d 1.1.1.2")
    assert "both -p PORT and -d IP" in console.refused("ping -p 0")


def test_which_port_is_wired_to_which(wire: Wire, console: Driver) -> None:
    assert console("map").splitlines() == ["port 0 -> port 1", "port 1 -> port 0"]
    wire.wired = False
    assert console("map").splitlines() == ["port 0 -> nothing came back", "port 1 -> nothing came back"]


def test_a_recording_becomes_a_pcap_file(wire: Wire, console: Driver, tmp_path: Path) -> None:
    assert "as capture 1;" in console("capture record start --rx 1 --tx 0 --limit 500 -f 'ether proto 0x88b5'")
    packets = [bytes(12) + b"\x88\xb5" + bytes([number]) * 46 for number in range(120)]
    console.session.client.push_packets(0, [Pushed(packet) for packet in packets])
    [line] = [line for line in console("capture").splitlines() if line.startswith("1 ")]
    assert [cell.strip() for cell in line.split("|")] == [
        "1", "ACTIVE", "[240/500]", "0", "240", "0", "1", "ether proto 0x88b5",
    ]  # fmt: skip
    file = tmp_path / "out.pcap"
    console(f"capture record stop --id 1 -o {file}")
    kept = rdpcap(str(file))
    assert [bytes(packet) for packet in kept] == [packet for packet in packets for _ in (0, 1)]
    assert float(kept[0].time) == pytest.approx(100.001)
    assert "no captures" in console("capture")


def test_where_a_recording_cannot_go(console: Driver, tmp_path: Path) -> None:
    console("capture record start --rx 1")
    assert "there is no directory" in console.refused(f"capture record stop -i 1 -o {tmp_path}/no/file")
    (tmp_path / "directory").mkdir()
    assert "cannot be written" in console.refused(f"capture record stop -i 1 -o {tmp_path}/directory")


def test_all_captures_are_cleared(console: Driver) -> None:
    for _ in range(3):
        console("capture record start --tx 0")
    assert "Removing 3 captures" in console("capture clear")
    assert "no captures" in console("capture")


def push_ping(console: Driver) -> None:
    packet = Ether(src=MACS[0], dst=MACS[1]) / IP(src="16.0.0.1", dst="48.0.0.1") / ICMP()
    console.session.client.push_packets(0, [Pushed(bytes(packet))])


def test_a_monitor_shows_packets_beside_other_commands(wire: Wire, console: Driver) -> None:
    assert "`capture monitor stop` ends it" in console("capture monitor start --rx 1 -s 64")
    assert wire.captures[1]["snaplen"] == 64
    push_ping(console)
    wait_for(lambda: console.screen.told, "a packet on the screen")
    assert "#1 port 1 RX 0.000000 s" in console.screen.told[0] and "16.0.0.1 > 48.0.0.1" in console.screen.told[0]
    assert "belongs to the monitor" in console.refused("capture record stop -i 1")
    assert "before this one is stopped" in console("capture monitor start --tx 0 -v")
    push_ping(console)
    wait_for(lambda: any("###[ IP ]###" in text for text in console.screen.told), "its layers")
    console("capture monitor stop")
    assert "no monitor runs" in console("capture monitor stop")
    assert "no captures" in console("capture")


def test_a_monitor_alone_ends_by_ctrl_c(wire: Wire, console: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(text: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(console.screen, "notify", interrupted)
    console.session.single = True
    other = Driver(wire.address)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: (wait_for(lambda: wire.captures, "a capture"), push_ping(other)))
        assert "monitor ended" in console("capture monitor start --rx 1")
    other.close()
    assert "no captures" in console("capture")


def test_a_monitor_fills_a_file_and_a_pipe(wire: Wire, console: Driver, tmp_path: Path) -> None:
    file = tmp_path / "live.pcap"
    console(f"capture monitor start --rx 1 -o {file}")
    push_ping(console)
    wait_for(lambda: file.stat().st_size > 24, "a packet in the file")
    assert rdpcap(str(file))[0][IP].dst == "48.0.0.1"
    said = console("capture monitor start --rx 1 -p")
    pipe = Path(said.partition("go into ")[2].partition(";")[0])
    push_ping(console)  # no client reads it yet

    def read_header() -> bytes:
        with pipe.open("rb") as reader:
            return reader.read(24)

    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(read_header)
        wait_for(lambda: (push_ping(console), read.done())[1], "a packet in the pipe")
    assert read.result().startswith(bytes.fromhex("d4c3b2a1"))
    wait_for(lambda: (push_ping(console), console.screen.told)[1], "that nobody reads the pipe")
    assert console.screen.told == ["monitor ended: nobody reads the pipe any more"]
    console("capture monitor stop")
    assert not pipe.exists()


def test_ipv6_neighbours_are_found(wire: Wire, console: Driver) -> None:
    wire.service = [True, True]
    out = console("scan6 -p 0 -t 0.2").splitlines()
    assert out[0] == "port 0: asking all nodes from fe80::ff:fe00:1"
    assert [line.split() for line in out[1:]] == [
        ["fe80::9", NEIGHBOUR_MAC],
        ["2001:db8::8", ROUTER_MAC, "router"],
        ["port", "0:", "2", "neighbours"],
    ]
    assert [ICMPv6ND_NA in packet for packet in wire.told6] == [True]
    wire.answers = False
    assert console("scan6 -p 0 -t 0.1").endswith("port 0: 0 neighbours")
