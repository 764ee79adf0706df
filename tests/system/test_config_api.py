"""`wirespeed config --api`: examples applied by VPP's binary API, by VPP's own client."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sandbox import needs, router

from wirespeed.cli.main import main

pytestmark = [needs(), pytest.mark.filterwarnings("ignore:open_text is deprecated:DeprecationWarning")]

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
APPLIED = ("interface", "loopbacks", "bridge-domain", "l2xc", "acls", "taps", "vxlan", "bonds", "sflow", "interface")
PORTS = "interfaces:\n  e0: {}\n  e1: {}\n"


@pytest.fixture
def api(box):
    ports = [f"{name}=memif:{box.directory}/{name}.sock,role=server" for name in ("e0", "e1")]
    with router(box, ports, "lcp default netns dataplane\nlcp lcp-sync on\n"):
        yield str(box.directory / "api.sock")


@pytest.mark.long("each example to each other; tests/unit/test_config_planner.py has the plans")
def test_examples_are_applied_one_after_the_other_and_plan_to_nothing(box, api, tmp_path, capsys):
    control = ["--socket", str(box.directory / "router.sock")]
    # Names of VLANs in Linux need a kernel that has VLANs.
    has_vlans = box.try_run("ip", "link", "add", "link", "lo", "name", "v1", "type", "vlan", "id", "1")[0] == 0
    for name in APPLIED:
        text = (EXAMPLES / f"{name}.yaml").read_text()
        written = tmp_path / f"{name}.yaml"
        written.write_text(text if has_vlans else re.sub(r" *lcp: be0\..*\n", "", text))
        file = str(written)
        assert main(["config", "apply", file, "--api", api, "--journal", str(tmp_path / "journal")]) == 0
        assert "each answered" in capsys.readouterr().out
        # Both ways of asking see the same router.
        for where in (["--api", api], control):
            assert main(["config", "plan", file, *where]) == 0
            assert capsys.readouterr().out == ""
        assert main(["config", "dump", "--api", api]) == 0
        by_api = capsys.readouterr().out
        assert main(["config", "dump", *control]) == 0
        assert capsys.readouterr().out == by_api


def test_failure_is_undone(api, tmp_path, capsys):
    file = tmp_path / "lab.yaml"
    file.write_text(PORTS + "loopbacks: {loop5: {}}\ntaps: {tap1: {host: {name: t, namespace: nowhere}}}\n")
    assert main(["config", "apply", str(file), "--api", api, "--rollback"]) == 4
    said = capsys.readouterr().err
    assert "step 2 of" in said and "the router answers tap_create_v3 with -" in said
    assert "all was undone in 1 steps" in said
