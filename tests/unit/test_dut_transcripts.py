"""Devices that are not available, from records of their consoles: queries, settings and their undoing."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from played_ssh import PlayedDevice, played

from wirespeed.dut import prepare as preparing
from wirespeed.dut.device import parse_device
from wirespeed.dut.journal import DutJournal
from wirespeed.dut.plan import Action
from wirespeed.dut.setup import DutInterface, DutOptions, DutSetup, FilterOptions, Mode, Neighbour, default_setup
from wirespeed.errors import EnvironmentFault, UsageError

RECORDS = Path(__file__).parent / "data/dut"
MACS = ("02:ee:00:00:01:00", "02:ee:00:00:01:01")
CHANGES = {
    "freebsd": (
        "sysctl net.",
        "sysctl dev.",
        "ifconfig ix",
        "arp -s",
        "arp -d",
        "route ",
        "pfctl -d",
        "pfctl -e",
        "pfctl -f",
    ),
    "openbsd": ("sysctl net.inet.ip.forwarding=", "ifconfig em", "arp -s", "arp -d", "route ", "pfctl -"),
    "vpp": ("o=$(vppctl ", "( o=$(vppctl ", "{ test ! -e /etc/vpp/startup.conf"),
    "danos": ("vcli ",),
}


def setup_on(*names: str, net: str = "100.64", mode: Mode = "ip4", **options: object) -> DutSetup:
    length = 24 if net == "100.65" else 30
    interfaces = tuple(
        DutInterface(name, (f"{net}.{number}.1/{length}",), (Neighbour(f"{net}.{number}.2", mac),))
        for number, (name, mac) in enumerate(zip(names, MACS, strict=True), start=1)
    )
    return default_setup(mode, interfaces, DutOptions(**options))  # type: ignore[arg-type]


def device_of(kind: str, fails: tuple[str, ...] = ()) -> PlayedDevice:
    device = PlayedDevice((RECORDS / f"{kind}.txt").read_text(), fails)
    device.is_change = lambda command: command.startswith(CHANGES[kind])
    return device


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return tmp_path


def run(kind: str, record: PlayedDevice, setup: DutSetup, home: Path) -> tuple[list[Action], list[Action]]:
    """Commands that changed the device, and those that restored it."""
    with played(record, home) as way, DutJournal(home / "journal", kind) as journal:
        device = parse_device(f"{kind}:{way}")
        try:
            preparing.prepare(device.kind, device.reach, setup, journal, lambda _: None)
            done, record.done = record.done, []
            preparing.restore(device.kind, device.reach, journal, lambda _: None)
        finally:
            device.reach.close()
    assert record.unexpected == []
    assert not (home / "journal").exists()
    return done, record.done


def commands(actions: list[Action]) -> list[str]:
    return [action.command for action in actions]


def test_pfsense_of_the_netgate_article(home):
    setup = setup_on("ix0", "ix1", net="100.65", filter=FilterOptions("off"))
    done, back = run("freebsd", device_of("freebsd"), setup, home)
    assert commands(done) == [
        "pfctl -d",
        "sysctl net.inet6.ip6.forwarding=1",
        "sysctl net.inet.ip.redirect=0",
        "sysctl net.inet6.ip6.redirect=0",
        "sysctl dev.ix.0.fc=0",
        "ifconfig ix0 -lro -tso4 -tso6 -vlanhwtso",
        "ifconfig ix1 up",
        "ifconfig ix0 inet 100.65.1.1/24 alias",
        "arp -s 100.65.1.2 02:ee:00:00:01:00",
        "arp -s 100.65.2.2 02:ee:00:00:01:01",
        "route -n add -inet 16.0.0.0/8 100.65.1.2",
        "route -n add -inet 48.0.0.0/8 100.65.2.2",
    ]
    assert commands(back) == [
        "route -n delete -inet 48.0.0.0/8 100.65.2.2",
        "route -n delete -inet 16.0.0.0/8 100.65.1.2",
        "arp -d 100.65.2.2",
        "arp -d 100.65.1.2",
        "ifconfig ix0 inet 100.65.1.1 -alias",
        "ifconfig ix1 down",
        "ifconfig ix0 lro tso4 tso6 vlanhwtso",
        "sysctl dev.ix.0.fc=3",
        "sysctl net.inet6.ip6.redirect=1",
        "sysctl net.inet.ip.redirect=1",
        "sysctl net.inet6.ip6.forwarding=0",
        "pfctl -e",
    ]


def test_pf_translates_on_freebsd_and_gets_its_rules_back(home):
    given = FilterOptions("nat", states=2_000_000, timeout_s=300)
    done, back = run("freebsd", device_of("freebsd"), setup_on("ix0", "ix1", net="100.65", filter=given), home)
    assert done[0].command.startswith("pfctl -f - && { pfctl -e") and done[0].stdin == (
        "set limit states 2000000\n"
        "set timeout { udp.first 300, udp.single 300, udp.multiple 300, adaptive.start 0, adaptive.end 0 }\n"
        "set skip on lo\n"
        "nat on ix1 inet from any to any -> (ix1)\n"
        "pass quick proto tcp from any to any port 22 no state\n"
        "pass quick proto tcp from any port 22 to any no state\n"
        "pass in quick on ix0 keep state\n"
        "pass out quick on ix1 keep state\n"
        "block drop quick on ix1 proto { tcp, udp }\n"
        'pass all no state label "wirespeed nat 2000000 300"\n'
    )
    assert (back[-1].command, back[-1].stdin) == (
        "pfctl -f -",
        "set limit states 100000\n"
        "set timeout udp.first 60\n"
        "set timeout udp.single 30\n"
        "set timeout udp.multiple 60\n"
        "set timeout adaptive.start 60000\n"
        "set timeout adaptive.end 120000\n"
        "table <rfc1918> const { 10.0.0.0/8 192.168.0.0/16 }\n"
        "nat on igb0 inet from 10.0.0.0/8 to any -> (igb0) round-robin\n"
        "block drop in log all\n"
        "pass out all flags S/SA keep state\n",
    )


def test_pf_of_openbsd_was_off_and_is_off_again(home):
    for rules, line in (
        ("nat", "match out on em1 inet nat-to (em1)\n"),
        ("forward", "match in on em0 inet proto { tcp, udp } from any to 100.64.1.1 port 1:49151 rdr-to 100.64.2.2\n"),
    ):
        setup = setup_on("em0", "em1", filter=FilterOptions(rules))
        done, back = run("openbsd", device_of("openbsd"), setup, home)
        assert line in done[0].stdin and "set limit" not in done[0].stdin
        assert back[-1].command == "pfctl -f - && pfctl -d" and "set limit states 100000\n" in back[-1].stdin


LOST = {
    "freebsd": {"ifconfig": "ix0: flags=8843<UP>\n\tinet 100.65.1.10 netmask 0xffffff00", "arp": "", "route": ""},
    "openbsd": {"ifconfig": "em0: flags=8843<UP>\n\tinet 100.64.1.10 netmask 0xfffffffc", "arp": "", "route": ""},
    "vpp": {"vppctl": "e0 (up):\n  L3 100.64.2.1/300"},
}
"""Answers of devices that lost the prepared settings. The interfaces are still there."""
KEPT = {
    "freebsd": {
        "ifconfig": "ix0: flags=8843<UP>\n\tinet 100.65.1.1 netmask 0xffffff00\nix1: flags=8843",
        "arp": "? (100.65.1.2) at 02:ee\n? (100.65.2.2) at 02:ee",
        "route": "   destination: 16.0.0.0\n       gateway: 100.65.1.2\n       gateway: 100.65.2.2",
    },
    "openbsd": {
        "ifconfig": "em0: flags=8843<UP>\n\tinet 100.64.1.1 netmask 0xfffffffc",
        "arp": "100.64.1.2   02:ee:00:00:01:00  em0 permanent",
        "route": "       gateway: 100.64.1.2",
    },
    "vpp": {"vppctl": "e0 1 up\ne1 2 up\n  L3 100.64.2.1/30\n 100.64.2.2 S\n via 100.64.2.2 e1\n16:eos/21\n17:eos/21"},
}
"""Answers of devices that still have all prepared settings."""


@pytest.mark.parametrize(
    ("kind", "setup"),
    [
        ("freebsd", setup_on("ix0", "ix1", net="100.65")),
        ("openbsd", setup_on("em0", "em1")),
        ("vpp", setup_on("e0", "e1", mode="mpls")),
    ],
)
def test_what_a_device_lost_counts_as_undone(home: Path, kind: str, setup: DutSetup) -> None:
    with played(device_of(kind), home) as way:
        device = parse_device(f"{kind}:{way}")
        steps = preparing.planned(device.kind, device.reach, setup).steps
        device.reach.close()
    added = [step for step in steps if not step.now and step.what not in ("MPLS table", "MPLS of e0", "MPLS of e1")]
    assert len(added) >= 3

    def is_undone(check: str, answers: dict[str, str]) -> bool:
        tools = "".join(f"{tool}() {{ printf '%s\\n' {shlex.quote(text)}; }}\n" for tool, text in answers.items())
        return subprocess.run(["sh", "-c", tools + check], check=False).returncode == 0

    assert [step.what for step in added if not is_undone(step.undone_if, LOST[kind])] == []
    assert [step.what for step in added if is_undone(step.undone_if, KEPT[kind])] == []


def test_openbsd_has_half_of_it_already(home):
    done, back = run("openbsd", device_of("openbsd"), setup_on("em0", "em1"), home)
    assert commands(done) == [
        "sysctl net.inet.ip.forwarding=1",
        "ifconfig em0 up",
        "ifconfig em0 inet 100.64.1.1/30 alias",
        "arp -s 100.64.1.2 02:ee:00:00:01:00",
        "route -n add -inet 16.0.0.0/8 100.64.1.2",
    ]
    assert commands(back)[-1] == "sysctl net.inet.ip.forwarding=0" and len(back) == len(done)


def test_danos_is_configured_in_one_commit(home):
    done, back = run("danos", device_of("danos"), setup_on("dp0s2", "dp0s3"), home)
    assert [action.stdin for action in done] == [
        "configure\n"
        "set interfaces dataplane dp0s3 address 100.64.2.1/30\n"
        "set protocols static arp 100.64.1.2 hwaddr 02:ee:00:00:01:00\n"
        "set protocols static arp 100.64.2.2 hwaddr 02:ee:00:00:01:01\n"
        "set protocols static route 16.0.0.0/8 next-hop 100.64.1.2\n"
        "set protocols static route 48.0.0.0/8 next-hop 100.64.2.2\n"
        "commit\n"
    ]
    assert "delete protocols static route 48.0.0.0/8" in back[0].stdin


def told(actions: list[Action]) -> list[str]:
    """The commands passed to vppctl."""
    return [action.command.partition("vppctl ")[2].partition(" 2>&1)")[0] for action in actions]


def test_vpp_is_told_what_is_missing(home):
    done, back = run("vpp", device_of("vpp"), setup_on("e0", "e1", mode="mpls"), home)
    assert told(done) == [
        "set interface state e1 up",
        "set interface ip address e1 100.64.2.1/30",
        "set ip neighbor e1 100.64.2.2 02:ee:00:00:01:01 static",
        "ip route add 48.0.0.0/8 via 100.64.2.2 e1",
        "mpls table add 0",
        "set interface mpls e0 enable",
        "set interface mpls e1 enable",
        "mpls local-label add 16 eos via 100.64.2.2 e1",
        "mpls local-label add 17 eos via 100.64.1.2 e0",
    ]
    assert told(back)[-1] == "set interface state e1 down"


def test_nat44_of_vpp_is_enabled_by_either_of_its_commands(home):
    setup = setup_on("e0", "e1", filter=FilterOptions("nat", states=1_000_000, timeout_s=600))
    done, back = run("vpp", device_of("vpp"), setup, home)
    nat = [action.command for action in done if "nat" in action.command]
    assert nat[0].count("vppctl") == 2 and "vppctl nat44 plugin enable sessions 1000000 2>&1" in nat[0]
    assert ") || ( o=$(vppctl nat44 enable sessions 1000000 2>&1" in nat[0]
    assert told(done)[-3:] == [
        "set interface nat44 in e0 out e1",
        "nat44 add interface address e1",
        "set nat timeout udp 600",
    ]
    assert told(back)[:3] == [
        "set nat timeout udp 300",
        "nat44 add interface address e1 del",
        "set interface nat44 in e0 out e1 del",
    ]


def test_nat44_that_is_on_gets_its_number_of_sessions_and_has_its_own_again(home):
    record = device_of("vpp")
    record.texts["vppctl show nat44 interfaces"] = "NAT44 interfaces:\n e0 in\n e1 out\n"
    record.texts["vppctl show nat44 summary"] = "max translations per thread: 64512 fib 0\ntotal sessions: 0\n"
    done, back = run("vpp", record, setup_on("e0", "e1", filter=FilterOptions("nat", states=1_000_000)), home)
    assert [one for one in told(done) if "nat" in one] == ["set nat44 session limit 1000000"]
    assert [one for one in told(back) if "nat" in one] == ["set nat44 session limit 64512"]
    record.texts["vppctl show nat44 summary"] = "total sessions: 0\n"
    with pytest.raises(EnvironmentFault, match="prints no limit; leave --states out"):
        run("vpp", record, setup_on("e0", "e1", filter=FilterOptions("nat", states=1_000_000)), home)


def test_startup_conf_is_edited_vpp_restarted_and_both_come_back(home):
    record = device_of("vpp")
    old = record.texts["cat /etc/vpp/startup.conf"]
    setup = setup_on("e0", "e1", queues=3, tx_descriptors=1024, cpus=(1, 2, 3), workers=3)
    done, back = run("vpp", record, setup, home)
    assert done[0].stdin == (
        "unix {\n"
        "  nodaemon\n"
        "  cli-listen /run/vpp/cli.sock\n"
        "  exec /etc/vpp/config/vppcfg.vpp\n"
        "}\n"
        "cpu {\n"
        "  main-core 0\n"
        "  corelist-workers 1,2,3\n"
        "}\n"
        "dpdk {\n"
        "  dev default {\n"
        "    num-rx-queues 3\n"
        "    num-tx-desc 1024\n"
        "  }\n"
        "  dev 0000:02:00.0 {\n"
        "    name e0\n"
        "  }\n"
        "  dev 0000:03:00.0 {\n"
        "    name e1\n"
        "  }\n"
        "  no-multi-seg\n"
        "  num-mbufs 16384\n"
        "}\n"
    )
    assert "systemctl restart vpp" in done[0].command and "show hardware-interfaces e1" in done[0].command
    assert (back[-1].stdin, "systemctl restart vpp" in back[-1].command) == (old, True)


def test_a_vpp_that_does_not_come_back_gets_its_old_startup_conf(home):
    record = device_of("vpp")
    old = record.texts["cat /etc/vpp/startup.conf"]
    restarts: list[str] = []

    def answer(line: str, stdin: str, real=record.answer) -> tuple[int, str, str]:
        if "systemctl restart vpp" in line:
            restarts.append(stdin)
            return (0, "", "") if stdin == old else (1, "", "VPP did not come back with it in 60 s\n")
        return real(line, stdin)

    record.answer = answer  # type: ignore[method-assign]
    with pytest.raises(EnvironmentFault, match="VPP did not come back .* the DUT is as it was"):
        run("vpp", record, setup_on("e0", "e1", queues=2), home)
    assert restarts[1:] == [old] and "num-rx-queues 2" in restarts[0]
    assert not (home / "journal").exists()


def test_a_step_that_fails_is_rolled_back(home):
    record = device_of("freebsd", fails=("route -n add -inet 48",))
    with pytest.raises(EnvironmentFault, match=r"could not be set: .* the \d+ step\(s\) before it were rolled back"):
        run("freebsd", record, setup_on("ix0", "ix1", net="100.65"), home)
    assert commands(record.done)[-1] == "sysctl net.inet6.ip6.forwarding=0"


@pytest.mark.parametrize(
    ("kind", "setup", "said"),
    [
        ("freebsd", setup_on("ix0", "ix9"), "there is no interface ix9 on the DUT; it has ix0, ix1, lo0"),
        ("freebsd", setup_on("ix0", "ix1", queues=2), "are tunables of its loader"),
        ("openbsd", setup_on("em0", "em9"), "there is no interface em9 on the DUT; it has em0, em1, lo0"),
        ("openbsd", setup_on("em0", "em1", rx_descriptors=512), "choose queues and rings by themselves"),
        ("vpp", setup_on("e0", "e7"), "there is no interface e7 on the DUT; it has e0, e1, local0"),
        (
            "vpp",
            setup_on("e0", "e1", filter=FilterOptions("forward")),
            "VPP has no filter forward to prepare; it has nat",
        ),
        (
            "openbsd",
            setup_on("em0", "em1", filter=FilterOptions("nat", buckets=9)),
            "has no buckets to prepare; it has",
        ),
        ("freebsd", setup_on("ix0", "ix1", filter=FilterOptions(states=9)), "has no states to prepare"),
        ("danos", setup_on("dp0s2", "dp0s3", filter=FilterOptions("off")), "DANOS has no filter off to prepare"),
        ("danos", setup_on("dp0s2", "dp0s9"), "there is no interface dp0s9 on the DUT; it has dp0s2, dp0s3"),
        ("danos", setup_on("dp0s2", "dp0s3", mode="mpls"), "DANOS can be prepared for ip4 and ip6"),
    ],
)
def test_what_a_kind_has_not_is_told_before_anything_is_changed(home, kind, setup, said):
    record = device_of(kind)
    with pytest.raises(UsageError, match=said):
        run(kind, record, setup, home)
    assert record.done == [] and record.unexpected == []
