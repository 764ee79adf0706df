"""VPP as a DUT through its binary API, which the wirespeed router speaks: here, and with a real sshd."""

import pytest
from harness.programs import PROGRAM, wirespeed
from sandbox import PORTS, needs, router, unchanged
from ssh_dut import HOST, INTERFACES, SshDut

from wirespeed.errors import UsageError

pytestmark = needs("sshd")


@pytest.fixture(scope="module")
def device(shared_box):
    with router(shared_box, PORTS, "set interface state e0 up\n") as one:
        yield one


@pytest.fixture
def running(device):
    with unchanged(device) as one:
        yield one


def dut(running, action, way, *words):
    box = running.sandbox
    if way == "local":
        program = ["env", f"HOME={box.directory}", *PROGRAM]
    else:
        running.dut = getattr(running, "dut", None) or SshDut(box)
        program = running.dut.words
        way = f"ssh://root@{HOST}"
    return box.run(*program, "dut", action, f"--dut=vpp:{way},socket={running.socket}", *words)


def shown(running):
    shows = ("interface addr", "ip fib", "ip6 fib", "mode")
    return {show: running.ask(f"show {show}") for show in shows}


@pytest.mark.parametrize(
    ("way", "mode"),
    [
        ("local", "ip4"),
        ("local", "l2xc"),
        *(
            pytest.param(way, mode, marks=pytest.mark.long("another mode by the same API"))
            for way, mode in (("local", "ip6"), ("local", "mpls"), ("ssh", "mpls"))
        ),
    ],
)
def test_what_is_told_by_the_api_is_done_once_and_put_back(running, way, mode):
    words = [*INTERFACES, f"--mode={mode}"]
    before = shown(running)
    said = dut(running, "prepare", way, *words, "--dry-run")
    assert "vpp-api sw_interface_set_flags" in said and shown(running) == before
    said = dut(running, "prepare", way, *words)
    assert "interface e1: down -> up" in said and "interface e0:" not in said and "vppctl" not in said
    there = shown(running)
    if mode == "l2xc":
        assert "l2 xconnect e0 e1" in there["mode"]
    else:
        family = "ip6" if mode == "ip6" else "ip"
        assert ("2001:db8:2::2" if mode == "ip6" else "100.64.2.2") in there[f"{family} fib"]
        assert "02:ee:00:00:01:00" in running.ask("show ip neighbors")
    if mode == "mpls":
        assert "16:eos" in running.ask("show mpls fib")
    assert "nothing to do" in dut(running, "prepare", way, *words)
    dut(running, "restore", way)
    assert shown(running) == before
    assert "02:ee:00:00:01" not in running.ask("show ip neighbors")
    with pytest.raises(UsageError, match="there is no MPLS table"):
        running.ask("show mpls fib")


def test_where_nobody_speaks_the_api_vppctl_is_told_of(running):
    """There is no vppctl here either, as the next line of the error says."""
    code, said = running.sandbox.try_run(
        *("env", f"HOME={running.sandbox.directory}"),
        *wirespeed("dut", "prepare", "--dut=vpp:local,socket=/nowhere/cli.sock", *INTERFACES),
    )
    assert code == 3 and "VPP does not answer `show interface`" in said
