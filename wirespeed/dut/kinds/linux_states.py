"""State table of Linux: connection tracking, and the rules of nftables in front of it. Pure.

Only counts, of the queried namespace: listing entries would disturb the measurement."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from wirespeed.dut.kinds.linux_machine import EACH_INTERFACE
from wirespeed.dut.linux_counters import softnet_by_cpu
from wirespeed.dut.plan import Facts, text_of
from wirespeed.results.states import StateTable

_SYSCTLS = "/proc/sys/net/netfilter/nf_conntrack_"
_COUNT = f"cat {_SYSCTLS}count"
_TIMEOUTS = ("udp_timeout", "udp_timeout_stream", "tcp_timeout_established", "tcp_timeout_unacknowledged")
_SETTINGS = f"grep . {' '.join(f'{_SYSCTLS}{name}' for name in ('max', 'buckets', *_TIMEOUTS))}"
_COUNTERS = "cat /proc/net/stat/nf_conntrack || conntrack -S"
_RULES = "nft -t list ruleset"
_CPUS = "cat /proc/net/softnet_stat"
_OFFLOADS = f"{EACH_INTERFACE} {{ ethtool -k $i | grep -q '^hw-tc-offload: on' && echo $i; }}; done"
NAT_PORTS = 65535 - 1024 + 1
"""NAT keeps source ports of 1024 and above in that range."""

_TOOL_NAMES = {"clash_resolve": "clashres", "chaintoolong": "chainlength", "error": "icmp_error"}
"""Names of `conntrack -S` that differ from the columns of the file."""
_NOT_COUNTED = ("entries", "searched", "new", "ignore", "delete", "delete_list", "insert")
"""Columns that are 0 in today's kernels, or not counters."""


class LinuxStates:
    count_question = _COUNT
    questions = (_COUNT, _SETTINGS, _COUNTERS, _RULES, _CPUS, _OFFLOADS)
    flush = "conntrack -F"
    flush_needs = "Debian's package conntrack"

    def used(self, facts: Facts) -> int | None:
        return _number(text_of(facts, _COUNT))

    def table(self, facts: Facts) -> StateTable | None:
        used = self.used(facts)
        if used is None:
            return None
        settings = dict(re.findall(rf"(?m)^{_SYSCTLS}(\w+):(\d+)$", text_of(facts, _SETTINGS)))
        rules = text_of(facts, _RULES)
        return StateTable(
            used=used,
            limit=_number(settings.get("max", "")),
            buckets=_number(settings.get("buckets", "")),
            timeouts_s={name.replace("_timeout", ""): float(settings[name]) for name in settings if "timeout" in name},
            counters=conntrack_counters(text_of(facts, _COUNTERS)),
            rules=rule_packets(rules),
            uncounted_rules=tuple(uncounted_rules(rules)),
            nat_ports=nat_ports(rules),
            cpu_packets={f"cpu{cpu}": row["processed"] for cpu, row in softnet_by_cpu(text_of(facts, _CPUS)).items()},
            bypasses=(*flowtables(rules), *(f"hw-tc-offload of {name}" for name in text_of(facts, _OFFLOADS).split())),
        )

    def how_to_hold(self, entries: int) -> str:
        return f"`sysctl -w net.netfilter.nf_conntrack_max={entries}` in the first network namespace of the DUT"


def _number(text: str) -> int | None:
    return int(text) if text.strip().isdigit() else None


def conntrack_counters(text: str) -> dict[str, int]:
    """/proc/net/stat/nf_conntrack (a head, a row of hexadecimal numbers for each CPU) or `conntrack -S`: sums over the
    CPUs, by the file's names."""
    total: Counter[str] = Counter()
    head, *rows = text.strip().splitlines() or [""]
    if head.startswith("entries"):
        names = head.split()
        for row in rows:
            total.update(dict(zip(names, (int(word, 16) for word in row.split()), strict=False)))
    else:
        for name, count in re.findall(r"(\w+)=(\d+)", re.sub(r"(?m)^cpu=\d+", "", text)):
            total[_TOOL_NAMES.get(name, name)] += int(count)
    return {name: count for name, count in total.items() if name not in _NOT_COUNTED}


# ---- rules


def _rules(ruleset: str) -> Iterator[tuple[str, str]]:
    """Chain and text of each rule, and of each chain's hook."""
    chain = ""
    for line in map(str.strip, ruleset.splitlines()):
        head = re.fullmatch(r"(?:chain|table|set|map|flowtable) (.+) \{", line)
        if head:
            chain = head[1] if line.startswith("chain") else ""
        elif chain and line not in ("", "}"):
            yield chain, line


def rule_packets(ruleset: str) -> dict[str, int]:
    """Packets of each rule that has a counter, by `chain: rule`, without the counter in it."""
    total: Counter[str] = Counter()
    for chain, rule in _rules(ruleset):
        if found := re.search(r"counter packets (\d+) bytes \d+", rule):
            total[f"{chain}: {' '.join(rule.replace(found[0], '').split())}"] += int(found[1])
    return dict(total)


def uncounted_rules(ruleset: str) -> Iterator[str]:
    """Rules and policies that drop or limit packets and have no counter."""
    for chain, rule in _rules(ruleset):
        if "counter packets" not in rule and re.search(r"\b(drop|reject|limit rate)\b", rule):
            yield f"{chain}: {rule.rstrip(';')}"


def nat_ports(ruleset: str) -> int | None:
    """Ports of the rule that translates sources; None without one."""
    counts = []
    for _, rule in _rules(ruleset):
        if re.search(r"\b(masquerade|snat)\b", rule):
            given = re.search(r"\b(?:masquerade|snat)\b.*:(\d+)(?:-(\d+))?(?!\S)", rule)
            counts.append(int(given[2] or given[1]) - int(given[1]) + 1 if given else NAT_PORTS)
    return min(counts, default=None)


def flowtables(ruleset: str) -> list[str]:
    """Flowtables, whose flows pass the state table by after their first packets."""
    return [f"flowtable {name}" for name in re.findall(r"(?m)^\s*flowtable (\S+) \{", ruleset)]
