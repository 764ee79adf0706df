"""Real testbeds: a forwarding kernel in a namespace over veth links, and a wirespeed router over memifs; each part that
differs from the file is found and reported with the next step.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from harness.programs import run_wirespeed
from harness.waiting import wait_for

from wirespeed.cli.main import main
from wirespeed.client.stateless_client import StatelessClient
from wirespeed.dut.tables import ip4_table, ip6_table
from wirespeed.lab.linux import unavailable
from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result
from wirespeed.router.client import ask
from wirespeed.testbed import check
from wirespeed.testbed.check import Check, CheckResult
from wirespeed.testbed.file import parse_bench
from wirespeed.testbed.links import goes_through
from wirespeed.testbed.tester import running_tester

NAME = f"wsb{os.getpid()}"
NETNS_DUT = f"dut: {{kind: linux, reach: 'netns:{NAME}'}}\n"
WIRES = "links:\n  - {port: 0, speed: 1G, interface: e0}\n  - {port: 1, speed: 1G, interface: e1}\n"
linux_only = pytest.mark.skipif(unavailable() is not None, reason=f"no Linux lab: {unavailable()}")


def tool(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True, text=True)


def inside(*words: str) -> None:
    tool("ip", "netns", "exec", NAME, *words)


def findings(text: str) -> tuple[int, list[CheckResult]]:
    told: list[CheckResult] = []
    return Check(parse_bench(text), "b.yaml", told.append, link_wait_s=1.0).run(), told


def faults(text: str) -> tuple[int, list[CheckResult]]:
    code, told = findings(text)
    return code, [one for one in told if one.state == "FAIL"]


@pytest.fixture(scope="module")
def wires() -> Iterator[str]:
    """The tester's section for ports on veth links to a namespace that forwards, as in published tests."""
    if unavailable() is not None:
        pytest.skip(f"no Linux lab: {unavailable()}")
    tool("ip", "netns", "add", NAME)
    try:
        for side in (0, 1):
            mine = f"{NAME}g{side}"
            tool("ip", "link", "add", mine, "type", "veth", "peer", "name", f"e{side}", "netns", NAME)
            tool("sysctl", "-qw", f"net.ipv6.conf.{mine}.disable_ipv6=1")
            tool("ip", "link", "set", mine, "up")
            inside("sysctl", "-qw", f"net.ipv6.conf.e{side}.disable_ipv6=1", "net.ipv4.conf.all.arp_ignore=1")
            restore(side)
        inside("sysctl", "-qw", "net.ipv4.ip_forward=1")
        yield f"ports: ['af_packet:{NAME}g0', 'af_packet:{NAME}g1'], hugepages: never"
    finally:
        for side in (0, 1):
            subprocess.run(["ip", "link", "del", f"{NAME}g{side}"], capture_output=True, check=False)
        tool("ip", "netns", "del", NAME)


def set_link(side: int, state: str) -> None:
    """Set the device's interface "up" or "down", and wait until the kernel has told the tester's end."""
    inside("ip", "link", "set", f"e{side}", state)
    operstate = Path(f"/sys/class/net/{NAME}g{side}/operstate")
    wait_for(lambda: operstate.read_text().strip() == state, f"link {side} to be {state}")


def restore(side: int) -> None:
    """The device's interface up, with its address and route."""
    set_link(side, "up")
    inside("ip", "addr", "replace", f"100.64.{side + 1}.1/30", "dev", f"e{side}")
    inside("ip", "route", "replace", ("16.0.0.0/8", "48.0.0.0/8")[side], "via", f"100.64.{side + 1}.2")


@pytest.fixture(scope="module")
def server(wires: str) -> Iterator[str]:
    """A running generator on those links."""
    before = os.sched_getaffinity(0)
    with running_tester(parse_bench(f"tester: {{{wires}}}\n{WIRES}")) as address:
        os.sched_setaffinity(0, before)  # other tests' programs inherit the CPUs of this process
        yield f"tester: {{server: '{address}'}}\n"


@linux_only
def test_each_part_of_a_bench_is_proved(server, tmp_path):
    file = tmp_path / "b.yaml"
    file.write_text(server + WIRES + NETNS_DUT)
    ran = run_wirespeed("testbed", "check", file)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    rows = [line.split(None, 2) for line in ran.stdout.splitlines()]
    assert {row[0] for row in rows} == {"ok"}
    said = [line.split(None, 1)[1] for line in ran.stdout.splitlines()]
    for part in ("tester ", "port 0 ", "port 1 ", "DUT ", "e0 ", "e1 ", "link 1 ", "link 2 ", "0>1 ", "1>0 "):
        assert any(line.startswith(part) for line in said), part


@linux_only
def test_steps_that_prepare_a_device_follow_from_the_file(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    file = tmp_path / "b.yaml"
    file.write_text(server + WIRES + NETNS_DUT)
    inside("sysctl", "-qw", "net.ipv4.conf.e0.send_redirects=1")
    assert main(["dut", "prepare", "--testbed", str(file), "--dry-run"]) == 0
    assert "/proc/sys/net/ipv4/conf/e0/send_redirects: 1 -> 0\n" in capsys.readouterr().out


@linux_only
def test_who_is_cabled_to_whom_is_found(server):
    code, told = findings(server + WIRES.replace(", interface: e1", "").replace(", interface: e0", "") + NETNS_DUT)
    assert code == 0
    found = [one.text for one in told if one.part.startswith("link")]
    assert "port 0 ends at e0; write `interface: e0` into b.yaml" in found[0]
    assert "port 1 ends at e1; write `interface: e1` into b.yaml" in found[1]


@linux_only
def test_exchanged_wires_are_found_by_the_interfaces(server):
    exchanged = WIRES.replace("e0", "x").replace("e1", "e0").replace("x", "e1")
    code, [first, second] = faults(server + exchanged + NETNS_DUT)
    assert code == 3
    assert "port 0 ends at e0, and b.yaml says e1" in first.text
    assert "port 1 ends at e1, and b.yaml says e0" in second.text
    assert "swap the cables" in first.next_step


@linux_only
def test_exchanged_wires_are_found_by_the_addresses_of_a_device_that_nobody_can_ask(server):
    text = "links:\n  - {port: 1, dut_address: 100.64.1.1/30}\n  - {port: 0, dut_address: 100.64.2.1/30}\n"
    code, found = faults(server + text)
    assert code == 3
    assert [one.part for one in found] == ["port 1", "port 0"]
    assert found[0].next_step == "swap the cables, or the ports in the file"
    assert "100.64.2.1/30 answers here, and the file says 100.64.1.1/30: the cables are swapped" in found[0].text


@linux_only
def test_link_that_is_down(server):
    set_link(1, "down")
    try:
        code, [port, interface] = faults(server + WIRES + NETNS_DUT)
    finally:
        restore(1)
    assert code == 3
    assert (port.part, port.text) == ("port 1", "the link is down")
    assert interface.part == "e1"
    assert "wirespeed dut prepare --testbed b.yaml" in interface.next_step


@linux_only
def test_nobody_answers_arp(server):
    inside("ip", "addr", "del", "100.64.2.1/30", "dev", "e1")
    try:
        code, [fault] = faults(server + WIRES + NETNS_DUT)
    finally:
        restore(1)
    assert code == 3
    assert (fault.part, fault.text) == ("port 1", "nobody answers ARP for 100.64.2.1/30")
    assert "wirespeed dut prepare --testbed b.yaml" in fault.next_step


@linux_only
def test_device_that_answers_no_arp_is_sent_to_by_the_address_of_the_file(server):
    macs = json.loads(subprocess.check_output(["ip", "-n", NAME, "-j", "link"]))
    mac = next(row["address"] for row in macs if row["ifname"] == "e1")
    inside("sysctl", "-qw", "net.ipv4.conf.e1.arp_ignore=8")
    try:
        code, told = findings(server + WIRES.replace("interface: e1", f"interface: e1, dut_mac: '{mac}'") + NETNS_DUT)
    finally:
        inside("sysctl", "-qw", "net.ipv4.conf.e1.arp_ignore=0")
    assert code == 0, told
    assert f"nobody answers ARP for 100.64.2.1/30; packets go to {mac} of the file" in [one.text for one in told]


@linux_only
def test_device_that_does_not_forward(server, monkeypatch):
    monkeypatch.setattr(check, "goes_through", partial(goes_through, wait_s=0.5))
    inside("sysctl", "-qw", "net.ipv4.ip_forward=0")
    try:
        code, found = faults(server + WIRES + NETNS_DUT)
    finally:
        inside("sysctl", "-qw", "net.ipv4.ip_forward=1")
    assert code == 3
    assert [one.part for one in found] == ["0>1", "1>0"]
    assert "does not come out" in found[0].text


@linux_only
def test_cross_connect(server):
    inside("ip", "link", "add", "br0", "type", "bridge")
    try:
        for side in (0, 1):
            inside("ip", "link", "set", f"e{side}", "master", "br0")
        inside("ip", "link", "set", "br0", "up")
        code, told = findings(server + WIRES.replace(", interface: e0", "") + NETNS_DUT + "mode: l2xc\n")
    finally:
        inside("ip", "link", "del", "br0")
    assert code == 0, told
    assert "port 0 ends at e0; write" in next(one.text for one in told if one.part == "link 1")
    assert [one.part for one in told][-2:] == ["0>1", "1>0"]


@linux_only
def test_interface_that_does_not_exist(server):
    code, [fault] = faults(server + WIRES.replace("e1", "eth9") + NETNS_DUT)
    assert code == 3
    assert fault.text == "the DUT has no interface eth9; it has e0, e1"


@linux_only
def test_device_that_is_not_there(server):
    code, [fault] = faults(server + WIRES + NETNS_DUT.replace(NAME, "no-such-netns"))
    assert code == 3
    assert "there is no network namespace no-such-netns" in fault.text


@linux_only
def test_port_that_the_tester_has_not(server):
    code, [fault] = faults(server + WIRES.replace("port: 1", "port: 6") + NETNS_DUT)
    assert code == 3
    assert fault.text == "the tester has 2 ports, numbered from 0"


def test_remote_tester_that_is_not_there(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(check, "StatelessClient", partial(StatelessClient, timeout_s=0.2, attempts=1))
    file = tmp_path / "b.yaml"
    file.write_text("tester: {server: '127.0.0.1:9'}\n" + WIRES)
    assert main(["testbed", "check", str(file)]) == 4
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("FAIL  tester     no generator answers at 127.0.0.1:9")


@linux_only
def test_load_test_on_a_bench_starts_its_tester_and_says_what_it_stood_on(wires, tmp_path):
    file, output = tmp_path / "b.yaml", tmp_path / "r.json"
    file.write_text(f"tester: {{{wires}}}\n{WIRES}{NETNS_DUT}description: {{dut: A namespace, price: 0 EUR}}\n")
    words = ("-wd", "0.5", "-rd", "0", "-hd", "1", "-rt", "2kpps", "-q", "-o", output)
    ran = run_wirespeed("loadtest", "--testbed", file, "-p", "bench", *words)
    assert ran.returncode == 0, ran.stderr
    result = read_as(Result, output)
    assert all(channel.balance.test_frames for channel in result.outcome.channels.values())
    assert result.line_bps(0) == 1e9
    assert result.lab.testbed.links == {"0": "e0 1G 100.64.1.1/30", "1": "e1 1G 100.64.2.1/30"}
    assert result.dut.description == {"dut": "A namespace", "price": "0 EUR"}
    assert result.dut.kind == "linux"
    assert any(sample.dut for sample in result.samples)
    page = run_wirespeed("report", output, "-o", tmp_path / "page.html")
    assert page.returncode == 0, page.stderr
    assert "A namespace" in (tmp_path / "page.html").read_text()


@linux_only
@pytest.mark.long("a search for the tester's ceiling")
def test_ceiling_of_the_tester_is_measured_by_a_cable_kept_and_referred_to(wires, tmp_path):
    cable = [f"{NAME}c{side}" for side in (0, 1)]
    tool("ip", "link", "add", cable[0], "type", "veth", "peer", "name", cable[1])
    try:
        for end in cable:
            tool("sysctl", "-qw", f"net.ipv6.conf.{end}.disable_ipv6=1")
            tool("ip", "link", "set", end, "up")
        file, output = tmp_path / "b.yaml", tmp_path / "r.json"
        ports = wires.replace(f"{NAME}g", f"{NAME}c")
        file.write_text(f"tester: {{{ports}}}\n{WIRES.replace('1G', '40G')}mode: l2xc\n")
        ran = run_wirespeed("testbed", "check", "--tester", "--duration", "0.3", file)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        kept = json.loads((tmp_path / "b.tester.json").read_text())
        assert len(kept["loads"]) == 10
        assert all(0 < one["percent"] <= 100 and one["pps"] > 0 for one in kept["loads"])
        words = ("-p", "bench", "-t", "size=64", "-u", "-wd", "0.5", "-rd", "0", "-hd", "0.5", "--interval", "0.25")
        ran = run_wirespeed("loadtest", "--testbed", file, *words, "-o", output)
        assert ran.returncode == 0, ran.stderr
        result = read_as(Result, output)
        [one] = [one for one in kept["loads"] if one["label"] == "unidirectional 64b one flow"]
        told = result.lab.testbed.tester_ceiling.directions["1"]
        assert (told.percent, told.pps) == (round(one["percent"], 2), round(one["pps"]))
        assert any(note.startswith("the tester reaches") for note in result.ending.notes) == (told.percent < 100)
    finally:
        tool("ip", "link", "del", cable[0])


@linux_only
def test_ceiling_needs_cables(server, tmp_path, capsys):
    file = tmp_path / "b.yaml"
    file.write_text(server + WIRES + NETNS_DUT)
    assert main(["testbed", "check", "--tester", str(file)]) == 3
    [line] = capsys.readouterr().err.splitlines()
    assert "put a cable from port 0 to port 1" in line


def of_lab(lab, mode: str) -> str:
    addresses = ("2001:2:0:7fff::1/64", "2001:2:0:ffff::1/64") if mode == "ip6" else ("100.64.1.1/30", "100.64.2.1/30")
    wires = "".join(
        f"  - {{port: {side}, interface: e{side}, speed: 10G, dut_address: '{address}'}}\n"
        for side, address in enumerate(addresses)
    )
    device = f"dut: {{kind: wirespeed, reach: local, socket: {lab.control_socket}}}\nmode: {mode}\n"
    return f"tester: {{server: '{lab.rpc}'}}\nlinks:\n{wires}{device}"


@pytest.mark.parametrize("mode", ["ip4", pytest.param("ip6", marks=pytest.mark.long("ip4 is in `make test`")), "mpls"])
def test_our_router_on_memifs_in_each_mode(lab, mode):
    code, told = findings(of_lab(lab, mode))
    assert code == 0, told
    answered = "neighbour discovery" if mode == "ip6" else "ARP"
    assert sum(answered in one.text for one in told) == 2
    assert [one.part for one in told][-2:] == ["0>1", "1>0"]


def test_our_router_with_an_interface_down(lab):
    ask(lab.control_socket, "set interface state e1 down")
    try:
        _, found = faults(of_lab(lab, "ip4"))
    finally:
        ask(lab.control_socket, "set interface state e1 up")
    assert ("e1", "it is down on the DUT") in [(one.part, one.text) for one in found]


@pytest.mark.long("a search and a console; a load test on the bench has the same way in")
def test_searches_and_the_console_on_a_bench(lab, tmp_path):
    file, output = tmp_path / "b.yaml", tmp_path / "s.json"
    file.write_text(of_lab(lab, "ip4") + "description: {dut: Embedded}\n")
    words = ("--mrr", "1x0.3", "--min", "1kpps", "--max", "5kpps", "-u", "-q", "-o", output)
    ran = run_wirespeed("search", "--testbed", file, *words)
    assert ran.returncode == 0, ran.stderr
    raw = json.loads(output.read_text())
    assert raw["lab"]["testbed"]["mode"] == "ip4"
    assert raw["dut"]["description"] == {"dut": "Embedded"}
    ran = run_wirespeed("console", "--testbed", file, "portattr", "-p", "0")
    assert ran.returncode == 0, ran.stderr
    assert "100.64.1.1" in ran.stdout


@pytest.mark.parametrize(
    ("mode", "count"), [("ip6", 501), pytest.param("ip4", 500, marks=pytest.mark.long("ip6 is in `make test`"))]
)
def test_load_of_a_table_goes_to_the_other_side_of_a_router_that_has_it(lab, tmp_path, mode, count):
    prefixes = (ip4_table if mode == "ip4" else ip6_table)(count)
    hops = ("100.64.1.2", "100.64.2.2") if mode == "ip4" else ("2001:2:0:7fff::2", "2001:2:0:ffff::2")
    table, routes, file, output = (tmp_path / name for name in ("table", "routes.conf", "b.yaml", "r.json"))
    table.write_text("\n".join(prefixes))
    routes.write_text("".join(f"ip route add {one} via {hops[at % 2]}\n" for at, one in enumerate(prefixes)))
    ends = tmp_path / "ends.conf"
    ends.write_text(routes.read_text().replace("route add", "route del"))
    ask(lab.control_socket, f"exec {routes}")
    file.write_text(of_lab(lab, mode))
    load = ("-p", "bench", "-t", f"prefixes={table},vm=var1", "-wd", "0.5", "-rd", "0", "-hd", "1", "-rt", "2kpps")
    try:
        ran = run_wirespeed("loadtest", "--testbed", file, *load, "-q", "-o", output)
    finally:
        ask(lab.control_socket, f"exec {ends}")
    assert ran.returncode == 0, ran.stderr
    for channel in read_as(Result, output).outcome.channels.values():
        assert channel.balance.test_frames > channel.balance.offered / 2 > 0


def test_contradiction_is_one_line_that_names_both(tmp_path, capsys):
    file = tmp_path / "b.yaml"
    file.write_text("tester: {server: '10.0.0.5:4501'}\n" + WIRES)
    assert main(["search", "--testbed", str(file), "-s", "10.0.0.9"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"wirespeed: -s 10.0.0.9 contradicts {file}: it says that the tester is 10.0.0.5:4501; leave -s out, or change "
        "the file"
    ]
