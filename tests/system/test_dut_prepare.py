"""A Linux router behind a real sshd: prepared, put back, broken off in the middle."""

import pytest
from sandbox import needs, sandbox
from ssh_dut import INTERFACES, SPEC, SshDut, journals

pytestmark = needs("ethtool", "nft", "sshd", "ssh-keygen")


@pytest.fixture(scope="module")
def device(tmp_path_factory):
    with sandbox(tmp_path_factory.mktemp("dut")) as box:
        yield SshDut(box)


@pytest.fixture
def dut(device):
    """As it was before, whatever a test does to it."""
    before = device.state()
    yield device
    device.dut("restore", "--quiet")
    assert device.state() == before
    assert journals(device.directory) == []


def test_a_plan_is_shown_and_changes_nothing(dut):
    before = dut.state()
    said = dut.prepare("--dry-run")
    assert "route 16.0.0.0/8: nothing -> via 100.64.1.2 dev e0" in said
    assert "  do    ip -4 route add 16.0.0.0/8 via 100.64.1.2 dev e0" in said
    assert "  undo  ip -4 route del 16.0.0.0/8 via 100.64.1.2 dev e0" in said
    assert "/proc/sys/net/ipv4/ip_forward: 0 -> 1" in said
    assert dut.state() == before and journals(dut.directory) == []


def test_a_router_is_prepared_once_and_put_back(dut):
    said = dut.prepare()
    assert dut.on("cat", "/proc/sys/net/ipv4/ip_forward") == "1\n"
    assert "16.0.0.0/8 via 100.64.1.2 dev e0" in dut.on("ip", "route")
    assert "100.64.2.2 dev e1 lladdr 02:ee:00:00:01:01 PERMANENT" in dut.on("ip", "neigh", "show")
    assert "generic-receive-offload: off" in dut.on("ethtool", "-k", "e0")
    steps = int(said.splitlines()[-1].split()[0])
    assert f"restore puts {steps} back" in said
    assert dut.prepare().splitlines()[-1].startswith("nothing to do")
    assert f"{steps} steps put back" in dut.dut("restore")
    assert "nothing to put back" in dut.dut("restore")
