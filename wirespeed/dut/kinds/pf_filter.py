"""Filter and NAT of pf: one ruleset for the test, loaded at once, and the one from before.

FreeBSD has rules `nat` and `rdr`, OpenBSD the options `nat-to` and `rdr-to` of `match` rules."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from wirespeed.dut.plan import Action, DutStep, Facts, text_of
from wirespeed.dut.setup import STATEFUL, DutInterface, DutSetup

_INFO, _LIMITS, _TIMEOUTS = "pfctl -s info", "pfctl -s memory", "pfctl -s timeouts"
_RULES, _NAT = "pfctl -s rules", "pfctl -s nat"
_TABLES = (
    "pfctl -v -s Tables | while read -r flags name; do "
    "case $flags in c-*) kind=const;; ?-*) kind=;; *) continue;; esac; "
    'echo "table <$name> $kind {" $(pfctl -t "$name" -T show) "}"; done'
)
"""Tables as pf.conf defines them. The kernel deletes them with the rules, except those with the flag `p` (persist)."""
_CONTROL = "set -- $SSH_CONNECTION; echo $4"
_UDP = ("udp.first", "udp.single", "udp.multiple")
_SSH = 22
_PORTS = "1:49151"


def pf_questions(setup: DutSetup) -> tuple[str, ...]:
    if setup.options.filter.rules not in STATEFUL:
        return ()
    return (_LIMITS, _TIMEOUTS, _TABLES, _RULES, _NAT, _CONTROL)


def pf_rules(setup: DutSetup, has_nat_rules: bool, port: int = _SSH) -> str:
    """`has_nat_rules`: FreeBSD's. Connections of the SSH server keep no state, so that a full table does not shut them
    out. Adaptive timeouts would change the test near the limit: they are off."""
    asked = setup.options.filter
    pairs = list(zip(setup.interfaces[::2], setup.interfaces[1::2], strict=True))
    limit = [] if asked.states is None else [f"set limit states {asked.states}"]
    times = [] if asked.timeout_s is None else [f"{name} {asked.timeout_s}" for name in _UDP]
    options = [
        *limit,
        f"set timeout {{ {', '.join([*times, 'adaptive.start 0', 'adaptive.end 0'])} }}",
        "set skip on lo",
    ]
    translations = [line for pair in pairs for line in _translation(asked.rules, has_nat_rules, *pair)]
    control = [
        f"pass quick proto tcp from any to any port {port} no state",
        f"pass quick proto tcp from any port {port} to any no state",
    ]
    rows = [line for pair in pairs for line in _filter(*pair)]
    rest = f'pass all no state label "{_label(setup)}"'
    return "".join(f"{line}\n" for line in (*options, *translations, *control, *rows, rest))


def _label(setup: DutSetup) -> str:
    """By which the rules are known again."""
    given = setup.options.filter
    return " ".join(map(str, filter(None, ("wirespeed", given.rules, given.states, given.timeout_s))))


def _translation(rules: str, has_nat_rules: bool, inside: DutInterface, outside: DutInterface) -> Iterator[str]:
    family = "inet6" if rules == "nat66" else "inet"
    if rules in ("nat", "nat66"):
        yield (
            f"nat on {outside.name} {family} from any to any -> ({outside.name})"
            if has_nat_rules
            else f"match out on {outside.name} {family} nat-to ({outside.name})"
        )
    if rules == "forward":
        public, server = ipaddress.ip_interface(inside.addresses[0]).ip, outside.neighbours[0].address
        to_public = f"on {inside.name} inet proto {{ tcp, udp }} from any to {public} port {_PORTS}"
        yield f"rdr {to_public} -> {server}" if has_nat_rules else f"match in {to_public} rdr-to {server}"


def _filter(inside: DutInterface, outside: DutInterface) -> Iterator[str]:
    """Replies match their states before any rule."""
    yield f"pass in quick on {inside.name} keep state"
    yield f"pass out quick on {outside.name} keep state"
    yield f"block drop quick on {outside.name} proto {{ tcp, udp }}"


def pf_steps(facts: Facts, setup: DutSetup, has_nat_rules: bool) -> Iterator[DutStep]:
    asked = setup.options.filter
    if asked.rules not in STATEFUL:
        return
    is_on = "Status: Enabled" in text_of(facts, _INFO)
    if is_on and f'label "{_label(setup)}"' in text_of(facts, _RULES):
        return
    port = text_of(facts, _CONTROL).strip()
    wanted = pf_rules(setup, has_nat_rules, int(port) if port.isdigit() else _SSH)
    turned_on = "pfctl -e 2> /dev/null; pfctl -s info | grep -q 'Status: Enabled'"
    do = Action(f"pfctl -f - && {{ {turned_on}; }}", wanted)
    undo = Action(f"pfctl -f -{'' if is_on else ' && pfctl -d'}", _before(facts))
    yield DutStep("pf", "on" if is_on else "off", f"filter {asked.rules}", do, undo)


def _before(facts: Facts) -> str:
    """Limit, timeouts, tables and rules as pfctl prints them, and takes them. Rules of anchors stay in the kernel."""
    limit = re.findall(r"(?m)^states\s+hard limit\s+(\d+)", text_of(facts, _LIMITS))
    times = re.findall(r"(?m)^((?:udp|adaptive)\.\w+)\s+(\d+)", text_of(facts, _TIMEOUTS))
    lines = [
        *(f"set limit states {count}" for count in limit),
        *(f"set timeout {name} {value}" for name, value in times),
    ]
    rules = (line for text in (_TABLES, _NAT, _RULES) for line in text_of(facts, text).splitlines() if line.strip())
    return "".join(f"{line}\n" for line in (*lines, *rules))
