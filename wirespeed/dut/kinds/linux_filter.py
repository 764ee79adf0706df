"""Filter and NAT of Linux by nftables, the limits of its connection tracking, and what passes it by."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence

from wirespeed.dut.kinds.linux_machine import RULESET, rules_back, settings, tables_of
from wirespeed.dut.kinds.linux_states import flowtables
from wirespeed.dut.kinds.undone import no_file, no_interface
from wirespeed.dut.plan import Action, DutPlan, DutStage, DutStep, Facts, text_of
from wirespeed.dut.setup import STATEFUL, DutInterface, DutSetup, FilterOptions
from wirespeed.errors import EnvironmentFault, UsageError

_NFT = "nft --version"
_CONTROL = "set -- $SSH_CONNECTION; echo \"$4\"; ss -Htlnp 2>/dev/null | grep -F sshd | awk '{print $4}'"
"""Ports of the SSH servers, one of which has this connection; by sudo and without `ss`, only the usual one is known."""
_SSH = 22
FORWARDED_PORTS = "1-49151"
"""Destination ports of RFC 4814."""
_ROUNDED = 8192
"""The kernel rounds the number of buckets up to whole pages, of up to 64 KiB."""
_TRACKING = "/proc/sys/net/netfilter/nf_conntrack_"


def filter_stages(setup: DutSetup) -> tuple[DutStage, ...]:
    """Rules first: they load the connection tracking that the limits are of."""
    options = setup.options.filter
    wanted = _wanted(options)
    stages = []
    if options.rules in STATEFUL:
        asked = (_NFT, RULESET, _CONTROL, *(f"ethtool -k {name}" for name in setup.names))
        stages.append(DutStage(asked, lambda facts: _filtered(facts, setup)))
    if wanted:
        asked = tuple(question for path in wanted for question in (f"cat {path}", f"test -w {path}"))
        stages.append(DutStage(asked, lambda facts: DutPlan(tuple(_limits(facts, wanted)))))
    return tuple(stages)


def ruleset(setup: DutSetup, control_ports: Sequence[int] = (_SSH,)) -> str:
    """Rules between pairs of interfaces: new flows from the first of a pair, replies from the second. Connections of
    the device's SSH server use no entry, so a full table does not lock them out. The device's own IPv6 announcements
    are kept off the links, where the tester would count them as foreign."""
    ports = ", ".join(map(str, sorted(set(control_ports))))
    pairs = list(zip(setup.interfaces[::2], setup.interfaces[1::2], strict=True))
    states = "".join(_states(setup, *pair) for pair in pairs)
    names = ", ".join(f'"{name}"' for name in setup.names)
    return f"""\
table inet wirespeed {{
	chain control_in {{
		type filter hook prerouting priority raw;
		fib daddr type local tcp dport {{ {ports} }} notrack
	}}
	chain control_out {{
		type filter hook output priority raw;
		tcp sport {{ {ports} }} notrack
	}}
	chain own {{
		type filter hook output priority filter;
		oifname {{ {names} }} icmpv6 type {{ mld2-listener-report, nd-router-solicit }} counter drop
	}}
	chain strangers {{
		type filter hook input priority filter;
{"".join(_strangers(setup, *pair) for pair in pairs)}	}}
	chain forward {{
		type filter hook forward priority filter;
{states}	}}
{"".join(_translation(setup, *pair) for pair in pairs)}}}
"""


def _strangers(setup: DutSetup, inside: DutInterface, outside: DutInterface) -> str:
    """Packets of no state to the address of the public side, which would take an entry each."""
    public = inside if setup.options.filter.rules == "forward" else outside
    return f'\t\tiifname "{public.name}" meta l4proto {{ tcp, udp }} ct state new counter drop\n'


def _states(setup: DutSetup, inside: DutInterface, outside: DutInterface) -> str:
    """A flow's most frequent packet meets its rule first."""
    new = "ct status dnat " if setup.options.filter.rules == "forward" else ""
    out, back = (
        f'iifname "{one.name}" oifname "{other.name}"' for one, other in ((inside, outside), (outside, inside))
    )
    rows = (
        f"{out} ct state established,related counter accept",
        f"{back} ct state established,related counter accept",
        f"{out} ct state new {new}counter accept",
        f"{out} counter drop",
        f"{back} counter drop",
    )
    return "".join(f"\t\t{row}\n" for row in rows)


def _translation(setup: DutSetup, inside: DutInterface, outside: DutInterface) -> str:
    rules = setup.options.filter.rules
    if rules == "forward":
        public, server = ipaddress.ip_interface(inside.addresses[0]).ip, outside.neighbours[0].address
        to_public = f'iifname "{inside.name}" ip daddr {public} meta l4proto {{ tcp, udp }} th dport {FORWARDED_PORTS}'
        return f"""\
	chain forwards {{
		type nat hook prerouting priority dstnat;
		{to_public} counter dnat ip to {server}
	}}
"""
    if rules == "stateful":
        return ""
    family = "ipv6" if rules == "nat66" else "ipv4"
    return f"""\
	chain translate {{
		type nat hook postrouting priority srcnat;
		iifname "{inside.name}" oifname "{outside.name}" meta nfproto {family} counter masquerade
	}}
"""


def _filtered(facts: Facts, setup: DutSetup) -> DutPlan:
    if facts[_NFT].code:
        raise EnvironmentFault(
            f"the DUT has no `nft`, which filter {setup.options.filter.rules} needs: install Debian's package nftables"
        )
    now = text_of(facts, RULESET).strip()
    ports = [int(port) for port in re.findall(r"(?m)(?:^|:)(\d+)$", text_of(facts, _CONTROL))]
    wanted = ruleset(setup, ports or [_SSH])
    do = Action("nft -f -", f"flush ruleset\n{wanted}")
    step = DutStep("nftables", tables_of(now), f"filter {setup.options.filter.rules}", do, rules_back(now))
    steps = [] if _is_ours(now, wanted) else [step]
    steps += [one for name in setup.names for one in _offload(facts, name)]
    gone = [f"{name} is off during the test: its flows pass the states by" for name in flowtables(now)]
    return DutPlan(tuple(steps), tuple(gone))


def _is_ours(now: str, wanted: str) -> bool:
    """True if the rules are there; their counters do not matter."""
    return _plain(now) == _plain(wanted)


def _plain(rules: str) -> list[str]:
    """Words of rules that do not depend on how nft prints them: it sorts sets, and leaves a set of one out."""
    rules = re.sub(r"\{ ([^{}\n]+) \}", lambda found: " ".join(sorted(found[1].split(", "))), rules)
    return re.sub(r" packets \d+ bytes \d+|[{};\"]|policy accept", " ", rules).split()


def _offload(facts: Facts, name: str) -> Iterator[DutStep]:
    """Flows that the NIC forwards pass the states by."""
    if settings(text_of(facts, f"ethtool -k {name}")).get("hw-tc-offload") == "on":
        do, undo = (Action(f"ethtool -K {name} hw-tc-offload {word}") for word in ("off", "on"))
        yield DutStep(f"hw-tc-offload of {name}", "on", "off", do, undo, undone_if=no_interface(name))


# ---- limits


def _wanted(options: FilterOptions) -> dict[str, int]:
    """Files of the settings that are asked for, and their values."""
    named = {
        "max": options.states,
        "buckets": options.buckets,
        "udp_timeout": options.timeout_s,
        "udp_timeout_stream": options.timeout_s,
    }
    return {f"{_TRACKING}{name}": value for name, value in named.items() if value is not None}


def _limits(facts: Facts, wanted: dict[str, int]) -> Iterator[DutStep]:
    for path, value in wanted.items():
        ran = facts[f"cat {path}"]
        now = ran.out.strip()
        if ran.code:
            raise EnvironmentFault(f"this kernel has no {path}: {ran.why}; its connection tracking is not loaded")
        if int(now) in range(value, value + (_ROUNDED if path.endswith("buckets") else 1)):
            continue
        if facts[f"test -w {path}"].code:
            key = path.removeprefix("/proc/sys/").replace("/", ".")
            raise EnvironmentFault(
                f"{path} is {now} and cannot be set in this network namespace: it belongs to the whole machine; "
                f"`sysctl -w {key}={value}` in the first namespace sets it"
            )
        do, undo = (Action(f"echo {one} > {path}") for one in (value, now))
        yield DutStep(path, now, str(value), do, undo, undone_if=no_file(path))


def bypass_notes(facts: Facts, setup: DutSetup) -> Iterator[str]:
    """Traffic paths that bypass states of unchanged rules. Takes the answers for `machine_steps` and `nic_steps`."""
    rules = text_of(facts, RULESET)
    if "ct " not in rules and " nat " not in rules:
        return
    bypasses = flowtables(rules)
    bypasses += [
        f"hw-tc-offload of {name}"
        for name in setup.names
        if settings(text_of(facts, f"ethtool -k {name}")).get("hw-tc-offload") == "on"
    ]
    yield from (f"{one} is on: flows that it forwards pass the states of nftables by" for one in bypasses)


def check_linux_filter(setup: DutSetup) -> None:
    """UsageError for a filter without the addresses that it needs."""
    if setup.options.filter.rules == "forward" and not all(
        inside.addresses and outside.neighbours
        for inside, outside in zip(setup.interfaces[::2], setup.interfaces[1::2], strict=True)
    ):
        raise UsageError("filter forward needs an address of the first interface, and a tester on the second")
