"""Real DUTs: their telemetry about packets that the generator sent through them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from harness.waiting import wait_for
from joined_lab import joined_lab
from shared_labs import connected

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.demo.burden import Burden, burdened
from wirespeed.dut.dut import Dut
from wirespeed.dut.router import TEXTS
from wirespeed.dut.spec import parse_dut
from wirespeed.lab.embedded import GENERATOR_MACS, ROUTER_COMMANDS, EmbeddedLab
from wirespeed.lab.lab import Lab
from wirespeed.lab.linux import LinuxLab, has_xdp_sockets, unavailable
from wirespeed.lab.running import running
from wirespeed.lab.veth import VethLab
from wirespeed.machine.placement import choose_cpus
from wirespeed.profiles import load_profile
from wirespeed.results.dut import DutTelemetry
from wirespeed.router.client import ask
from wirespeed.trial.directions import pair_directions
from wirespeed.trial.links import wait_for_links
from wirespeed.trial.load import load_of
from wirespeed.trial.tester import Tester as Ports
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate

PROFILE = """\
from scapy.all import ARP, IP, UDP, Ether
from trex_stl_lib.api import STLPktBuilder, STLProfile, STLStream, STLTXCont


class One:
    def get_streams(self, direction=0, **kwargs):
        stream = STLStream(packet=STLPktBuilder(pkt=%s), mode=STLTXCont())
        return STLProfile([stream]).get_streams()


def register():
    return One()
"""
TO_NOWHERE = 'Ether() / IP(src="16.0.0.1", dst="9.9.9.9") / UDP(dport=12, sport=1025) / (20 * "x")'
ARP_REQUEST = (
    f'Ether(dst="ff:ff:ff:ff:ff:ff") / ARP(op=1, hwsrc="{GENERATOR_MACS[0]}", psrc="100.64.1.2", pdst="100.64.1.1")'
)


def send(lab: Lab, profile: str, pps: float, seconds: float = 0.5) -> int:
    """Send on port 0 for a while, then drain; returns the number of packets sent."""
    with connected(lab.rpc) as client:
        wait_for_links(client)
        client.acquire([0], force=True)
        client.reset([0])
        client.add_streams(0, load_profile(profile, {}, 0, 0))
        first = client.snapshot([0, 1])
        before = first.ports[0].opackets
        client.start([0], Rate(pps, "pps"))
        wait_for(lambda: client.snapshot([0]).ports[0].opackets - before > pps * seconds, "the load")
        client.stop([0])
        _drain(client, lab)
        sent = client.snapshot([0]).ports[0].opackets - before
        client.release([0])
    assert sent > 0
    return sent


def _drain(client: GeneratorClient, lab: Lab) -> None:
    """Wait until neither the tester nor the device counts more packets, while the device's workers run."""
    before: object = None

    def is_quiet() -> bool:
        nonlocal before
        mark = lab.dut.reading()
        time.sleep(0.1)
        ports, reading = client.snapshot([0, 1]).ports, lab.dut.reading()
        told, recent = lab.dut.telemetry(start, reading), lab.dut.telemetry(mark, reading)
        now = (ports[0].opackets, ports[1].ipackets, told.in_packets, told.out_packets)
        is_same, before = now == before, now
        return is_same and all((worker.preempted_s or 0) < worker.interval_s / 2 for worker in recent.workers)

    start = lab.dut.reading()
    wait_for(is_quiet, "the last packet")


def dut_cpu(lab: Lab) -> int:
    (cpu,) = lab.facts.cpus.dut
    return cpu


def between(dut: Dut, lab: Lab, profile: str, pps: float) -> tuple[DutTelemetry, int]:
    """Telemetry of the DUT for the time in which packets passed, and the number of packets sent."""
    before = dut.reading()
    sent = send(lab, profile, pps)
    return dut.telemetry(before, dut.reading()), sent


@pytest.fixture
def nowhere(tmp_path: Path) -> str:
    """A profile whose packets have no route in any router here."""
    (tmp_path / "nowhere.py").write_text(PROFILE % TO_NOWHERE)
    return str(tmp_path / "nowhere.py")


@pytest.fixture
def requests(tmp_path: Path) -> str:
    """A profile of requests for the embedded router's address, from its neighbour."""
    (tmp_path / "requests.py").write_text(PROFILE % ARP_REQUEST)
    return str(tmp_path / "requests.py")


# ---- The wirespeed router


def test_a_router_counts_what_was_sent_through_it(lab: EmbeddedLab) -> None:
    told, sent = between(lab.dut, lab, "bench", 50_000)
    assert (told.error, told.in_packets, told.out_packets) == (None, sent, sent)
    assert (told.drop_packets, told.drops) == (0, {})
    (worker,) = told.workers
    nodes = {node.name: node for node in worker.nodes}
    assert {nodes[name].vectors for name in ("dpdk-input", "ip4-lookup", "ip4-rewrite", "e1-tx")} == {sent}
    assert (worker.name, worker.cpu) == ("ws_wk_0", dut_cpu(lab))
    assert sum(node.clocks for node in worker.nodes) + worker.outside_nodes == worker.clocks_total
    assert worker.clocks_total == pytest.approx(told.interval_s * worker.tsc_hz, rel=0.01)
    assert 0 < worker.outside_nodes < worker.clocks_total
    assert told.cycles_per_packet is not None and told.cycles_per_packet_without_input is not None
    assert told.cycles_per_packet > told.cycles_per_packet_without_input > 0
    assert told.vectors_per_call is not None and 1 <= told.vectors_per_call <= 256
    assert told.idle_polls is not None and 0 <= told.idle_polls <= 1
    assert DutTelemetry.from_json(told.to_json()) == told


def test_a_router_names_what_it_drops(lab: EmbeddedLab, nowhere: str) -> None:
    told, sent = between(lab.dut, lab, nowhere, 20_000)
    assert told.in_packets is not None and told.out_packets is not None and told.drop_packets is not None
    # Some cause "no route" errors; for the others a second reason says that errors are rate-limited.
    assert told.in_packets == sent == told.out_packets + told.drop_packets
    assert told.drops == {
        "ip4-lookup: no route": sent,
        "ip4-icmp-error: icmp4 error rate limited": told.drop_packets,
    }


def test_what_is_counted_and_is_no_drop_is_not_among_the_drops(lab: EmbeddedLab, requests: str) -> None:
    told, sent = between(lab.dut, lab, requests, 1_000)
    assert (told.in_packets, told.out_packets) == (sent, sent)
    assert "ARP replies sent" in ask(lab.control_socket, "show errors")
    assert told.drops == {}


def test_reading_leaves_show_runtime_and_show_errors_alone(lab: EmbeddedLab, nowhere: str) -> None:
    ask(lab.control_socket, "clear runtime")
    ask(lab.control_socket, "clear errors")
    sent = send(lab, nowhere, 20_000)
    readings = [lab.dut.reading() for _ in range(3)]
    assert lab.dut.telemetry(readings[0], readings[-1]).error is None
    assert f" {sent} " in next(row for row in ask(lab.control_socket, "show errors").splitlines() if "no route" in row)
    row = next(row for row in ask(lab.control_socket, "show runtime").splitlines() if row.startswith("ip4-input "))
    assert int(row.split()[3]) == sent


def test_clear_commands_in_between_change_nothing(lab: EmbeddedLab) -> None:
    before = lab.dut.reading()
    sent = send(lab, "bench", 20_000)
    for what in ("runtime", "errors", "interfaces"):
        ask(lab.control_socket, f"clear {what}")
    assert lab.dut.telemetry(before, lab.dut.reading()).in_packets == sent


def test_facts_and_texts(lab: EmbeddedLab) -> None:
    facts = lab.dut.describe()
    assert (facts.name, facts.kind, facts.cpus) == ("wirespeed", "router", (dut_cpu(lab),))
    assert facts.commands == tuple(ROUTER_COMMANDS.splitlines())
    assert facts.version.startswith("wirespeed v")
    texts = lab.dut.collect()
    assert texts.keys() == set(TEXTS)
    assert "dpdk-input" in texts["show runtime"] and "ws_wk_0" in texts["show threads"]


def test_a_router_by_its_spec_tells_the_same(lab: EmbeddedLab) -> None:
    dut = parse_dut(f"router:{lab.control_socket}")
    dut.prepare()
    told, sent = between(dut, lab, "bench", 20_000)
    dut.close()
    assert (told.in_packets, told.out_packets) == (sent, sent)
    assert told.workers[0].name == "ws_wk_0"


def test_a_router_that_ends_and_one_that_takes_its_place() -> None:
    """Each is reported in one line, without a negative number; the next interval is measured normally."""
    with joined_lab() as one:
        before = one.dut.reading()
        os.kill(one.router.pid, signal.SIGTERM)
        wait_for(lambda: not one.router.alive, "the router's end")
        one.router.stop()
        gone = one.dut.reading()
        assert gone.error is not None and "no router writes" in gone.error
        assert one.dut.telemetry(before, gone).to_json() == {"error": gone.error}
        one.router.start()
        again = one.dut.reading()
        assert one.dut.telemetry(before, again).error == "the router was restarted in between: its counters began at 0"
        one.restart_generator()
        told, sent = between(one.dut, one, "bench", 20_000)
        assert (told.error, told.in_packets) == (None, sent)
        assert told.workers[0].name == "ws_wk_0"


BURDEN = Burden("an ACL and a table", rules=50, routes="internet:2000")


def test_a_burden_costs_each_packet_and_is_gone_afterwards(lab: EmbeddedLab) -> None:
    """The ACL is applied on input and output, and the routes are in the FIB; packets are still forwarded."""
    before = ask(lab.control_socket, "show ip fib summary")
    with burdened(lab, BURDEN):
        assert ask(lab.control_socket, "show ip fib summary") != before
        told, sent = between(lab.dut, lab, "bench", 20_000)
    assert (told.in_packets, told.out_packets, told.drops) == (sent, sent, {})
    names = {node.name for node in told.workers[0].nodes if node.vectors}
    assert {"acl-plugin-in-ip4-fa", "e1-acl-plugin-out"} <= names
    assert ask(lab.control_socket, "show ip fib summary") == before
    told, sent = between(lab.dut, lab, "bench", 20_000)
    assert not {node.name for node in told.workers[0].nodes if node.vectors and "acl" in node.name}


# ---- Linux

linux_only = pytest.mark.skipif(unavailable() is not None, reason=f"no Linux lab: {unavailable()}")


def test_linux_counts_what_was_sent_through_it(linux_lab: LinuxLab, nowhere: str) -> None:
    lab = linux_lab
    told, sent = between(lab.dut, lab, "bench", 5_000)
    assert (told.error, told.in_packets, told.out_packets) == (None, sent, sent)
    assert (told.drop_packets, told.drops, told.workers) == (0, {}, ())
    assert sum(told.cpu_percent.values()) == pytest.approx(100)
    assert DutTelemetry.from_json(told.to_json()) == told
    facts = lab.dut.describe()
    assert (facts.kind, facts.cpus, facts.details["ip_forward"]) == ("linux", (dut_cpu(lab),), "1")

    told, sent = between(lab.dut, lab, nowhere, 5_000)
    # For some of them the kernel sends "no route" errors.
    assert (told.in_packets, told.drops) == (sent, {"IpExt InNoRoutes": sent})
    assert "e0:" in lab.dut.collect()["/proc/net/dev"]

    named = parse_dut(f"linux:netns={lab.netns},cpus={dut_cpu(lab)}")
    named.prepare()
    told, sent = between(named, lab, "bench", 5_000)
    named.close()
    assert told.in_packets == sent


@pytest.mark.alone
def test_linux_tells_what_its_cpu_was_busy_with(linux_lab: LinuxLab) -> None:
    """The kernel counts its time in ticks, so the load must be worth several of them."""
    told, _ = between(linux_lab.dut, linux_lab, "bench", 100_000)
    assert told.cpu_percent["softirq"] > 0


@linux_only
@pytest.mark.alone
@pytest.mark.parametrize("port", ["af_packet", "af_xdp"])
def test_at_the_full_line_the_tester_is_told_to_be_the_limit(no_linux_lab: None, port: str) -> None:
    """Sockets cannot send 10 Gb/s of the shortest packets, whatever the kernel forwards of them."""
    if port == "af_xdp" and not has_xdp_sockets():
        pytest.skip("this kernel has no sockets of AF_XDP")
    with running(LinuxLab(choose_cpus(), port=port)) as lab, connected(lab.rpc) as client:
        streams = {number: load_profile("bench", {"size": "64"}, number, number) for number in (0, 1)}
        with Trial(Ports(client, pair_directions()), load_of(streams), dut=lab.dut) as trial:
            found = trial.measure(Rate(100.0, "percentage"), 0.5)
    assert lab.facts.port_type == f"veth, {port}"
    assert all(one.tester_limited and one.balance.test_frames > 0 for one in found.channels.values()), found


@linux_only
def test_our_router_runs_over_the_links_that_linux_has(no_linux_lab: None) -> None:
    with running(VethLab(choose_cpus())) as lab:
        told, sent = between(lab.dut, lab, "bench", 5_000)
        assert (told.error, told.in_packets, told.out_packets, told.drops) == (None, sent, sent, {})
        assert (lab.facts.kind, lab.facts.port_type.partition(",")[0]) == ("veth", "veth")
    assert not [path for path in Path("/sys/class/net").iterdir() if path.name.startswith(f"ws{os.getpid()}")]


@linux_only
def test_the_namespace_goes_with_its_lab(no_linux_lab: None) -> None:
    with running(LinuxLab(choose_cpus())) as lab:
        name = lab.netns
        assert Path(f"/run/netns/{name}").exists()
    assert not Path(f"/run/netns/{name}").exists()
    assert not any(path.name.startswith(name) for path in Path("/sys/class/net").iterdir())
    gone = lab.dut.reading()
    assert lab.dut.telemetry(gone, gone).error == f"namespace {name} was not read"
