"""All lines and options of T-Rex's console: each has its effect, or is an exception that docs/generator.md lists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from console_server import ConsoleServer, Driver
from harness.waiting import wait_for
from scapy.layers.inet import IP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap
from trex_console import (
    ASKED_OF_THE_SERVER,
    BEGINS,
    DOCUMENT,
    ENDS,
    ON_A_TERMINAL,
    Line,
    exceptions,
    lines,
    program_options,
    table,
)  # fmt: skip

from wirespeed._native.flow_records import Tagged, TagVlans
from wirespeed.cli.main import main
from wirespeed.console.absent import ABSENT, MOOT
from wirespeed.console.commands import ALIASES, COMMANDS
from wirespeed.console.commands.console import EnterTui, LeaveConsole
from wirespeed.console.happenings import Happening
from wirespeed.errors import EnvironmentFault, RemoteError

PROFILE = """
import argparse
from trex_stl_lib.api import *

class Own:
    def get_streams(self, tunables, **kwargs):
        parser = argparse.ArgumentParser()
        parser.add_argument("--fsize")
        return [STLStream(packet=parser.parse_args(tunables).fsize)]

def register():
    return Own()
"""

TAGS = """
import argparse

class Tags:
    def get_tpg_conf(self, tunables, **kwargs):
        parser = argparse.ArgumentParser()
        parser.add_argument("--x", type=int, default=101)
        first = parser.parse_args(tunables).x
        return [{"type": "Dot1Q", "value": {"vlan": first + number}} for number in range(9)]

def register():
    return Tags()
"""

ADDRESSES = {0: ("10.0.0.1", "10.0.0.2"), 1: ("10.0.0.2", "10.0.0.1")}
TRAFFIC = ("start -f stl/bench.py -m 1kpps",)
GROUPS = ("tpg_enable --num-tpgids 2 --tags {tags}",)
HOST = ("ns add -p 0 --mac 02:00:00:00:00:09 --src 10.0.0.9",)
BEFORE = {
    "arp": ("service",),
    "capture monitor stop": ("capture monitor start --rx 0",),
    "capture record stop": ("capture record start --rx 0",),
    "ns remove": HOST,
    "ns show-node": HOST,
    "pause": TRAFFIC,
    "ping": ("service", "ipv6 -p 1 --auto-ipv6"),
    "resume": (*TRAFFIC, "pause"),
    "scan6": ("service",),
    "stop": TRAFFIC,
    "streams": TRAFFIC,
    **dict.fromkeys((line.command for line in lines() if line.command[:4] == "tpg_"), GROUPS),
    "tpg_enable": (),
    "update": TRAFFIC,
}
"""Lines that prepare the effect of a command."""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Names that stand for files in the lines."""
    there, back = ({"src": f"02:00:00:00:00:0{one}", "dst": f"02:00:00:00:00:0{other}"} for one, other in ("ab", "ba"))
    wrpcap(str(tmp_path / "in.pcap"), [Ether(**there) / IP(), Ether(**back) / IP()])
    (tmp_path / "batch").write_text("stats\n# a comment\nstreams\n")
    (tmp_path / "tags.py").write_text(TAGS)
    names = {"pcap": "in.pcap", "file": "out.pcap", "code": "code.py", "batch": "batch", "tags": "tags.py"}
    return {name: str(tmp_path / file) for name, file in names.items()}


def address(server: ConsoleServer, console: Driver, line: Line) -> None:
    """Give the ports addresses that resolve each other, with tags if the line has them."""
    tags = [int(tag) for tag in line.option.split()[1:]] if line.option.startswith("--vlan") else []
    for port, (source, destination) in ADDRESSES.items():
        console.session.client.on_ports("set_l3", [port], src_addr=source, dst_addr=destination, block=False)
        console.session.client.on_ports("set_vlan", [port], vlan=tags if port else [], block=False)


def named(line: str, files: dict[str, str]) -> str:
    """The line with its files."""
    for name, path in files.items():
        line = line.replace(f"{{{name}}}", path)
    return line


def outcome(line: Line, files: dict[str, str]) -> tuple[int, str]:
    """Exit code and output of a line, on a server of its own."""
    with ConsoleServer(follows_clock=True) as server:
        server.core.flow_controls.update({0: 0, 1: 0})
        console = Driver(server.address, user="me")
        console("acquire")
        if line.command in ("l3", "arp", "ping"):
            address(server, console, line)
        for before in BEFORE.get(line.command, ()):
            console(named(before, files))
        captures = [str(one["id"]) for one in console.session.client.capture("status")]
        text = str(line).replace("{capture}", captures[-1] if captures else "")
        text = named(text, files)
        try:
            code = console.code(text)
        except (EnterTui, LeaveConsole):
            code = 0
        said = "\n".join([console.out, *console.errors])
        console.session.drop("done")
    return code, said


def listed_as(line: Line) -> str:
    """The name under which the line would be listed as an exception."""
    if word := next((one for one in (line.command, line.command.split()[0]) if one in ABSENT), ""):
        return word
    flag = line.option.partition(" ")[0]
    options = COMMANDS[ALIASES.get(line.command, line.command)].options
    return f"{line.command} {next((one.flags[-1] for one in options if flag in one.flags), '')}"


@pytest.mark.parametrize("command", dict.fromkeys(line.command for line in lines()))
def test_each_line_works_or_is_listed_with_the_reason(command: str, files: dict[str, str]) -> None:
    listed = exceptions()
    for line in lines():
        if line.command != command:
            continue
        code, said = outcome(line, files)
        name = listed_as(line)
        if name == "portattr --led":
            assert "led_status: operation is not supported for this NIC" in said  # the fake's ports have no LED
        elif name in ASKED_OF_THE_SERVER:
            assert code == RemoteError.exit_code, (line, said)
        elif name in listed:
            assert (code == 0) == (name not in ABSENT) and listed[name] in said, (line, said)
        else:
            assert code == 0 and not any(reason in said for reason in listed.values()), (line, said)


def test_exceptions_are_lines_of_trex() -> None:
    names = {listed_as(line) for line in lines()} | {f"wirespeed console {one}" for one in MOOT}
    assert set(exceptions()) <= names


def test_the_documentation_lists_the_exceptions() -> None:
    """`python tests/unit/trex_console.py` writes them."""
    shown = DOCUMENT.read_text().partition(BEGINS)[2].partition(ENDS)[0]
    assert shown == table(exceptions())


@pytest.mark.parametrize("option", program_options())
def test_each_option_of_the_program_is_taken(
    server: ConsoleServer, option: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    words = option.format(host="127.0.0.1", port=server.port, **files).split()
    where = [] if "-s" in words or "--server" in words else ["-s", server.address]
    assert main(["console", *where, *words, "stats", "-g"]) == 0
    said = capsys.readouterr()
    assert "connection   : 127.0.0.1" in said.out
    assert said.err == (f"wirespeed: {words[0]}: {MOOT[words[0]]}\n" if words[0] in MOOT else "")


@pytest.mark.parametrize("option", ON_A_TERMINAL)
def test_options_of_the_live_view_are_taken(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["console", option, *(["tui"] if option == "--top" else [])])
    assert (code, "tui needs a terminal" in capsys.readouterr().err) == (EnvironmentFault.exit_code, True)


# ---- Effects of options that only T-Rex's manual documents


def sent(console: Driver, line: str) -> dict[str, dict[str, Any]]:
    """Parameters of the last request of each method that the line makes."""
    client = console.session.client
    requests: list[str] = []
    client.trace = requests.append
    console(line)
    client.trace = None
    calls = [json.loads(text.removeprefix("request: ")) for text in requests if text.startswith("request: ")]
    flat = [call for one in calls for call in (one if isinstance(one, list) else [one])]
    return {call["method"]: call["params"] for call in flat}


def test_what_is_paused_is_resumed(console: Driver) -> None:
    console("start -f stl/bench.py -m 1kpps")
    console("pause -p 0")
    assert "Resume traffic on port(s) [0._]:" in console("resume")
    assert console.refused("resume") == "nothing is paused on ports 0, 1"
    console("pause -p 1")
    assert "[1._]" in console("resume -p 0 1")
    assert console.refused("resume -p 1 0.a") == "nothing is paused on ports 1._, 0.a"


def test_stopped_profiles_are_removed(console: Driver) -> None:
    console("start -f stl/bench.py -p 0.a 0.b 1")
    assert "[0._, 0.a, 0.b]" in console("stop -p 0.* --remove")
    assert "no stream on port 0" in console("streams") and "Port 1:" in console.out
    assert "[1._]" in console("stop --remove")


@pytest.mark.parametrize(("text", "seconds"), [("2m", 120), ("0.5h", 1800), ("3s", 3), ("7", 7)])
def test_durations_have_units(console: Driver, text: str, seconds: float) -> None:
    assert sent(console, f"start -f stl/bench.py -p 0 -d {text}")["start_traffic"]["duration"] == seconds


def test_tags_retries_and_addresses_reach_the_server(console: Driver) -> None:
    assert sent(console, "vlan -p 0 --vlan 100 200")["set_vlan"]["vlan"] == [100, 200]
    assert sent(console, "vlan -a -c")["set_vlan"]["vlan"] == []
    assert sent(console, "ipv6 -p 0 -s 2001:db8::1")["conf_ipv6"]["src_ipv6"] == "2001:db8::1"
    assert sent(console, "portattr --vxlan-fs 1 2 -h; reset -p 0 -r")["set_port_attr"]["attr"] == {
        "link_status": {"up": True}
    }
    assert sent(console, "capture record start --rx 0 --limit 0 -f udp and src 5000")["capture"]["filter"] == (
        "udp and src 5000"
    )


@pytest.mark.parametrize(
    ("options", "mask"),
    [("--dhcp", 4), ("--bgp --no-tcp-udp", 3), ("--emu", 29), ("--all", 255), ("--mdns --tran", 24)],
)
def test_filtered_service_mode(console: Driver, options: str, mask: int) -> None:
    asked = sent(console, f"service -p 0 {options}")["service"]
    assert (asked["enabled"], asked["filtered"], asked["mask"]) == (False, True, mask)
    assert "exclude" in console.refused(f"service --off {options}")


def test_streams_as_python_make_the_same_streams(console: Driver, tmp_path: Path) -> None:
    console("start -f stl/bench.py -t size=imix,vm=var1 -n")
    loaded = console.session.client.all_streams(0)["_"]
    assert "STLStream(" in console("streams --code -p 0 -i 1")
    console(f"streams --code {tmp_path}/all.py")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all_port0.py", "all_port1.py"]
    console(f"start -f {tmp_path}/all_port0.py -p 0 -n")
    assert console.session.client.all_streams(0)["_"] == loaded


def test_tunables_of_a_profile_are_shown(console: Driver, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "it takes size, vm, flow" in console("start -f stl/bench.py -p 0 -t --help")
    (tmp_path / "own.py").write_text(PROFILE)
    assert "its help is above" in console(f"start -f {tmp_path}/own.py -t -h")
    assert "--fsize" in capsys.readouterr().err
    assert "usage: start" in console("start -h")


def test_lines_again_several_in_one_and_comments(console: Driver) -> None:
    console("streams # all of them")
    assert "no stream on port 0, 1" in console("history 2") and "no stream" in console("!2")
    assert "shows or runs the history itself" in console.refused("history 3")
    assert "Global Statistics" in console("stats -g; stats -p") and "Port Statistics" in console.out
    assert "start -" in console("?start")


def test_events_by_kind(console: Driver) -> None:
    console.session.happenings += [Happening(0.0, "Port 0 has started"), Happening(0.0, "Port 0 job done", loud=True)]
    assert len(console("events").splitlines()) == len(console("events -i -w").splitlines()) == 2
    assert console("events -w").endswith("Port 0 job done")
    assert console("events -i -c").endswith("Port 0 has started")
    assert console("events") == "nothing has happened yet"


def test_quotes_of_a_packet_are_its_own(console: Driver) -> None:
    for text in ('Ether()/IP(src="1.2.3.4")', "'Ether()/IP(src=\"1.2.3.4\")'", "Ether()/IP(src='1.2.3.4')"):
        assert "src       = 1.2.3.4" in console(f"pkt -n -s {text}")


def test_connecting_takes_no_port_or_all(server: ConsoleServer, console: Driver) -> None:
    console("connect -r")
    assert console.session.owned == ()
    other = Driver(server.address, user="guest")
    other("acquire")
    console("connect --force")
    assert console.session.owned == (0, 1)
    other.session.drop("done")


def test_requests_are_shown_while_verbose(console: Driver) -> None:
    assert console("verbose") == "verbose is off"
    console("verbose on")
    assert '"method": "ping"' in console("ping") and "answer: {" in console.out
    console("verbose off")
    assert "request" not in console("ping")


def test_the_neighbour_is_pinged_by_ipv6() -> None:
    with ConsoleServer(follows_clock=True) as server:
        console = Driver(server.address)
        console("acquire; service; ipv6 -p 1 -s 2001:db8::1; ipv6 -p 0 -s 2001:db8::2")
        assert "1 of 1 answered" in console("ping -p 0 -d 2001:db8::1 -n 1")
        console("vlan -p 1 --vlan 7")
        assert "1 of 1 answered" in console("ping -p 0 -d 2001:db8::1 -n 1 --vlan 7")
        console.close()


def test_a_port_stands_for_further_hosts() -> None:
    one, other = "02:00:00:00:01:01", "02:00:00:00:01:02"
    with ConsoleServer(follows_clock=True) as server:
        console = Driver(server.address)
        console(f"acquire; ns add -p 0 --mac {one} --src 10.0.1.1 --dst 10.0.1.2 --vlan 5 6 --tpid 0x88A8")
        console(f"ns add -p 1 --mac {other} --src 10.0.1.2 --auto-ipv6 --vlan 5 6 --tpid 0x88a8")
        wait_for(lambda: other in console("ns show-nodes -p 0"), "the gateway of the first host")
        assert len(console(f"ns show-node -p 1 --mac {other}").splitlines()) > len(
            console("ns show-nodes -p 0").splitlines()
        )
        assert "5, 6" in console.out and "fe80::" not in console.out
        console(f"ns remove -p 1 --mac {other}")
        assert "emulates no host" in console("ns show-nodes -p 1") and other in console.refused(
            f"ns remove -p 1 --mac {other}"
        )
        console("ns remove-all")
        assert "emulates no host" in console("ns show-nodes -p 0")
        assert "more types" in console.refused(f"ns add -p 0 --mac {one} --src 10.0.1.1 --tpid 0x8100")
        console.close()


# ---- The program


def test_ports_of_the_program(server: ConsoleServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["console", "-s", server.address, "-a", "1", "start", "-f", "stl/bench.py", "-n"]) == 0
    said = capsys.readouterr().out
    assert "[1._]" in said and "[0._]" not in said
    assert main(["console", "-s", server.address, "-q", "-a", "0", "1", "start", "-f", "stl/bench.py", "-n"]) == 0
    said = capsys.readouterr().out
    assert "port 0._" in said and "port 1._" in said and "SUCCESS" not in said


def test_a_batch_ends_at_its_first_failure(
    server: ConsoleServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "batch").write_text("stats -g\nstats --nonsense\nstreams\n")
    assert main(["console", "-s", server.address, "--batch", str(tmp_path / "batch"), "streams"]) == 2
    said = capsys.readouterr()
    assert "Global Statistics" in said.out and "no stream" not in said.out and "--nonsense" in said.err
    assert main(["console", "-s", server.address, "--batch", f"{tmp_path}/none"]) == 6
    (tmp_path / "batch").write_text("stats -g\nquit\nstreams\n")
    assert main(["console", "-s", server.address, "--batch", str(tmp_path / "batch")]) == 0
    assert "no stream" not in capsys.readouterr().out
    (tmp_path / "batch").write_text("tui\n")
    assert main(["console", "-s", server.address, "--batch", str(tmp_path / "batch")]) == 2


# ---- Tagged packet groups

TAGGED = """
from trex_stl_lib.api import *

class Tagged:
    def get_streams(self, tunables, **kwargs):
        packet = Ether() / Dot1Q(vlan=101) / IP(src="16.0.0.1", dst="48.0.0.1") / UDP() / ("x" * 16)
        return [STLStream(packet=STLPktBuilder(packet), flow_stats=STLTaggedPktGroup(tpgid=1), mode=STLTXCont(pps=10))]

def register():
    return Tagged()
"""


def test_tagged_groups_from_their_begin_to_their_end(
    server: ConsoleServer, console: Driver, files: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "tagged.py").write_text(TAGGED)
    asked = sent(console, f"tpg_enable --num-tpgids 2 -p 1 --tags {files['tags']} -t --x 201")
    assert asked["enable_tpg"]["username"] == console.session.client.user
    receives, groups, tags = server.core.tags[1]
    assert (receives, groups, [tag.first for tag in tags]) == (True, 2, list(range(201, 210)))
    assert not server.core.tags[0][0]
    assert "Num Tags" in console("tpg_status -p 0")
    console(f"start -f {tmp_path}/tagged.py -p 0 -m 10pps")
    server.advance(2)
    assert console("tpg_tx_stats -p 0 --tpgid 1").replace("|", "").split()[-3:] == ["1", "20", "1320"]
    console("tpg_clear_tx_stats -p 0 --tpgid 1")
    assert console("tpg_tx_stats -p 0 --tpgid 1").replace("|", "").split()[-2:] == ["0", "0"]

    server.core.tagged_counts = {(1, 1, 3): Tagged(7, 700, 1, 2, 3, 4, 5), (1, 1, 9): Tagged(6, 600)}
    shown = [
        line.replace("|", "").split() for line in console("tpg_stats -p 1 --tpgid 1 --max-tag 9 --unknown").splitlines()
    ]
    assert shown[-4:] == [
        ["0-2", *["0"] * 7],
        ["unknown", "6", "600"],
        ["3", "7", "700", "1", "2", "3", "5", "4"],
        ["4-8", *["0"] * 7],
    ]
    assert sent(console, "tpg_clear_stats -p 1 --tpgid 1")["clear_tpg_stats"]["max_tag"] == 9
    assert sorted(server.core.tagged_counts) == [(1, 1, 9)]
    server.core.unknown = [(1, TagVlans(8, 9)), (1, TagVlans(8, 9))]
    assert console("tpg_show_unknown_tags -p 1").count("QinQ(8, 9)") == 1
    console("tpg_clear_unknown_tags -p 1")
    assert "No unknown tags" in console("tpg_show_unknown_tags -p 1")

    server.core.tagged_counts = {(1, 0, 4): Tagged(1)}
    console("tpg_update --type QinQ --tag_id 4 --value 5 6 --clear")
    assert server.core.tagged_counts == {}
    console("tpg_update --type Invalidate --tag_id 5")
    assert [line.split()[-1] for line in console("tpg_tags --min-tag 3 --max-tag 6").splitlines()[-3:]] == [
        "Dot1Q(204)",
        "6)",
        "-",
    ]
    assert "Dot1Q takes 1 --value, not 2" in console.refused("tpg_update --type Dot1Q --tag_id 0 --value 5 6")
    console("stop")
    console("tpg_disable")
    assert server.core.tags == {}
    assert "not enabled" in console.refused("tpg_tags")
    (tmp_path / "tags.json").write_text('{"type": "Dot1Q"}')
    assert "has no list of tags" in console.refused(f"tpg_enable --num-tpgids 1 --tags {tmp_path}/tags.json")
    (tmp_path / "tags.json").write_text("[")
    assert "is not JSON" in console.refused(f"tpg_enable --num-tpgids 1 --tags {tmp_path}/tags.json")
