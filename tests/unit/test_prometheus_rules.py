"""Prometheus' configuration and rules, by Debian's promtool: their syntax, and each rule's own cases."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

import telemetry

PROMETHEUS = Path(telemetry.__file__).parent / "prometheus"
CASES = sorted((PROMETHEUS / "tests").glob("*.yml"))

needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool of Debian's prometheus is missing"
)


def promtool(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True, check=False)


def alerts() -> list[str]:
    groups = yaml.safe_load((PROMETHEUS / "rules/alerts.yml").read_text())["groups"]
    return [rule["alert"] for group in groups for rule in group["rules"]]


@needs_promtool
def test_the_configuration_finds_its_rules_and_is_valid() -> None:
    done = promtool("check", "config", PROMETHEUS / "prometheus.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 rule files found" in done.stdout


@needs_promtool
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_rules_say_what_their_cases_expect(case: Path) -> None:
    done = promtool("test", "rules", case)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
@pytest.mark.parametrize("before, after", [("> 0.001", "> 0.5"), ("> 70", "> 60"), ("_calls_total", "_vectors_total")])
def test_a_rule_that_is_wrong_fails_its_cases(tmp_path: Path, before: str, after: str) -> None:
    shutil.copytree(PROMETHEUS, tmp_path / "prometheus")
    for rules in (tmp_path / "prometheus/rules").iterdir():
        rules.write_text(rules.read_text().replace(before, after))
    cases = sorted((tmp_path / "prometheus/tests").iterdir())
    assert any(promtool("test", "rules", case).returncode for case in cases)


def test_each_alert_has_a_case() -> None:
    cases = (PROMETHEUS / "tests/alerts.test.yml").read_text()
    assert [alert for alert in alerts() if f"alertname: {alert}" not in cases] == []
