"""Parts of a testbed check that need no testbed: interfaces as devices print them, test packets, maximum rates,
results' texts.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scapy.layers.l2 import Ether
from simulated_trex import SimulatedTrex

from wirespeed.client.stateless_client import StatelessClient
from wirespeed.errors import ConnectionFault, EnvironmentFault, FileFault
from wirespeed.results.codec import to_json
from wirespeed.results.lab import CeilingRate, LabFacts, LabTestbed
from wirespeed.testbed.ceiling import Ceiling, Ceilings, ceiling_facts, ceiling_note, keep, kept
from wirespeed.testbed.check import Check
from wirespeed.testbed.facts import device_facts, lab_facts
from wirespeed.testbed.file import parse_bench
from wirespeed.testbed.interfaces import LinkedInterface, bsd_interfaces, linux_interfaces, vector_interfaces
from wirespeed.testbed.links import shared
from wirespeed.testbed.neighbours import held, settle
from wirespeed.testbed.packets import proof
from wirespeed.testbed.tester import arguments

BASE = "tester: {server: a}\nlinks: [{port: 0}, {port: 1}]\n"
MACS = ("02:ee:00:00:00:00", "02:fe:00:00:00:00")

VPP_INTERFACES = """\
              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter          Count
local0                            0     down          0/0/0/0
TenGigabitEthernet3/0/0           1      up          9000/0/0/0     rx packets              54306368
                                                                    rx bytes              3475607552
TenGigabitEthernet3/0/1           2      up          9000/0/0/0     tx packets              54306880
"""
VPP_HARDWARE = """\
              Name                Idx   Link  Hardware
local0                             0    down  local0
  Link speed: unknown
TenGigabitEthernet3/0/0            1     up   TenGigabitEthernet3/0/0
  Link speed: 10 Gbps
  Ethernet address 02:fe:00:00:00:00
TenGigabitEthernet3/0/1            2    down  TenGigabitEthernet3/0/1
  Ethernet address 02:FE:00:00:00:01
"""
FREEBSD = """\
Name    Mtu Network       Address              Ipkts Ierrs Idrop     Ibytes    Opkts Oerrs     Obytes  Coll
ix0    1500 <Link#1>      00:08:a2:12:34:56  1234567     0     0   74074020     1000     0      60000     0
ix0       - 100.65.1.0/24 100.65.1.1              12     -     -       1008       12     -       1008     -
ix1*   1500 <Link#2>      00:08:a2:12:34:57        0     0     0          0        0     0          0     0
lo0   16384 <Link#3>      lo0                    200     0     0      20000      200     0      20000     0
"""


def test_interfaces_as_vpp_shows_them():
    assert vector_interfaces(VPP_INTERFACES, VPP_HARDWARE)[1:] == [
        LinkedInterface("TenGigabitEthernet3/0/0", True, "02:fe:00:00:00:00", 54306368),
        LinkedInterface("TenGigabitEthernet3/0/1", False, "02:fe:00:00:00:01", 0),
    ]


def test_interfaces_as_a_bsd_shows_them():
    assert bsd_interfaces(FREEBSD) == [
        LinkedInterface("ix0", True, "00:08:a2:12:34:56", 1234567),
        LinkedInterface("ix1", False, "00:08:a2:12:34:57", 0),
    ]


def test_interfaces_as_linux_shows_them():
    row = {"ifname": "e0", "operstate": "UP", "address": "02:FE:00:00:00:00", "stats64": {"rx": {"packets": 7}}}
    text = json.dumps([row, {}, {**row, "ifname": "e1", "operstate": "UNKNOWN"}])
    assert linux_interfaces(text) == [
        LinkedInterface("e0", True, "02:fe:00:00:00:00", 7),
        LinkedInterface("e1", None, "02:fe:00:00:00:00", 7),
    ]
    bridged = linux_interfaces(json.dumps([{**row, "master": "br0"}, {**row, "ifname": "br0"}]))
    assert [one.has_members for one in bridged] == [False, True]
    with pytest.raises(ConnectionFault, match="sh: ip: not found"):
        linux_interfaces("sh: ip: not found")


@pytest.mark.parametrize(
    ("mode", "layers"),
    [
        ("ip4", {"IP": {"src": "48.0.0.4", "dst": "16.0.0.4"}}),
        ("ip6", {"IPv6": {"src": "2001:2:0:8000::4", "dst": "2001:2::4"}}),
        ("mpls", {"MPLS": {"label": 17, "s": 1}, "IP": {"dst": "16.0.0.4"}}),
    ],
)
def test_proof_of_a_direction_is_what_the_device_forwards(mode, layers):
    bench = parse_bench(f"{BASE}mode: {mode}\n").filled()
    packet = proof(bench, 1, 0, *MACS, b"mark of ours")
    assert packet is not None
    read = Ether(packet)
    assert (read.src, read.dst) == MACS
    assert b"mark of ours" in packet
    for layer, fields in layers.items():
        assert {name: getattr(read[layer], name) for name in fields} == fields


def test_interface_at_the_end_of_two_wires():
    assert shared(["e0", None, "e1", None]) is None
    assert shared(["e0", "e1", "e0"]) == "e0"


def test_no_proof_where_no_route_leads():
    bench = parse_bench(f"{BASE}routes: [{{prefix: 10.0.0.0/8, port: 0}}]\n").filled()
    assert proof(bench, 0, 1, *MACS, b"mark") is None


@pytest.mark.parametrize("mode", ["ip4", "ip6"])
def test_ports_of_a_trex_are_told_where_to_send_to(mode):
    wires = "links: [{port: 0, dut_mac: 02:fe:00:00:00:00}, {port: 1, dut_mac: 02:fe:00:00:00:01}]\n"
    with SimulatedTrex(extended=False) as trex, StatelessClient(trex.server) as client:
        bench = parse_bench(f"tester: {{server: '{trex.server}'}}\n{wires}mode: {mode}\n")
        client.connect()
        with held(client, bench.ports):
            assert settle(client, bench) == {0: "02:fe:00:00:00:00", 1: "02:fe:00:00:00:01"}
        layers = client.call("get_port_status", port_id=1, profile_id="*", block=False)["attr"]["layer_cfg"]
        assert "02:fe:00:00:00:01" in (layers["ether"]["dst"], layers["ipv4"].get("dst_mac"))
        assert (layers["ipv4"].get("src") == "100.64.2.2") == (mode == "ip4")


CEILINGS = Ceilings(
    "wirespeed 1",
    "2026-11-23T00:00:00+00:00",
    (
        Ceiling("uni", "bench", {"size": "64", "vm": "var2"}, 1, 97.04, 14_440_000.0),
        Ceiling("bi", "bench", {"size": "64", "vm": "var2"}, 2, 60.0, 8_900_000.0),
        Ceiling("mpls", "mpls", {"size": "64"}, 1, 99.0, 1.0),
    ),
)


def test_ceilings_are_kept_beside_the_bench_and_found_by_the_load(tmp_path: Path):
    bench = tmp_path / "fitlet.yaml"
    assert kept(bench) is None
    assert keep(bench, CEILINGS) == tmp_path / "fitlet.tester.json"
    again = kept(bench)
    assert again == CEILINGS
    assert again.of("bench", {"vm": "var2"}, 1) == CEILINGS.loads[0]
    assert again.of("bench", {"vm": "var2", "offset": "7"}, 2) == CEILINGS.loads[1]
    assert again.of("mpls", {"label": "16"}, 1) == CEILINGS.loads[2]
    assert again.of("bench", {"size": "65", "vm": "var2"}, 1) is None
    assert again.of("bench", {"vm": "var2", "ip": "6"}, 1) is None
    (tmp_path / "fitlet.tester.json").write_text("[1]")
    with pytest.raises(FileFault, match="is not a file of `wirespeed testbed check --tester`"):
        kept(bench)


def test_results_refer_to_the_ceiling_of_their_load():
    ceiling = ceiling_facts(CEILINGS, "bench", {"size": "64", "vm": "var2"})
    assert ceiling is not None and ceiling.directions["2"] == CeilingRate(60.0, 8_900_000)
    lab = LabFacts(testbed=LabTestbed(tester_ceiling=ceiling))
    assert str(ceiling_note(lab, 1, 100.0)).startswith("the tester reaches 97.0 % of line rate")
    assert ceiling_note(lab, 1, 97.0) is None
    assert ceiling_note(lab, 1, None) is None
    assert ceiling_note(lab, 4, 100.0) is None
    assert ceiling_note(LabFacts(), 1, 100.0) is None
    assert ceiling_facts(CEILINGS, "imix", {}) is None
    assert ceiling_facts(None, "bench", {}) is None


def test_results_describe_the_bench():
    text = BASE.replace("{port: 0}", "{port: 0, interface: e0, speed: 10G}")
    bench = parse_bench(f"{text}description: {{dut: Fitlet2, price: 400}}\ndut: {{kind: linux, reach: local}}\n")
    assert to_json(device_facts(bench, None)) == {
        "name": "Fitlet2",
        "kind": "linux",
        "description": {"dut": "Fitlet2", "price": "400"},
    }
    assert to_json(lab_facts(bench, "b.yaml", None))["testbed"]["links"] == {
        "0": "e0 10G 100.64.1.1/30",
        "1": "not named 100.64.2.1/30",
    }


def test_tester_that_is_not_built_is_no_fault_of_the_file(monkeypatch):
    def unbuilt():
        raise EnvironmentFault("the native core cannot be loaded (); build it with: make")

    monkeypatch.setattr("wirespeed.testbed.check.find_spec", lambda name: None)
    monkeypatch.setattr("wirespeed.testbed.check.core", unbuilt)
    bench = parse_bench("tester: {ports: ['null', 'null']}\nlinks: [{port: 0}, {port: 1}]\n")
    told = []
    assert Check(bench, "b.yaml", told.append, False).run() == 3
    assert (told[0].part, told[0].next_step) == ("tester", "") and told[0].text.endswith("build it with: make")


def test_tester_is_started_with_what_its_wires_say():
    bench = parse_bench(
        "tester: {ports: ['null', 'null,speed=1G'], hugepages: never}\n"
        "links: [{port: 0, speed: 10G, tester_mac: 02:ee:00:00:00:09}, {port: 1, speed: 10G}]\n"
    )
    words = arguments(bench, (2, 3), (0,), "127.0.0.1:4507")
    assert words[words.index("--cpu") + 1] == "2,3"
    assert [words[at + 1] for at, word in enumerate(words) if word == "--port"] == [
        "null,speed=10G,mac=02:ee:00:00:00:09",
        "null,speed=1G",
    ]
