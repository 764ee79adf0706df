"""Profiles that are data: JSON, YAML and packet files."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from wirespeed.errors import FileFault, UsageError, WirespeedError
from wirespeed.explain.sources.evidence_file import cases_of
from wirespeed.profiles import load_profile
from wirespeed.profiles.stl_profile import STLProfile
from wirespeed.profiles.stream_json import parse_stream

RECORDED = json.loads((Path(__file__).parent / "data" / "trex_client_streams.json").read_text())["api"]
PACKET = bytes(Ether() / IP(src="16.0.0.1", dst="48.0.0.1") / UDP() / (b"x" * 30))


@pytest.fixture
def pcap(tmp_path: Path) -> Path:
    packets = [Ether(PACKET + bytes([number])) for number in range(3)]
    for packet, at_s in zip(packets, (5.0, 5.002, 5.003), strict=True):
        packet.time = at_s
    wrpcap(str(tmp_path / "three.pcap"), packets)
    return tmp_path / "three.pcap"


@pytest.mark.parametrize(("suffix", "write"), [("json", json.dumps), ("yaml", yaml.safe_dump), ("yml", yaml.safe_dump)])
def test_streams_written_by_trex_load_as_they_are(tmp_path: Path, suffix: str, write: Any) -> None:
    path = tmp_path / f"chain.{suffix}"
    first, second = RECORDED[0] | {"name": "S0", "next": "S1"}, RECORDED[1] | {"name": "S1", "next": "S0"}
    path.write_text(write([first, second]))
    loaded = load_profile(str(path), {}, 0, 0)
    assert [one["stream_id"] for one in loaded] == [1, 2]
    assert loaded[0]["stream"] == first | {"next_stream_id": 2}
    assert loaded[1]["stream"] == second | {"next_stream_id": 1}


def test_a_hand_written_stream_needs_a_packet_and_a_mode_only(pcap: Path) -> None:
    path = pcap.with_name("hand.yaml")
    path.write_text(
        "- name: one\n"
        "  stream:\n"
        "    packet: {binary: three.pcap}\n"
        "    mode: {type: continuous, rate: {type: pps, value: 100}}\n"
    )
    (loaded,) = load_profile(str(path), {}, 0, 0)
    assert loaded["stream"]["name"] == "one"
    assert parse_stream(loaded["stream"]).packet.binary == PACKET + b"\0"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"),
        ("5", "stream 1: not a mapping"),
        ("[]", "returned no stream"),
        ('[{"mode": {}}]', "stream 1: field 'mode'"),
        ('[{"packet": {"binary": "*"}, "mode": {"type": "continuous"}}]', "stream 1: field"),
        ('[{"packet": {"binary": "nope.pcap"}}]', "nope.pcap cannot be read"),
    ],
)
@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_files_that_are_no_profile(tmp_path: Path, text: str, said: str, suffix: str) -> None:
    path = tmp_path / f"bad.{suffix}"
    path.write_text(text)
    with pytest.raises(WirespeedError, match=said):
        load_profile(str(path), {}, 0, 0)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for suffix in ("json", "yaml", "pcap"):
        with pytest.raises(FileFault, match="cannot be read"):
            load_profile(str(tmp_path / f"nope.{suffix}"), {}, 0, 0)


def test_yaml_runs_no_code(tmp_path: Path) -> None:
    path = tmp_path / "evil.yaml"
    path.write_text("!!python/object/apply:os.system ['true']")
    with pytest.raises(FileFault, match="could not determine a constructor"):
        load_profile(str(path), {}, 0, 0)


def test_tags_that_python_2_wrote_before_scalars_are_read(tmp_path: Path) -> None:
    path = tmp_path / "old.yaml"
    written = yaml.safe_dump([{name: RECORDED[0][name] for name in ("packet", "mode", "action_count")}])
    path.write_text(written)
    plain = load_profile(str(path), {}, 0, 0)
    for key, tag in (("binary", "unicode"), ("type", "str"), ("action_count", "long")):
        assert f"{key}: " in written
        written = written.replace(f"{key}: ", f"{key}: !!python/{tag} ")
    path.write_text(written)
    assert load_profile(str(path), {}, 0, 0) == plain


@pytest.mark.parametrize("value", ["!!bool x", "!!timestamp x", "!!int x", "2026-02-30"])
def test_a_value_that_its_tag_cannot_have_is_no_yaml(tmp_path: Path, value: str) -> None:
    text, path = f"- name: {value}\n", tmp_path / "odd.yaml"
    path.write_text(text)
    with pytest.raises(FileFault, match="a value does not match its YAML tag"):
        load_profile(str(path), {}, 0, 0)
    with pytest.raises(FileFault, match="odd.yaml:1: tests: .*valid tuple"):
        cases_of(f"{{schema: wirespeed-evidence/1, tests: {value}}}", "odd.yaml")


def gaps(loaded: list[dict[str, Any]]) -> list[float]:
    return [one["stream"]["isg"] for one in loaded]


def test_a_packet_file_is_a_chain(pcap: Path) -> None:
    loaded = load_profile(str(pcap), {}, 0, 0)
    assert [one["stream"]["next_stream_id"] for one in loaded] == [2, 3, 1]
    assert [one["stream"]["action_count"] for one in loaded] == [0, 0, 1]
    assert [one["stream"]["self_start"] for one in loaded] == [True, False, False]
    assert gaps(loaded) == [1e6] * 3
    assert base64.b64decode(loaded[2]["stream"]["packet"]["binary"]) == PACKET + b"\2"


def test_packet_file_tunables(pcap: Path) -> None:
    loaded = load_profile(str(pcap), {"ipg_usec": "100", "speedup": "4", "count": "3", "min_ipg_usec": "30"}, 0, 0)
    assert gaps(loaded) == [30] * 3
    assert (loaded[2]["stream"]["next_stream_id"], loaded[2]["stream"]["action_count"]) == (1, 3)
    for tunables, said in (({"size": "64"}, "it takes ipg_usec"), ({"count": "x"}, "count=x is not a number")):
        with pytest.raises(UsageError, match=said):
            load_profile(str(pcap), tunables, 0, 0)


def test_trex_profile_functions(pcap: Path, tmp_path: Path) -> None:
    streams = STLProfile.load_pcap(str(pcap), speedup=2, loop_count=0, dst_mac_pcap=True).get_streams()
    assert [one.to_json()["isg"] for one in streams] == pytest.approx([0, 1000, 500], abs=1)
    assert streams[2].get_next() == 1 and streams[0].to_json()["flags"] == 2
    path = tmp_path / "list.json"
    path.write_text(json.dumps(RECORDED[0] | {"name": "S0"}))
    assert STLProfile.load_json(str(path)).get_streams()[0].get_name() == "S0"
    assert STLProfile.load_yaml(str(path)).get_streams()[0].to_json() == RECORDED[0] | {"name": "S0"}
    script = Path(__file__).parents[2] / "examples" / "profiles" / "many_flows.py"
    assert len(STLProfile.load_py(str(script), size="imix").get_streams()) == 3


@pytest.mark.parametrize("suffix", ["py", "json", "yaml"])
@pytest.mark.parametrize(
    ("first", "size_bytes", "said"), [(b"", 1 << 30, "is not text"), (b"#" * 4096, 65 << 20, "MB")]
)
def test_a_profile_is_looked_at_before_it_is_read(
    tmp_path: Path, suffix: str, first: bytes, size_bytes: int, said: str
) -> None:
    path = tmp_path / f"large.{suffix}"
    path.write_bytes(first)
    os.truncate(path, size_bytes)
    with pytest.raises(FileFault, match=said):
        load_profile(str(path), {}, 0, 0)


def test_a_profile_that_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(FileFault, match="it is not a regular file"):
        load_profile(str(tmp_path / "pipe.yaml"), {}, 0, 0)


def test_aliases_do_not_make_much_of_little(tmp_path: Path) -> None:
    """Ten thousand million values in ten lines, and one that contains itself."""
    laughs = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    laughs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    for lines in (laughs, ["a: &a [*a]"]):
        path = tmp_path / "p.yaml"
        path.write_text("\n".join(lines))
        with pytest.raises(FileFault, match="its aliases expand to more than"):
            load_profile(str(path), {}, 0, 0)


def test_more_yaml_than_its_parser_can_read_soon_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("#" + " " * (9 << 20))
    with pytest.raises(FileFault, match="8 MB, the most for YAML; write it as JSON"):
        load_profile(str(path), {}, 0, 0)
