"""Grafana's boards: the committed files are those that the code makes, and Grafana can load them from files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from telemetry.grafana import generate
from telemetry.grafana.panels import WIDTH
from telemetry.grafana.promql import CLASSES
from telemetry.rehearsal.queries import boards, filled

TELEMETRY = Path(generate.__file__).parent.parent
GRAFANA = TELEMETRY / "grafana"
FILES = sorted((GRAFANA / "boards").glob("*.json"))


def test_committed_boards_are_what_the_code_makes() -> None:
    made = generate.texts()
    assert sorted(made) == FILES
    for path, text in made.items():
        assert path.read_text() == text, f"{path.name}: make boards"


def test_the_check_names_a_board_that_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-m", "telemetry.grafana.generate", "--check"]
    assert subprocess.run(command, check=False).returncode == 0
    monkeypatch.setattr(generate, "DIRECTORY", tmp_path)
    monkeypatch.setattr(sys, "argv", ["generate", "--check"])
    assert generate.main() == 1
    monkeypatch.setattr(sys, "argv", ["generate"])
    assert generate.main() == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [path.name for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_board_is_such_as_grafana_takes_from_a_file(path: Path) -> None:
    text = path.read_text()
    board = json.loads(text)
    # Only the import dialog resolves inputs; with an id of its own Grafana would look for an existing board.
    assert "__inputs" not in text and "${DS_" not in text and board.get("id") is None
    assert re.fullmatch(r"wirespeed-[a-z-]{1,30}", board["uid"])
    assert board["schemaVersion"] <= 36
    numbers = [panel["id"] for panel in board["panels"]]
    assert sorted(numbers) == list(range(1, len(numbers) + 1))
    variables = {each["name"]: each for each in board["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    panels = [panel for panel in board["panels"] if panel["type"] != "row"]
    for panel in panels:
        assert panel["datasource"]["uid"] == "${datasource}"
        assert panel["description"], panel["title"]
        for target in panel["targets"]:
            asked = set(re.findall(r"\$\{?(\w+)", target["expr"])) - {"__rate_interval"}
            assert asked <= set(variables), target["expr"]
    for each in board["annotations"]["list"]:
        assert each["datasource"]["uid"] == "${datasource}" and each["titleFormat"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_panels_do_not_overlap(path: Path) -> None:
    taken: dict[tuple[int, int], str] = {}
    for panel in json.loads(path.read_text())["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= WIDTH
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert (x, y) not in taken, (panel["title"], taken.get((x, y)))
                taken[x, y] = panel["title"]


def test_all_boards_show_tests_and_phases() -> None:
    shown = {tuple(each["expr"] for each in board.annotations) for board in boards()}
    assert len(shown) == 1
    assert {each["name"] for each in boards()[0].annotations} == {"Tests", "Phases"}


def test_variables_are_filled_in_as_grafana_does() -> None:
    assert filled('rate(a{b=~"$x"}[$__rate_interval])', 4.0, {"x": "c|d"}) == 'rate(a{b=~"c|d"}[4000ms])'
    assert filled('a{b=~"$x"}', 4.0) == filled('a{b=~"${x:raw}"}', 4.0) == 'a{b=~".*"}'


def test_provisioning_names_what_is_there() -> None:
    source = yaml.safe_load((GRAFANA / "provisioning/datasources/wirespeed.yaml").read_text())
    assert source["apiVersion"] == 1 and source["datasources"][0]["type"] == "prometheus"
    (provider,) = yaml.safe_load((GRAFANA / "provisioning/dashboards/wirespeed.yaml").read_text())["providers"]
    assert provider["type"] == "file" and provider["options"]["path"]


@pytest.mark.parametrize(
    "node, expected",
    [
        ("ethernet-input", "input"),
        ("ip4-input-no-checksum", "input"),
        ("ip4-lookup", "input"),
        ("ip6-rewrite", "input"),
        ("ip4-mpls-label-disposition-pipe", "input"),
        ("e0-output", "output"),
        ("TenGigabitEthernet3/0/0-tx", "output"),
        ("dpdk-input", "dpdk"),
        ("memif-input", "dpdk"),
        ("unix-epoll-input", "epoll or idle"),
        ("error-drop", ""),
        ("e1-impairment", ""),
    ],
)
def test_a_node_is_in_one_class_at_most(node: str, expected: str) -> None:
    assert [name for name, pattern in CLASSES if re.fullmatch(pattern, node)] == ([expected] if expected else [])
