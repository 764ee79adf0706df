"""Printed plans: VPP's lines for each example, reasons, JSON, and changes between configurations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirespeed.cli.main import main

DOCS = Path(__file__).parents[2] / "docs" / "examples"
GOLDEN = Path(__file__).parents[1] / "golden" / "config"
EXAMPLES = sorted(DOCS.glob("*.yaml"))


def said(capsys, *words: object) -> str:
    assert main(["config", *map(str, words)]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_are_planned_from_nothing(file, capsys):
    assert said(capsys, "plan", "--offline", file) == (GOLDEN / f"{file.stem}.plan").read_text()


def test_every_step_is_explained(capsys):
    text = said(capsys, "plan", "--offline", DOCS / "loopbacks.yaml", "--explain")
    assert "create loopback interface instance 0\ncomment { ^ step 1, which waits for nothing }\n" in text
    assert "the addresses that it uses are there }" in text
    assert "the bring-up comes last }" in text
    plain = [line for line in text.splitlines() if "{ ^ " not in line]
    assert plain == (GOLDEN / "loopbacks.plan").read_text().splitlines()


def test_json_has_operations_and_what_they_wait_for(capsys):
    plan = json.loads(said(capsys, "plan", "--offline", DOCS / "l2xc.yaml", "--format", "json"))
    assert plan["schema"] == "wirespeed-config-plan/1"
    lines = [line for step in plan["steps"] for line in step["lines"]]
    assert [line for line in (GOLDEN / "l2xc.plan").read_text().splitlines() if not line.startswith("comment")] == lines
    rewrite = next(step for step in plan["steps"] if step["operation"] == "SetTagRewrite")
    assert (rewrite["interface"], rewrite["pop"], rewrite["stage"]) == ("e1.20", 1, "sync")
    reasons = {reason["why"]: plan["steps"][reason["step"] - 1] for reason in rewrite["after"]}
    assert reasons["tags are rewritten in layer 2"]["operation"] == "SetXconnect"


def test_diff_shows_what_changes_object_by_object(tmp_path, capsys):
    before, after = tmp_path / "before.yaml", tmp_path / "after.yaml"
    before.write_text("interfaces: {e0: {mtu: 9000, addresses: [10.0.0.1/24]}, e1: {}}\nloopbacks: {loop0: {}}\n")
    after.write_text("interfaces: {e0: {mtu: 1500, addresses: [10.0.0.2/24]}, e1: {}}\nbridgedomains: {bd7: {}}\n")
    assert said(capsys, "diff", before, after).splitlines() == [
        "  port e0",
        "~   link-mtu 9000 -> 1500",
        "~   mtu 9000 -> 1500",
        "-   addresses 10.0.0.1/24",
        "+   addresses 10.0.0.2/24",
        "- loopback loop0",
        "-   up on",
        "-   mtu 1500",
        "+ bridge-domain 7",
    ]
    lines = said(capsys, "diff", before, after, "--format", "cli").splitlines()
    order = [
        "set interface ip address del e0 10.0.0.1/24",
        "delete loopback interface intfc loop0",
        "set interface state e0 down",
        "set interface mtu 1500 e0",
        "set interface ip address e0 10.0.0.2/24",
        "set interface state e0 up",
    ]
    assert sorted(order, key=lines.index) == order
    assert said(capsys, "diff", before, before) == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["plan"], "give a FILE of vppcfg's YAML"),
        (["diff", "a.yaml"], "Missing argument 'B'; see wirespeed config diff --help"),
        (["dump", "a.yaml"], "unexpected extra argument(s) (a.yaml); see wirespeed config dump --help"),
        (
            ["check", "a.yaml", "--format", "xml"],
            "'xml' is not one of 'text', 'json'; see wirespeed config check --help",
        ),
        (["plan", "a.yaml", "-c", "b.yaml"], "give one file, not a.yaml and -c b.yaml"),
        (["plan", "a.yaml", "--from", "b.yaml", "--offline"], "--from and --offline each say what to plan from"),
        (["apply", "a.yaml", "--confirm", "0"], "--confirm 0: give seconds from 1 to 86400"),
        (["dump", "--socket", "/nowhere", "--api", "/nowhere"], "--socket and --api each say which router"),
    ],
)
def test_words_that_do_not_go_together_are_refused(words, told, capsys):
    assert main(["config", *words]) == 2
    assert told in capsys.readouterr().err


def test_what_is_not_there_is_one_line(tmp_path, capsys):
    assert main(["config", "check", str(tmp_path / "none.yaml")]) == 6
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["config", "dump", "--socket", str(tmp_path / "none.sock")]) == 4
    assert capsys.readouterr().err.startswith("wirespeed: no router answers at")
    (tmp_path / "journal").write_text("{}\n")
    assert main(["config", "confirm", str(tmp_path / "journal")]) == 6
    assert "is not a journal of `wirespeed config apply`" in capsys.readouterr().err
