"""Rule sets and packets: decisions of the router's classifier and sessions, compared with a naive evaluator."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_network
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from naive_acl import GRE, ICMP, ICMP6, PORTS, SCTP, TCP, TYPES, UDP, NaiveAcls, Packet, Part

from wirespeed.router.features.acl.core import AclAction, AclRule

ANSWERS = Path(__file__).parents[2] / "build" / "native" / "acl_answers"
RULE_SETS = 150 if settings().derandomize else 10_000
"""Number of pairs of rule sets; the larger one is for the profile `search` of tools/fuzz.sh."""
PROTOCOLS = (ICMP, TCP, UDP, GRE, ICMP6, SCTP)
ADDRESSES: dict[int, list[IPv4Address | IPv6Address]] = {
    4: [IPv4Address(0x10000000 | high << 16 | low) for high in (0, 1) for low in (0, 1, 255)],
    6: [IPv6Address(0x2001_0DB8 << 96 | high << 64 | low) for high in (0, 1) for low in (0, 1, 1 << 63)],
}
"""Few addresses, so that rules match."""


class Router:
    """A process that sends packets through its ACLs, one after the other."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def say(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text)

    def set_rules(self, is_output: bool, rules: Sequence[AclRule]) -> None:
        self.say(f"rules {is_output:d} {len(rules)}\n" + "".join(map(_line, rules)))

    def judge(self, packet: Packet, is_output: bool) -> tuple[bool, int, int]:
        """True if the packet passed, the rule that counted it, and the number of sessions afterwards."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self.say(f"packet {is_output:d} {packet.frame().hex()}\n")
        self._process.stdin.flush()
        passed, rule, sessions = self._process.stdout.readline().split()
        return passed == "1", int(rule), int(sessions)


def _line(rule: AclRule) -> str:
    words = [rule.action.value, rule.protocol, rule.tcp_flags_mask, rule.tcp_flags_value]
    words += [*rule.source_ports, *rule.destination_ports]
    prefixes = [f"{net.network_address.packed.hex()} {net.prefixlen}" for net in (rule.source, rule.destination)]
    return " ".join([*map(str, words), *prefixes]) + "\n"


@pytest.fixture(scope="module")
def running() -> Iterator[Router]:
    with subprocess.Popen([ANSWERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Router(process)
        process.communicate()
    assert process.returncode == 0


@st.composite
def rules(draw: st.DrawFn) -> AclRule:
    version = draw(st.sampled_from((4, 6)))
    bits = 32 if version == 4 else 128
    lengths = st.sampled_from((0, 1, bits // 4, bits // 2, bits - 9, bits - 1, bits)) | st.integers(0, bits)
    source, destination = (
        ip_network((draw(st.sampled_from(ADDRESSES[version])), draw(lengths)), strict=False) for _ in range(2)
    )
    protocol = draw(st.sampled_from((0, *PROTOCOLS)))
    ranges = st.just((0, 255 if protocol in TYPES else 65535))
    if protocol in (*PORTS, *TYPES):
        ranges |= st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda ends: (min(ends), max(ends)))
        ranges |= st.sampled_from(((8, 8), (0, 8), (128, 129)))
    flags = st.sampled_from((0, 0, 2, 18, 255)) if protocol == TCP else st.just(0)
    return AclRule(
        draw(st.sampled_from(AclAction)),
        source,
        destination,
        protocol,
        draw(ranges),
        draw(ranges),
        draw(flags),
        draw(flags),
    )


@st.composite
def packets(draw: st.DrawFn) -> Packet:
    version = draw(st.sampled_from((4, 6)))
    protocol = draw(st.sampled_from(PROTOCOLS))
    types = st.sampled_from((8, 0, 3) if version == 4 else (128, 129, 1))
    source_port = draw(types if protocol in TYPES else st.integers(0, 3))
    destination_port = draw(st.sampled_from((0, 0, 1)) if protocol in TYPES else st.integers(0, 3))
    return Packet(
        draw(st.sampled_from(ADDRESSES[version])),
        draw(st.sampled_from(ADDRESSES[version])),
        protocol,
        source_port,
        destination_port,
        draw(st.sampled_from((2, 18, 16, 17, 4))) if protocol == TCP else 0,
        draw(st.integers(0, 1)) if protocol in TYPES else 0,
        draw(st.sampled_from((Part.WHOLE, Part.WHOLE, Part.WHOLE, Part.LATER_FRAGMENT, Part.CUT_OFF))),
    )


STEPS = st.lists(st.tuples(packets(), st.booleans(), st.integers(0, 2)), min_size=1, max_size=8)
"""A packet, its direction, and how often it is answered and the answer answered."""


@pytest.mark.timeout(300 if RULE_SETS < 10_000 else 0)
@settings(max_examples=RULE_SETS, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(rules(), min_size=1, max_size=10), st.lists(rules(), min_size=1, max_size=10), STEPS)
def test_the_router_agrees_with_a_naive_evaluator(
    running: Router, inward: list[AclRule], outward: list[AclRule], steps: list[tuple[Packet, bool, int]]
) -> None:
    naive = NaiveAcls((inward, outward))
    for is_output, of_direction in enumerate(naive.rules):
        running.set_rules(bool(is_output), of_direction)
    running.say("clear\n")
    for first, from_outside, answers in steps:
        packet, is_output = first, from_outside
        for _ in range(1 + answers):
            found = running.judge(packet, is_output)
            passed, rule = naive.judge(packet, is_output)
            assert found == (passed, rule, len(naive.sessions)), (packet, is_output)
            event("rule" if rule >= 0 else "session" if passed else "none fits")
            packet, is_output = packet.answer, not is_output
