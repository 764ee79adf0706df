"""Modules of the commands: the first words of each module's syntaxes, three at most; those of features are in
their folders.

Every syntax begins with one of these starts of its module, so that the modules a line may need are known before
they are imported.
"""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.router import features

_TRUNK: dict[str, tuple[str, ...]] = {
    "counters": ("route counters", "adjacency counters", "show adj"),
    "flow_hash": ("set ip flow-hash", "set ip6 flow-hash", "show ip flow-hash"),
    "graph": ("show vlib graph", "show features", "show node"),
    "interfaces": (
        "set interface state",
        "set interface ip",
        "set interface mtu",
        "set interface tag",
        "clear interface tag",
        "set interface unnumbered",
        "set interface mac",
        "set interface promiscuous",
    ),
    "ip6": (
        "enable ip6 interface",
        "disable ip6 interface",
        "set ip6 link-local",
        "set ip6 dad",
        "ip6 nd",
        "set ip neighbor-config",
        "show ip6 interface",
    ),
    "logging": ("show logging", "clear logging", "set logging"),
    "machine": ("show version", "show cpu", "show pci", "show clock", "show memory", "show plugins", "show unix"),
    "memif": (
        "create memif socket",
        "delete memif socket",
        "create interface memif",
        "delete interface memif",
        "show memif",
    ),
    "neighbors": (
        "ip neighbor",
        "set ip neighbor",
        "set interface ip",
        "show ip neighbor-config",
        "show ip neighbor-hold",
        "show ip neighbor",
        "show ip neighbors",
        "show ip4 neighbor-config",
        "show ip4 neighbor-hold",
        "show ip4 neighbor",
        "show ip4 neighbors",
        "show ip6 neighbor-config",
        "show ip6 neighbor-hold",
        "show ip6 neighbor",
        "show ip6 neighbors",
    ),
    "pcap": ("pcap trace",),
    "ping": ("ping",),
    "ports": ("create pcap", "create ring", "pcap replay", "delete interface"),
    "routes": ("ip route", "show ip fib", "show ip4 fib", "show ip6 fib"),
    "runtime": (
        "show runtime",
        "clear runtime",
        "show errors",
        "clear errors",
        "show node counters",
        "clear node counters",
        "show buffers",
    ),
    "session": ("help", "?", "exec", "comment", "set terminal", "quit", "exit"),
    "show_interfaces": (
        "show interface",
        "clear interface",
        "clear interfaces",
        "show hardware-interfaces",
        "clear hardware-interfaces",
    ),
    "state": ("show state",),
    "subinterfaces": (
        "create sub-interfaces",
        "delete sub-interface",
        "create loopback interface",
        "delete loopback interface",
        "loopback delete-interface",
    ),
    "tables": (
        "ip table",
        "ip6 table",
        "set interface ip",
        "set interface ip6",
        "show ip table",
        "show ip6 table",
    ),
    "tap": ("create tap", "delete tap", "show tap"),
    "trace": ("trace", "show trace", "clear trace"),
    "workers": (
        "set interface rx-placement",
        "set interface rx-mode",
        "set interface handoff",
        "show interface handoff",
        "show interface rx-placement",
        "show threads",
    ),
}

GROUPS = {f"wirespeed.router.commands.{name}": starts for name, starts in _TRUNK.items()} | features.commands()
"""By the name of the module."""

LONGEST = max(len(start.split()) for starts in GROUPS.values() for start in starts)


def groups_of(words: Sequence[str]) -> list[str]:
    """The modules with a syntax that may begin with `words`, each of which may be abbreviated."""
    return [name for name, starts in GROUPS.items() if any(_may_be(words, start.split()) for start in starts)]


def _may_be(words: Sequence[str], start: Sequence[str]) -> bool:
    return all(literal.startswith(word) for word, literal in zip(words, start, strict=False))
