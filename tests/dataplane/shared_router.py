"""The shared router of a test process: ports, settings and frames of tests are added and removed at run time.

Everything that a test made is deleted after it, and the router must then report the same as when it was fresh.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from router_run import RouterProcess, router

from wirespeed.errors import UsageError, WirespeedError
from wirespeed.router.client import ask_in_order

# Enough buffers for any ports of tests, for the longest frames.
STARTUP = "buffers { buffers-per-numa 24576 default data-size 9300 }\n"
FLOW_HASH_SEED = 1

SHOWN = (
    "show state",
    "show interface",
    "show interface tag",
    "show interface handoff",
    "show hardware-interfaces",
    "show ip table",
    "show ip6 table",
    "show ip fib",
    "show ip6 fib",
    "show mpls interface",
    "show adj summary",
    "show ip neighbors",
    "show ip6 neighbors",
    "show ip neighbor-config",
    "show ip6 neighbor-config",
    "show ip neighbor-hold",
    "show ip flow-hash",
    "show ip6 interface",
    "show acl-plugin acl",
    "show acl-plugin interface",
    "show acl-plugin sessions",
    "show bond",
    "show lacp",
    "show bridge-domain",
    "show l2fib",
    "show l2 xconnect",
    "show mode",
    "show vxlan tunnel",
    "show tap",
    "show memif",
    "show lcp",
    "show impairment",
    "show punt policer",
    "show sflow",
    "show urpf",
    "show urpf-accept",
    "show errors",
    "show trace",
    "show trace filter",
    "pcap trace status",
    "show features",
)
# Lines that no command undoes.
_COUNTED_ON = ("now: ", "Packets: of ", "Sessions gone", "  packet samples ", "  counter samples ", "  psample: ")
# The order in which interfaces can be deleted.
_LEAVING = ("sub", "vxlan", "loopback", "bond", "port")
# Lines that the deletion of an interface does not undo, and the line that does; it gets groups of the first.
_UNDONE = tuple(
    (re.compile(made), undone)
    for made, undone in (
        (r"ip route add ((?:table \d+ )?\S+/\d+(?: table \d+)?(?: count \d+)?)\b.*", "ip route del {0}"),
        (r"mpls local-label add (?:mpls )?(\d+(?: (?:non-eos|eos))?)\b.*", "mpls local-label del {0}"),
        (r"(ip6?|mpls) table (?:add )?(\d+).*", "{0} table del {1}"),
        (r"(route|adjacency) counters enable", "{0} counters disable"),
        (r"set punt policer (\S+) rate .*?( e\d+)?", "set punt policer {0} off"),
        (r"create memif socket id (\d+) filename .*", "delete memif socket id {0}"),
        (r"set urpf-accept (table \d+ )?(?:add )?(\S+)( add)?", "set urpf-accept {0}del {1}"),
        (r"set ip flow-hash table 0 .*", "set ip flow-hash table 0 src dst sport dport proto"),
        (r"set ip6 flow-hash table 0 .*", "set ip6 flow-hash table 0 src dst sport dport proto flowlabel"),
        (r"set ip flow-hash seed .*", f"set ip flow-hash seed {FLOW_HASH_SEED}"),
        (r"set ip neighbor-config (ip[46]) announce on", "set ip neighbor-config {0} announce off"),
        (r"sflow collector .*", "sflow collector off"),
        (r"sflow sampling-rate .*", "sflow sampling-rate 10000"),
        (r"sflow direction .*", "sflow direction rx"),
        (r"sflow header-bytes .*", "sflow header-bytes 128"),
        (r"sflow polling-interval .*", "sflow polling-interval 20"),
    )
)


class SharedRouter:
    """A router without interfaces, and its answers in that state."""

    def __init__(self, running: RouterProcess) -> None:
        self.running = running
        self.bare = self.state()

    def state(self) -> dict[str, str]:
        shown = dict(zip(SHOWN, ask_in_order(self.running.socket, SHOWN), strict=True))
        try:
            return shown | {"show mpls fib": self.running.ask("show mpls fib")}
        except UsageError as error:  # there is no table
            return shown | {"show mpls fib": str(error)}

    def forgive(self, line: str) -> None:
        """Run a line that fails if a test has undone its own settings."""
        with suppress(WirespeedError):
            self.running.ask(line)

    def make_bare(self, lines: Sequence[str]) -> None:
        """Undo command lines, delete all interfaces, and check that nothing is left."""
        undo = [
            undone.format(*(group or "" for group in found.groups()))
            for line in reversed(lines)
            for made, undone in _UNDONE
            if (found := made.fullmatch(line.strip()))
        ]
        last = [line for line in undo if " table del " in line or " socket " in line]
        for line in dict.fromkeys(line for line in undo if line not in last):
            self.forgive(line)
        there = [json.loads(line) for line in self.running.ask("show state").splitlines()]
        faces = sorted((one for one in there if "interface" in one), key=lambda face: _LEAVING.index(face["kind"]))
        for face in faces:
            if face["unnumbered"]:
                self.running.ask(f"set interface unnumbered del {face['interface']}")
            if face["xconnect_to"] or face["bridge_domain"]:
                self.running.ask(f"set interface l3 {face['interface']}")
        for face in faces:
            self.running.ask(f"delete interface {face['interface']}")
        for one in there:
            if "acl" in one:
                self.running.ask(f"delete acl-plugin acl index {one['acl']}")
            if "bridge_domain" in one and "interface" not in one:
                self.running.ask(f"delete bridge-domain {one['bridge_domain']}")
        for line in dict.fromkeys(last):
            self.forgive(line)
        self.forgive("pcap trace off")
        for line in ("clear trace", "trace filter none", "clear errors", "clear interfaces", "clear runtime"):
            self.running.ask(line)
        assert not (left := self.left()), f"the test left in the router: {left}"

    @staticmethod
    def _lines(shown: str) -> set[str]:
        """All lines but the time, and counts since the start that no command clears."""
        kept = (line for line in shown.splitlines() if not line.startswith(_COUNTED_ON))
        return {re.sub(r"add \d+ - (deact|del) \d+", r"\1", line) for line in kept}

    def left(self) -> dict[str, list[str]]:
        """Lines that differ from the router's answers without interfaces, both ways."""
        now = self.state()
        return {
            line: sorted(different)
            for line, bare in self.bare.items()
            if (different := self._lines(now[line]) ^ self._lines(bare))
        }


class _Process:
    """The shared router of this process, once a test has used it."""

    made: SharedRouter | None = None
    undo = ExitStack()


def shared_router() -> SharedRouter:
    """The router of this process, started at the first call; `end_shared_router` ends it."""
    if _Process.made is None:
        directory = Path(_Process.undo.enter_context(TemporaryDirectory(prefix="wirespeed-shared-")))
        (directory / "startup.conf").write_text(STARTUP)
        options = "--config", str(directory / "startup.conf"), "--flow-hash-seed", str(FLOW_HASH_SEED)
        _Process.made = SharedRouter(_Process.undo.enter_context(router(directory, [], "", *options)))
    return _Process.made


def end_shared_router() -> None:
    """End the router, if there is one; it must exit with 0."""
    _Process.made = None
    _Process.undo.close()


@contextmanager
def interfaces(directory: Path, creations: Sequence[str], config: str, *replayed: str) -> Iterator[RouterProcess]:
    """The shared router with interfaces that `creations` make and `config` sets up; then files are replayed by the
    named ones. Everything is undone at the end, including the lines that the test has run.
    """
    shared = shared_router()
    running = shared.running
    running.asked.clear()
    try:
        names = [running.ask(line).strip() for line in creations]
        for name in names:
            running.ask(f"set interface rx-mode {name} interrupt")
        running.ask("clear errors")
        (directory / "start.conf").write_text(config)
        running.ask(f"exec {directory / 'start.conf'}")
        if replayed:
            running.ask(f"pcap replay {' '.join(replayed)}")
        yield running
    finally:
        try:
            shared.make_bare([*config.splitlines(), *running.asked])
        except BaseException:
            end_shared_router()  # the next test gets another one
            raise


def _creation(port: str) -> str:
    name, _, spec = port.partition("=")
    kind, _, wire = spec.partition(":")
    if kind == "ring":
        return f"create ring {wire} name {name}"
    assert kind == "pcap", f"the shared router makes no port as {port}"
    came, _, left = wire.partition(",")
    return f"create pcap name {name}{f' input {came} hold' if came else ''}{f' output {left}' if left else ''}"


@contextmanager
def shared(directory: Path, ports: Sequence[str], config: str = "") -> Iterator[RouterProcess]:
    """The shared router in place of `router_run.router`, for ports of the forms NAME=ring:RING and NAME=pcap:IN,OUT.
    Files are read once `config` is set up, and output files are complete at the end of the block.
    """
    read = [port.partition("=")[0] for port in ports if "=pcap:" in port and "=pcap:," not in port]
    with interfaces(directory, [_creation(port) for port in ports], config, *read) as running:
        yield running
