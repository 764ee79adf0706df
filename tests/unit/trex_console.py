"""Commands and options of T-Rex's console v3.08 in stateless mode, and of its program: a list made from its own help.

`python tests/unit/trex_differences.py` writes the exceptions into docs/generator.md, and the other differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wirespeed.console.absent import ABSENT, MOOT
from wirespeed.console.commands import COMMANDS

DOCUMENT = Path(__file__).parents[2] / "docs" / "generator.md"
BEGINS = "All that the console of T-Rex v3.08 lists in stateless mode works, except:\n"
ENDS = "\nEach of these commands and options"

ASKED_OF_THE_SERVER = {
    "capture record start --endpoint": "passed on to the server; a wirespeed generator refuses it, since clients fetch "
    "its packets",
    "portattr --vxlan-fs": "passed on to the server; a wirespeed generator refuses it, since its ports look into no "
    "VXLAN",
}
"""Options that a T-Rex may take."""

LINES = """
capture |
capture show |
capture clear |
capture record start | --rx 0 | --tx 0 | -l 10 | --limit 0 | -f udp and src 5000 | --filter 'ip' | -s 64 | --snaplen 64
        | -e ipc:///tmp/c | --endpoint ipc:///tmp/c
capture record stop | -i {capture} | -o {file} | --output {file}
capture record stop | --id {capture}
capture monitor start | --rx 0 | --tx 1 | -v | --verbose | -p | --pipe | -f icmp | --filter icmp | -s 64 | --snaplen 64
        | -o {file} | --output {file}
capture monitor stop |
debug |
events | | -c | --clear | -i | --info | -w | --warn
help | | start
history | | 1
h |
? |
plugins | | show | load hello | unload hello
quit |
q |
exit |
tui | | -x | --xterm | -l | --locked
verbose | | on | off

acquire | | -p 1 | --port 0 1 | -a | --force
arp | -p 0 | --vlan 5 | -r 3 | --retries 1
arp | --port 0
arp | -a
clear | | -p 0 1 | --port 0 | -a
connect | | --force | -r
disconnect |
global_cfg | | -t sched_max_stretch=100
ipv6 | -p 0 --off
ipv6 | --port 0 --auto-ipv6
ipv6 | -p 0 -s 2001:db8::1
ipv6 | -p 0 --src 2001:db8::1
l2 | -p 0 --dst 02:fe:00:00:00:07
l2 | --port 0 --dst 02:fe:00:00:00:07
l3 | -p 0 --src 10.0.0.1 --dst 10.0.0.2 | --vlan 5 | --vlan 5 6
l3 | --port 0 --src 10.0.0.1 --dst 10.0.0.2
map |
ns add | -p 0 --mac 02:00:00:00:00:09 --src 10.0.0.9 | --dst 10.0.0.1 | --vlan 5 | --vlan 5 --tpid 0x8100 | --auto-ipv6
        | --shared-ns a | --subnet 24
ns remove | -p 0 --mac 02:00:00:00:00:09
ns show-node | -p 0 --mac 02:00:00:00:00:09
ns show-nodes | -p 0
ns show-counters | -p 0
ns clear-counters | -p 0
ns remove-all |
ping |
ping | -p 0 -d 10.0.0.2 -n 1 | -s 128 | --vlan 5
ping | --port 0 -d fe80::ff:fe00:2 --count 1
pkt | -p 0 -s Ether()/IP(src="10.0.0.1",dst="10.0.0.2")/UDP() | -n | --dry | --force
pkt | -a -s Ether()/IP()
pkt | --layers
pkt | -l
portattr | | -p 0 | --port 0 | -a | --prom on | --prom off | --link up | --led on | --fc none | --mult on | --supp
        | --vxlan-fs 4789
release | | -p 0 | --port 0 | -a
reset | | -p 0 | --port 0 1 | -a | -r | --restart
scan6 | -t 0.1 | -p 0 | --port 0 | -a
shutdown | --force
shutdown |
stats | | --port 0 | -a | -g | -p | --ps | -s | -l | --lh | -c | -m | -x | --xz | --zx
vlan | -p 0 -c
vlan | --port 0 --vlan 100
vlan | -a --vlan 100 200

pause | | -p 0 | --port 0._ | -i 1 -p 0 | --id 1 -p 0
profiles | | -p 0 | --port 0 | -a
push | -f {pcap} -p 0 | -c 2 | --count 1 | -d 5 | -i 10 | --ipg 10 | --min-ipg 10 | -s 2 | --speedup 2 | --force
        | --dual | --src-mac-pcap | --dst-mac-pcap | -r | --remote
push | -a -f {pcap}
push | --port 0 -f {pcap}
resume | | -p 0 | --port 0._ | -i 1 -p 0 | --id 1 -p 0
service | | -p 0 | --port 0 | -a | --bgp | --dhcp | --mdns | --emu | --tran | --no-tcp-udp | --all | --off
start | -f stl/bench.py | -p 0 | --port 0.a 1.b | --total | --force | -d 10 | -d 5m | -d 1h | -t size=64 | -t --size 64
        | -t --help | -t -h
        | --tunables size=64 | -m 10kpps | --multiplier 2% | -n | --dry | --pin | --core_mask 0x1 | --sync
stop | | -p 0 | --port 0._ 1.* | -a | --remove
streams | | -p 0 | --port 0 | -a | -i 1 | --id 1 2 | --code | --code {code}
tpg_enable | --num-tpgids 1 --tags {tags} | -p 0 1 | --ports 0 | -t --x 1 | --tunables --x 1
tpg_disable |
tpg_status | | -u me | --username me | -p 0 | --port 0
tpg_update | --type Dot1Q --tag_id 0 --value 5 | --clear
tpg_tags | | -u me | --username me | -p 0 | --port 0 | --min-tag 0 | --max-tag 9
tpg_stats | -p 0 --tpgid 1 --max-tag 9 | --min-tag 0 | --unknown | --untagged
tpg_clear_stats | --port 0 --tpgid 1 | --min-tag 0 | --max-tag 9 | --tag-list 1 2 | --unknown | --untagged
tpg_tx_stats | -p 0 --tpgid 1
tpg_clear_tx_stats | -p 0 --tpgid 1
tpg_show_unknown_tags | -p 0
tpg_clear_unknown_tags | -p 0
update | -m 2kpps | -p 0 | --port 0._ | -t | --total | --force | -i 1 -p 0 | --id 1 -p 0
update | --multiplier 5kpps+
"""
"""A command, the arguments that it requires, and each of its options with an example."""

PROGRAM = """
-s {host} -p {port} | --server {host} --port {port} | --async_port 4500 | -u me | --user me | -v | --verbose
        | --timeout 3 | -a 0 1 | --acquire 0 | -r | --readonly | -f | --force | --batch {batch} | -q | --quiet | --emu
        | --emu-server {host} | --emu-server-port 4510 | --emu-only-server {host}
"""
"""Options of the program that need no terminal."""

ON_A_TERMINAL = ("-t", "--tui", "-x", "--xtui", "--top")


@dataclass(frozen=True)
class Line:
    """A line of T-Rex's console; `option` follows the arguments that `command` requires."""

    command: str
    needed: str
    option: str

    def __str__(self) -> str:
        return " ".join(filter(None, (self.command, self.needed, self.option)))


def lines() -> Iterator[Line]:
    """Each command alone, if it requires no more, and with each of its options."""
    for entry in LINES.replace("\n        |", " |").strip().splitlines():
        command, _, rest = entry.partition("|")
        needed, *options = (one.strip() for one in rest.split("|"))
        if not command:
            continue
        yield Line(command.strip(), needed, "")
        for option in filter(None, options):
            yield Line(command.strip(), needed, option)


def program_options() -> list[str]:
    return [one.strip() for one in PROGRAM.replace("\n", " ").split("|")]


def exceptions() -> dict[str, str]:
    """Commands and options without effect here, and the text about them."""
    moot = {f"{one.name} {option.flags[-1]}": option.moot for one in COMMANDS.values() for option in one.options}
    program = {f"wirespeed console {option}": reason for option, reason in MOOT.items()}
    return {**ABSENT, **{name: reason for name, reason in moot.items() if reason}, **ASKED_OF_THE_SERVER, **program}


def table(reasons: Mapping[str, str]) -> str:
    """The table of docs/generator.md: a row for each reason."""
    rows: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        rows.setdefault(reason, []).append(f"`{name}`")
    listed = "\n".join(f"| {' '.join(names)} | {reason} |" for reason, names in rows.items())
    return f"\n| command or option | here |\n|---|---|\n{listed}\n"


def write() -> None:
    text = DOCUMENT.read_text()
    before, begins, rest = text.partition(BEGINS)
    DOCUMENT.write_text(before + begins + table(exceptions()) + ENDS + rest.partition(ENDS)[2])


if __name__ == "__main__":
    write()
