"""A result file with any changed value is read, or causes a file error for that file only; other files are read."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from report_cases import OURS
from report_kinds import search_of, soak_of, suite_of

from wirespeed.cli.main import main
from wirespeed.corpus.entry import entry_of
from wirespeed.corpus.keeping import read_result
from wirespeed.errors import FileFault
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import of_bytes
from wirespeed.measurement.texts import show
from wirespeed.site.told import told_of

KINDS = ("loadtest", "search", "rfc2544", "soak")
VALUES = ("", -1, 1e300, [1], {"a": 1})
DUT = {
    "name": "r",
    "kind": "router",
    "version": "v",
    "commands": ["up"],
    "cpus": [1],
    "details": {"pf": "on"},
    "drops": {"ip4-lookup: no route": 1},
    "texts": {"show interface rx-placement": "Thread 1 (ws_wk_0):\n node dpdk-input:\n    e0 queue 0 (polling)\n"},
}
PLACE = {"cpu": 0, "core": 0, "package": 0, "node": 0, "siblings": [0], "is_isolated": False}
LAB = {
    "kind": "embedded",
    "wire": "memif",
    "speed_bps": 10**10,
    "cpus": {"tester": [0], "dut": [1], "control": [0]},
    "topology": {"model": "CPU", "places": [PLACE], "quota_cpus": None},
    "ring_slots": 1024,
    "power": {"meter": "m", "of": "all", "idle": "before", "idle_watts": 12.0},
    "bench": {"tester_ceiling": {"measured": "x", "directions": {"1": {"percent": 50.0, "pps": 1000}}}},
    "latency_baseline": {"0→1": {"median_us": 4.5}},
}
WORKER = {
    "name": "w",
    "interval": 0.5,
    "tsc_hz": 10**9,
    "loops": 9,
    "clocks": 10**8,
    "nodes": {"ip4-input": [1, 9, 99, 0]},
}
SEEN = {
    "interval": 0.5,
    "in_packets": 5,
    "drops": {"a": 1},
    "events": {"e": 1},
    "cpu_percent": {"idle": 1.0},
    "watts": 9,
}


@pytest.fixture(scope="module")
def documents() -> dict[str, dict[str, Any]]:
    ours = copy.deepcopy(OURS)
    ours["stats"] = {key: ours["stats"][key] | {"dut": SEEN} for key in ("5", "13", "14")}
    loadtest = of_bytes(json.dumps(ours).encode(), Path("x.json"))
    made = (loadtest, search_of(mrr=1), suite_of(), soak_of(seconds=5))
    texts = [json.dumps(one.to_json() | {"dut": DUT, "lab": LAB}) for one in made]
    return dict(zip(KINDS, map(json.loads, texts), strict=True))


def places(value: Any, here: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield here
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*here, key))


def changed(document: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    found = copy.deepcopy(document)
    at: Any = found
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_of_the_head_may_be_anything(kind: str, documents: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    document, path = documents[kind], tmp_path / "x.json"
    parts = {"dut": DUT, "lab": LAB, "ports": document["ports"], "stats": document.get("stats", {})}
    refused = 0
    for part, whole in parts.items():
        for number, place in enumerate(places(whole, (part,))):
            # A search's head is read like a load test's, so it is enough to change each place once there.
            for value in VALUES if kind == "loadtest" and part != "stats" else (VALUES[number % len(VALUES)],):
                content = json.dumps(changed(document, place, value)).encode()
                try:
                    found = read_result(content, path)
                except FileFault as fault:
                    assert str(path) in str(fault)
                    refused += 1
                    continue
                entry_of(found, "x", verdict_of)
                if part == "dut":
                    told_of(found, "0" * 64)
    assert refused


def test_trials_have_a_direction(documents: dict[str, dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for kind, document in documents.items():
        if kind != "loadtest":  # whose ports tell it
            with pytest.raises(FileFault, match="directions is empty"):
                read_result(json.dumps(document | {"directions": []}).encode(), path)


def test_a_damaged_file_stops_none_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, deep = (tmp_path / f"{name}.json" for name in ("good", "bad", "deep"))
    good.write_text(json.dumps(OURS))
    bad.write_text(json.dumps(OURS | {"dut": {"name": "r", "commands": ""}}))
    deep.write_text("[" * 200_000)
    for command in ("report", "explain"):
        assert main([command, str(bad)]) == 6
        assert f"{bad} is not a load-test result: commands of dut is not a list" in capsys.readouterr().err
    for command in (["report"], ["explain"], ["dut", "show"], ["host", "show", "--from"]):
        assert main([*command, str(deep)]) == 6
        assert f"{deep} is not valid JSON" in capsys.readouterr().err
    assert main(["results", "add", str(tmp_path), "--archive", str(tmp_path / "c")]) == 6
    said = capsys.readouterr()
    assert "1 result added" in said.out
    assert "2 files could not be added" in said.err


def test_dut_show_tells_of_a_file_that_holds_no_texts(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for texts in (None, 7, [], {}):
        path.write_text(json.dumps(OURS | {"dut": {"texts": texts}}))
        with pytest.raises(FileFault, match=str(path)):
            show(path, "")
    path.write_text(json.dumps(OURS | {"dut": {"texts": {"show run": "x"}}}))
    assert show(path, "show") == "x"
