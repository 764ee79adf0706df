"""A Linux router with a real sshd: prepared, restored, interrupted."""

import sys
from pathlib import Path

import pytest
from harness.waiting import wait_for
from sandbox import needs, sandbox
from ssh_dut import HOST, INTERFACES, SPEC, SshDut, journals, put_back

pytestmark = needs("ethtool", "nft", "sshd", "ssh-keygen", "sudo")


@pytest.fixture(scope="module")
def device(tmp_path_factory):
    with sandbox(tmp_path_factory.mktemp("dut")) as box:
        yield SshDut(box)


@pytest.fixture
def dut(device):
    with put_back(device):
        yield device


def test_a_router_is_planned_prepared_once_and_put_back(dut):
    before = dut.state()
    said = dut.prepare("--dry-run")
    assert "route 16.0.0.0/8: nothing -> via 100.64.1.2 dev e0" in said
    assert "  do    ip -4 route add 16.0.0.0/8 via 100.64.1.2 dev e0" in said
    assert "  undo  ip -4 route del 16.0.0.0/8 via 100.64.1.2 dev e0" in said
    assert "/proc/sys/net/ipv4/ip_forward: 0 -> 1" in said
    assert dut.state() == before and journals(dut.directory) == []
    said = dut.prepare()
    assert dut.on("cat", "/proc/sys/net/ipv4/ip_forward") == "1\n"
    assert "16.0.0.0/8 via 100.64.1.2 dev e0" in dut.on("ip", "route")
    assert "100.64.2.2 dev e1 lladdr 02:ee:00:00:01:01 PERMANENT" in dut.on("ip", "neigh", "show")
    assert "generic-receive-offload: off" in dut.on("ethtool", "-k", "e0")
    steps = int(said.splitlines()[-1].split()[0])
    assert f"wirespeed dut restore --dut {SPEC} puts {steps} back" in said
    assert dut.prepare().splitlines()[-1].startswith("nothing to do")
    assert f"{steps} steps restored" in dut.dut("restore")


def test_what_the_device_lost_since_is_put_back(dut):
    """The kernel drops the routes of a link that goes down."""
    before = dut.state()
    dut.prepare()
    dut.on("ip", "link", "set", "e0", "down")
    dut.on("ip", "link", "set", "e0", "up")
    assert "16.0.0.0/8" not in dut.on("ip", "route")
    said = dut.dut("restore")
    assert "route 16.0.0.0/8: gone already" in said and "steps restored" in said
    assert dut.state() == before and journals(dut.directory) == []


def test_a_preparing_that_fails_is_rolled_back_and_says_how_far_it_came(dut):
    before = dut.state()
    dut.spoil(fails="-4 route add 48.0.0.0/8")
    code, said = dut.wirespeed("dut", "prepare", f"--dut={SPEC}", *INTERFACES, "-q")
    assert code == 3
    (line,) = said.splitlines()
    assert line.startswith("wirespeed: route 48.0.0.0/8: via 100.64.2.2 dev e1 could not be set: RTNETLINK answers: No")
    done = int(line.partition("; the ")[2].split()[0])
    assert done > 5 and line.endswith(" were rolled back, and the DUT is as it was")
    assert dut.state() == before and journals(dut.directory) == []


@pytest.mark.parametrize("ending", ["kill", "end"])
def test_a_preparing_that_is_killed_in_the_middle_is_put_back(dut, ending):
    before = dut.state()
    dut.spoil(hangs="neigh replace 100.64.2.2")
    running = dut.box.spawn(*dut.words, "dut", "prepare", f"--dut={SPEC}", *INTERFACES)
    wait_for((dut.directory / "hanging").exists, "the step that hangs")
    if ending == "kill":
        running.kill()
        assert len(journals(dut.directory)) == 1
        assert dut.state() != before
        dut.spoil()
        assert "neighbour 100.64.2.2 on e1: restored" in dut.dut("restore")
    else:
        dut.spoil()
        assert running.end() == 130
        assert "the DUT is as it was" in running.said() and "Traceback" not in running.said()
    assert dut.state() == before


def test_a_filter_is_prepared_once_and_put_back_with_the_rules_that_were_there(dut):
    dut.on("nft", "add table inet mine; add chain inet mine input { type filter hook input priority 0; }")
    before = dut.state()
    said = dut.prepare("--filter=nat", "--state-timeout=300")
    assert "nftables" in said and "udp_timeout_stream: 120 -> 300" in said
    rules = dut.on("nft", "list", "ruleset")
    assert "masquerade" in rules and "mine" not in rules
    assert f"tcp dport {22} notrack" in rules and f"tcp sport {22} notrack" in rules
    assert dut.on("cat", "/proc/sys/net/netfilter/nf_conntrack_udp_timeout") == "300\n"
    assert dut.prepare("--filter=nat", "--state-timeout=300").splitlines()[-1].startswith("nothing to do")
    dut.dut("restore")
    assert dut.state() == before
    code, said = dut.wirespeed("dut", "prepare", f"--dut={SPEC}", *INTERFACES, "--filter=nat66")
    assert (code, said) == (2, "wirespeed: filter nat66 does not go with mode ip4; give mode ip6\n")
    dut.on("nft", "flush", "ruleset")


@pytest.mark.long("two kills a step; another test kills one in the middle")
def test_a_kill_at_each_step_is_put_back(dut):
    """Without SSH, inside of the sandbox: there are two kills per step."""
    interfaces = [word.removeprefix("--interface=") for word in INTERFACES]
    program = str(Path(__file__).parent / "killed_preparing.py")
    said = dut.box.run(sys.executable, program, "linux:netns:dut", str(dut.directory / "journal"), *interfaces)
    (line,) = said.splitlines()
    assert int(line.split()[0]) > 10


def test_a_connection_that_is_cut_in_the_middle_is_put_back(dut):
    before = dut.state()
    dut.spoil(hangs="neigh replace 100.64.2.2")
    running = dut.box.spawn(*dut.words, "dut", "prepare", f"--dut={SPEC}", *INTERFACES, "-q")
    wait_for((dut.directory / "hanging").exists, "the step that hangs")
    dut.cut()
    assert running.popen.wait(timeout=120) == 4
    (line,) = running.said().splitlines()
    assert "went away" in line and line.endswith(
        f"step(s) are left on it: wirespeed dut restore --dut {SPEC} undoes them when it answers"
    )
    code, said = dut.wirespeed("dut", "restore", f"--dut={SPEC}", "-q")
    assert code == 4 and "cannot be reached: Connection refused" in said and len(journals(dut.directory)) == 1
    dut.spoil()
    dut.sshd = dut.start()
    assert "neighbour 100.64.2.2 on e1: restored" in dut.dut("restore")
    assert dut.state() == before


def test_what_cannot_be_is_one_line_and_changes_nothing(dut):
    before = dut.state()
    first, second = INTERFACES
    wrong = [
        (SPEC, [first, second.replace("e1", "e9")], 2, "there is no interface e9 on the DUT; it has e0, e1, "),
        (SPEC, [*INTERFACES, "--queues=999"], 3, "queues of e0: 999 requested; the driver has at most "),
        (SPEC, [*INTERFACES, "--governor=performance"], 3, "no CPU governor"),
        (f"linux:ssh://walker@{HOST}", INTERFACES, 3, "walker may not run commands as root without a password (sudo: "),
        (f"linux:ssh://root@{HOST}:1", INTERFACES, 4, "cannot be reached: Connection refused"),
    ]
    for spec, words, code, text in wrong:
        ended, said = dut.wirespeed("dut", "prepare", f"--dut={spec}", *words)
        assert (ended, text in said, len(said.splitlines())) == (code, True, 1), said
    assert dut.state() == before and journals(dut.directory) == []


def test_keys_are_looked_at(dut):
    ssh = dut.home / ".ssh"
    known, key = (ssh / "known_hosts").read_text(), (ssh / "id_ed25519").read_text()
    try:
        (ssh / "known_hosts").write_text("")
        code, said = dut.wirespeed("dut", "prepare", f"--dut={SPEC}", *INTERFACES)
        assert code == 4 and "its host key is not in known_hosts, or differs from it" in said
        (ssh / "known_hosts").write_text(known)
        (ssh / "id_ed25519").unlink()
        code, said = dut.wirespeed("dut", "prepare", f"--dut={SPEC}", *INTERFACES)
        assert code == 4 and "accepts none of your keys" in said
    finally:
        (ssh / "known_hosts").write_text(known)
        (ssh / "id_ed25519").write_text(key)
        (ssh / "id_ed25519").chmod(0o600)


@pytest.mark.long("a second preparing over SSH")
def test_a_user_with_sudo_prepares(dut):
    spec = f"linux:ssh://runner@{HOST}"
    dut.dut("prepare", *INTERFACES, "--queues=2", "--governor=", spec=spec)
    assert "Combined:\t1" not in dut.on("ethtool", "-l", "e0")
    assert dut.on("cat", "/proc/sys/net/ipv4/ip_forward") == "1\n"
    dut.dut("restore", spec=spec)


@pytest.mark.long("a third preparing over SSH")
def test_ip6(dut):
    dut.prepare("--mode=ip6")
    assert "2001:2:0:8000::/49 via 2001:db8:2::2 dev e1" in dut.on("ip", "-6", "route")
    assert "2001:db8:1::2 dev e0 lladdr 02:ee:00:00:01:00 PERMANENT" in dut.on("ip", "-6", "neigh")


def test_a_cross_connect(dut):
    if dut.box.try_run("ip", "link", "add", "try", "type", "bridge", netns="dut")[0]:
        pytest.skip("this kernel has no bridges")
    dut.on("ip", "link", "del", "try")
    dut.prepare("--mode=l2xc")
    assert dut.on("bridge", "link").count("master wsxconnect") == 2


@pytest.mark.long("2 000 routes over SSH, three times")
def test_a_filter_is_taken_away_only_when_asked_and_a_table_goes_with_its_routes(dut):
    dut.on("nft", "add table inet mine; add chain inet mine input { type filter hook input priority 0; }")
    rules = dut.on("nft", "list", "ruleset")
    assert "nftables has inet mine, which cost each packet" in dut.prepare("--dry-run")
    dut.prepare("--filter=off", "--routes=internet:2000")
    assert len(dut.on("ip", "route", "show", "proto", "185").splitlines()) == 2000
    assert dut.prepare("--routes=internet:2000").splitlines()[-1].startswith("nothing to do")
    assert dut.on("nft", "list", "ruleset") == ""
    dut.dut("restore")
    assert dut.on("nft", "list", "ruleset") == rules
    dut.on("nft", "flush", "ruleset")
