"""Options in addition to a testbed file: each overrides the file, or is an error that names both."""

from __future__ import annotations

import pytest

from wirespeed.errors import UsageError
from wirespeed.measurement.plan_head import directions_of
from wirespeed.testbed.file import parse_bench
from wirespeed.testbed.options import GivenOptions, StandOptions, device_spec, on_bench

HERE = """\
tester: {ports: [null, null, null, null]}
links:
  - {port: 2, speed: 1G, interface: e0}
  - {port: 3, speed: 1G, interface: e1}
""".replace("null", "'null'")
THERE = "tester: {server: '10.0.0.5:4501'}\nlinks: [{port: 0, speed: 1G}, {port: 1}]\n"


def asked(text: str, default: str = "bench", **given: str) -> StandOptions:
    return on_bench(parse_bench(text), "b.yaml", GivenOptions(**{"profile": default, **given}), default)


def test_bench_says_what_options_leave_open():
    at = asked(HERE)
    assert (at.server, at.ports, at.line, at.profile, at.tunables, at.mode) == ("", "2,3", "1G", "bench", "", "ip4")
    at = asked(THERE)
    assert (at.server, at.ports, at.line) == ("10.0.0.5:4501", "0,1", "")


def test_the_meter_of_the_bench_is_read_unless_another_is_named():
    text = f"{HERE}power: 'constant:12'\n"
    assert asked(text).power == "constant:12"
    assert asked(text, power="rapl").power == "rapl"


def test_options_override_it():
    at = asked(HERE, ports="3,2", line="100M", profile="imix", dut="linux:netns=x")
    assert (at.ports, at.line, at.profile, at.dut) == ("3,2", "100M", "imix", "linux:netns=x")
    assert asked(HERE, directions="2>3").directions == "2>3"
    assert asked(THERE, server="10.0.0.5:4501").server == "10.0.0.5:4501"


def test_an_option_given_with_its_default_value_is_seen():
    assert asked(f"{HERE}dut: {{kind: linux, reach: local}}\n", dut="none").dut == "none"
    assert (
        asked("tester: {server: '127.0.0.1:4501'}\nlinks: [{port: 0}, {port: 1}]\n", server="127.0.0.1:4501").ports
        == "0,1"
    )
    assert directions_of(None, "both", "0>1", False) == directions_of("0,1", "0-1", "", False)
    with pytest.raises(UsageError, match="leave out --ports"):
        directions_of("0,1", "both", "0>1", False)


@pytest.mark.parametrize(
    ("mode", "default", "given", "load"),
    [
        ("ip6", "imix", {}, ("bench", "size=imix,vm=var2,ip=6")),
        ("ip6", "bench", {"tunables": "size=128"}, ("bench", "size=128,ip=6")),
        ("ip6", "bench", {"tunables": "vm=var1"}, ("bench", "vm=var1,size=66,ip=6")),
        ("ip6", "bench", {"tunables": "ip=6"}, ("bench", "ip=6")),
        ("mpls", "imix", {}, ("mpls", "label=16")),
        ("mpls", "bench", {"profile": "mpls", "tunables": "label=20"}, ("mpls", "label=20")),
        ("l2xc", "bench", {"profile": "mpls"}, ("mpls", "")),
        ("mpls", "bench", {"profile": "own.py"}, ("own.py", "")),
    ],
)
def test_load_is_what_the_mode_forwards(mode, default, given, load):
    at = asked(f"{HERE}mode: {mode}\n", default, **given)
    assert (at.profile, at.tunables) == load


@pytest.mark.parametrize(
    ("text", "given", "both"),
    [
        (THERE, {"server": "10.0.0.9"}, ("-s 10.0.0.9", "the tester is 10.0.0.5:4501")),
        (HERE, {"server": "10.0.0.9"}, ("-s 10.0.0.9", "ports of a tester to start here")),
        (THERE, {"server": "127.0.0.1:4501"}, ("-s 127.0.0.1:4501", "the tester is 10.0.0.5:4501")),
        (HERE, {"server": "127.0.0.1:4501"}, ("-s 127.0.0.1:4501", "ports of a tester to start here")),
        (HERE, {"ports": "0,1"}, ("--ports 0,1", "no link ends at port 0")),
        (HERE, {"lab": "embedded"}, ("--lab embedded", "--testbed b.yaml")),
        (HERE, {"ports": "0,2"}, ("--ports 0,2", "no link ends at port 0")),
        (HERE, {"directions": "2>1"}, ("--directions 2>1", "no link ends at port 1")),
        (HERE, {"profile": "mpls"}, ("profile mpls", "its mode is ip4")),
        (HERE, {"tunables": "ip=6"}, ("ip=6", "its mode is ip4")),
        (HERE + "mode: ip6\n", {"tunables": "ip=4"}, ("ip=4", "its mode is ip6")),
        (HERE + "mode: ip6\n", {"profile": "imix"}, ("profile imix", "its mode is ip6")),
        (HERE + "mode: mpls\n", {"profile": "imix"}, ("profile imix", "its mode is mpls")),
        (HERE + "dut: {kind: vpp, reach: local}\n", {"dut": "linux:"}, ("--dut linux:", "of kind vpp")),
    ],
)
def test_contradictions_name_both(text, given, both):
    with pytest.raises(UsageError) as caught:
        asked(text, **given)
    assert all(part in str(caught.value) for part in ("b.yaml", *both))


@pytest.mark.parametrize(
    ("device", "spec"),
    [
        ("{kind: linux, reach: 'netns:dut'}", "linux:netns=dut"),
        ("{kind: linux, reach: local}", "linux:"),
        ("{kind: linux, reach: 'ssh://root@box'}", "linux:ssh://root@box"),
        ("{kind: linux, reach: 'console-log:dut.log'}", "none"),
        ("{kind: wirespeed, reach: local, socket: /run/r.sock}", "router:/run/r.sock"),
        ("{kind: vpp, reach: local}", "vpp:local"),
    ],
)
def test_device_is_asked_meanwhile(device, spec):
    assert device_spec(parse_bench(f"{HERE}dut: {device}\n")) == spec
