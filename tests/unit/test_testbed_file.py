"""The testbed file: its meaning, and errors with their path and line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from wirespeed.errors import FileFault
from wirespeed.testbed.file import example_text, parse_bench, read_bench, schema_text

BASE = """\
tester: {server: 10.0.0.5}
links:
  - port: 0
  - port: 1
"""


def test_example_is_a_bench_and_has_the_defaults_it_claims():
    text = example_text()
    bench = parse_bench(text)
    assert bench == bench.filled()
    wires = "\n".join(line for line in text.splitlines() if "_address" not in line and "interface:" not in line)
    filled = parse_bench(wires.replace("routes:", "#").replace("  - {prefix", "#")).filled()
    assert filled.routes == bench.routes
    assert [wire.dut_address for wire in filled.links] == [wire.dut_address for wire in bench.links]
    assert [wire.tester_address for wire in filled.links] == [wire.tester_address for wire in bench.links]


def test_articles_addresses_routes_and_labels_stand_in():
    bench = parse_bench(BASE + "mode: mpls\n").filled()
    assert [(wire.dut_address, wire.tester_address) for wire in bench.links] == [
        ("100.64.1.1/30", "100.64.1.2"),
        ("100.64.2.1/30", "100.64.2.2"),
    ]
    assert [(route.prefix, route.port) for route in bench.routes] == [("16.0.0.0/8", 0), ("48.0.0.0/8", 1)]
    assert [(label.label, label.port) for label in bench.labels] == [(16, 1), (17, 0)]
    six = parse_bench(BASE + "mode: ip6\n").filled()
    assert [wire.tester_address for wire in six.links] == ["2001:db8:1::2", "2001:db8:2::2"]
    assert [route.prefix for route in six.routes] == ["2001:2::/49", "2001:2:0:8000::/49"]
    assert parse_bench(BASE + "mode: l2xc\n").filled().links[0].dut_address is None


@pytest.mark.parametrize(("given", "ours"), [("10.1.0.1/30", "10.1.0.2"), ("10.1.0.2/30", "10.1.0.1")])
def test_tester_takes_the_other_address_of_the_network(given, ours):
    bench = parse_bench(BASE.replace("port: 0", f"port: 0\n    dut_address: {given}")).filled()
    assert bench.links[0].tester_address == ours


def test_links_and_the_name_of_the_dut_have_former_keys():
    text = BASE + "description: {dut: Fitlet2}\n"
    former = text.replace("links:", "wires:").replace("{dut:", "{box:")
    assert parse_bench(former) == parse_bench(text)
    with pytest.raises(FileFault, match="4: wires.1.port: two links end at port 0"):
        parse_bench(former.replace("port: 1", "port: 0"))


WRONG = {
    "": "has no testbed in it",
    "a: [": "1: this is not YAML",
    "tester: {server: x}\n": "1: links: it is needed and not there",
    BASE + "mode: ip5\n": "5: mode: Input should be 'l2xc', 'ip4', 'ip6' or 'mpls', not 'ip5'",
    BASE + "colour: red\n": "5: colour: there is no such key; there are tester, links, dut, mode, ",
    BASE.replace("port: 1", "port: 1\n    spead: 10G"): "5: links.1.spead: there is no such key; did you mean speed?",
    BASE + "dut: {kind: linux, reech: local}\n": "5: dut.reech: there is no such key; did you mean reach?",
    BASE + "mode: ip4\nmode: ip6\n": "6: mode: key mode stands here again, first in line 5; keep one of the two",
    "\n".join(["a0: &a0 [x, x, x]", *(f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}, *a{n}]" for n in range(13))]): (
        ":11: with its aliases this has more than 1000000 values"
    ),
    BASE.replace("port: 1", "port: 0"): "4: links.1.port: two links end at port 0",
    BASE.replace("port: 1", "speed: 10G"): "4: links.1.port: it is needed and not there",
    BASE.replace("  - port: 1\n", ""): "2: links: a testbed has at least two links",
    BASE + "  - port: 2\n": "2: links: 3 links are not pairs",
    BASE.replace("port: ", "interface: e0\n    port: "): "5: links.1.interface: two links end at interface e0",
    BASE.replace("port: 1", "port: 1\n    speed: fast"): "5: links.1.speed: speed 'fast' cannot be read",
    BASE.replace("port: 1", "port: 1\n    tester_address: 10.0.0.1"): "5: links.1.tester_address: give dut_address",
    BASE.replace("port: 1", "port: 1\n    dut_address: 10.0.0.1/24\n    tester_address: 10.0.1.1"): "6: links.1.tester",
    BASE.replace("server: 10.0.0.5", "ports: [memory:x]"): "1: tester.ports.0: port 'memory:x'",
    BASE.replace("server: 10.0.0.5", "ports: [null]"): "tester.ports.0",
    BASE.replace("server: 10.0.0.5", "ports: ['null']"): "4: links.1.port: the link ends at port 1",
    BASE.replace("server: 10.0.0.5", "hugepages: auto"): "1: tester: give `server`",
    BASE + "dut:\n  kind: linux\n": "5: dut: a DUT of kind linux needs `reach`",
    BASE + "dut:\n  kind: linux\n  reach: telnet://x\n": "7: dut.reach: 'telnet://x' is not a valid way to a DUT",
    BASE + "dut: {reach: local}\n": "5: dut: `reach` and `socket` need `kind`",
    BASE + "routes:\n  - {prefix: 16.0.0.1/8, port: 0}\n": "6: routes.0.prefix: 16.0.0.1/8 has host bits set",
    BASE + "routes:\n  - {prefix: 16.0.0.0/8, port: 7}\n": "6: routes.0.port: no link ends at port 7",
    BASE + "labels:\n  - {label: 3, port: 0}\n": "6: labels.0.label: ",
}


@pytest.mark.parametrize("text", WRONG)
def test_error_names_file_line_and_path_in_one_line(text):
    with pytest.raises(FileFault) as caught:
        parse_bench(text, "b.yaml")
    message = str(caught.value)
    assert message.startswith("b.yaml")
    assert WRONG[text] in message
    assert "\n" not in message


def test_others_that_are_wrong_are_counted():
    with pytest.raises(FileFault, match=r":5: mode: .* \(and 1 more\)$"):
        parse_bench(BASE + "mode: ip5\ntable: [1]\n")


@pytest.mark.parametrize("page", ["testbed.md", "real-hardware.md"])
def test_examples_of_the_pages_are_benches(page):
    text = (Path(__file__).parents[2] / "docs" / page).read_text()
    blocks = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert [parse_bench(block, page).ports for block in blocks] == [(0, 1)] * len(blocks)
    assert blocks


def test_schema_describes_each_section():
    schema = json.loads(schema_text())
    assert set(schema["properties"]) >= {"tester", "links", "dut", "mode", "routes", "labels", "power", "description"}
    assert schema["additionalProperties"] is False


def test_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(FileFault, match="testbed file .* cannot be read: No such file"):
        read_bench(tmp_path / "none.yaml")
