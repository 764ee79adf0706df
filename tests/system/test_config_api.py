"""`wirespeed config --api`: examples applied through VPP's binary API, by VPP's own client."""

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
        # Both interfaces report the same router.
        for where in (["--api", api], control):
            assert main(["config", "plan", file, *where]) == 0
            assert capsys.readouterr().out == ""
        assert main(["config", "dump", "--api", api]) == 0
        by_api = capsys.readouterr().out
        assert main(["config", "dump", *control]) == 0
        assert capsys.readouterr().out == by_api


def test_a_tunnel_has_sub_interfaces(api, tmp_path, capsys):
    """A cross-connect to a port's VLAN, and a pair of tags in a bridge domain, made and deleted through the API."""
    bare, file, journal = tmp_path / "bare.yaml", tmp_path / "lab.yaml", str(tmp_path / "journal")
    bare.write_text(PORTS)
    file.write_text("""
interfaces:
  e0: {mtu: 2000, sub-interfaces: {100: {mtu: 1500, l2xc: vxlan_tunnel1.100}}}
  e1: {}
  vxlan_tunnel1:
    mtu: 2000
    sub-interfaces:
      100: {mtu: 1500, l2xc: e0.100}
      101: {mtu: 1500, encapsulation: {dot1q: 100, inner-dot1q: 200, exact-match: true}}
bridgedomains:
  bd10: {mtu: 1500, interfaces: [vxlan_tunnel1.101]}
vxlan_tunnels:
  vxlan_tunnel1: {local: 192.0.2.1, remote: 192.0.2.2, vni: 101}
""")
    for config in (file, bare):
        assert main(["config", "apply", str(config), "--api", api, "--journal", journal]) == 0
        capsys.readouterr()
        assert main(["config", "plan", str(config), "--api", api]) == 0
        assert capsys.readouterr().out == ""
        assert main(["config", "dump", "--api", api]) == 0
        assert ("inner-dot1q: 200" in capsys.readouterr().out) == (config is file)


def test_failure_is_undone(api, tmp_path, capsys):
    file = tmp_path / "lab.yaml"
    file.write_text(PORTS + "loopbacks: {loop5: {}}\ntaps: {tap1: {host: {name: t, namespace: nowhere}}}\n")
    assert main(["config", "apply", str(file), "--api", api, "--rollback"]) == 4
    said = capsys.readouterr().err
    assert "step 2 of" in said and "the router answers tap_create_v3 with -" in said
    assert "all was undone in 1 step" in said
