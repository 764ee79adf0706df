"""The plan of the tests, as a value, and the method that follows from it. Pure; nothing runs here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypedDict, get_args

from wirespeed.client.flow_sets import FlowAddresses, FlowPorts, FlowProtocol, FlowSet
from wirespeed.errors import UsageError
from wirespeed.measurement.rfc.plan import LATENCY_REPEATS, RfcPlan, tests_of
from wirespeed.measurement.stateful.conformance import REPEATS, exceptions_of
from wirespeed.measurement.stateful.result import TESTS, WAYS, Ranges, StatefulMethod, StatefulSettings, Test, Way
from wirespeed.results.channel import Channel
from wirespeed.trial.plan import parse_tunables
from wirespeed.units import MAX_FRAME_BYTES, parse_ratio

NEEDED: dict[Test, tuple[Test, ...]] = {
    "throughput": ("rate",),
    "frame-loss": ("rate",),
    "latency": ("rate", "throughput"),
    "tear-down": ("rate",),
}

FIRST_SOURCE_PORT, LAST_SOURCE_PORT = 1024, 65535
FIRST_DESTINATION_PORT, LAST_DESTINATION_PORT = 5001, 49151
"""Within the ranges of RFC 4814; destinations stay clear of the ports of services."""

ADDRESSES = {False: ("16.0.0.1", "48.0.0.1"), True: ("2001:2::1", "2001:2:0:8000::1")}
TRANSPORTS: tuple[FlowProtocol, ...] = get_args(FlowProtocol)

TRANSLATING = ("nat", "nat66")
"""Filters that translate the source of each flow."""
FORWARDS, FORWARDED = "forward", "100.64.1.1"
"""The filter of static port forwards, and the address in a lab that has them."""

SETTINGS = ("size", "ip", "source", "destination", "ports")

_MOST_FLOWS = 1 << 26
_COUNT = re.compile(r"(?P<number>\d{1,9}(\.\d{1,6})?)(?P<unit>[kKmM]?)")
_UNITS = {"": 1, "k": 1000, "m": 1_000_000}


@dataclass(frozen=True)
class StatefulPlan(RfcPlan):
    """`timeout_s` is the given timeout of flows, None if it is to be read from the DUT."""

    profile: str = "stateful"
    tests: tuple[Test, ...] = TESTS
    flows: tuple[int, ...] = ()
    transport: FlowProtocol = "udp"
    ways: tuple[Way, ...] = ("both",)
    size: int = 64
    alpha: float = 0.8
    beta: float = 0.1
    gamma: float = 0.5
    capacity_error: float = 0.001
    opening: float = 0.5
    rest_s: float = 0.5
    source: str = ""
    destination: str = ""
    addresses: tuple[int, ...] = (1,)
    source_ports: int = 50_000
    timeout_s: float | None = None
    over_timeout: bool = False
    behind: str = ""
    without_filter: bool = True

    @property
    def initiator(self) -> int:
        """The port that opens flows."""
        return self.directions[0].tx

    @property
    def responder(self) -> int:
        return self.directions[0].rx

    @property
    def forward(self) -> Channel:
        return Channel(self.initiator, self.responder)

    def at_lab(self) -> StatefulPlan:
        """The plan for its lab: flows for static port forwards go to the DUT's own address."""
        if self.lab.filter != FORWARDS or self.destination:
            return self
        return replace(self, destination=FORWARDED, behind=ADDRESSES[self.ip6][1])

    @property
    def protocol(self) -> str:
        return f"{self.transport.upper()} over IPv{6 if self.ip6 else 4}"

    @property
    def title(self) -> str:
        numbers = ", ".join(f"{flows:,}" for flows in self.flows)
        name = "TCP connections:" if self.transport == "tcp" else "RFC 9693"
        return f"{name} {', '.join(self.tests)}; {numbers} flows; trials of {self.trial_s:g} s"

    def method(self, timeout_s: float | None) -> StatefulMethod:
        """The method of the tests, with its deviations from the RFC; `timeout_s` is the DUT's, if known."""
        bare = StatefulMethod(
            tests=self.tests,
            flows=self.flows,
            ways=self.ways,
            frame=self.size,
            protocol=self.protocol,
            ranges=tuple(self.ranges(flows, count) for count in self.addresses for flows in self.flows),
            addresses=self.addresses,
            trial_s=self.trial_s,
            repeats=self.repeats_for(REPEATS),
            latency_repeats=self.repeats_for(LATENCY_REPEATS),
            alpha=self.alpha,
            beta=self.beta,
            gamma=self.gamma,
            capacity_error=self.capacity_error,
            opening=self.opening,
            resolution=self.resolution,
            rest_s=self.rest_s,
            timeout_s=timeout_s,
            over_timeout=self.over_timeout,
        )
        return replace(bare, exceptions=exceptions_of(bare, self.lab.filter))

    def ranges(self, flows: int, addresses: int) -> Ranges:
        """§5.1: more flows use more destination ports and the same source ports. Static port forwards have one
        destination. UsageError if the ports do not suffice."""
        source, destination = ADDRESSES[self.ip6]
        destinations = 1 if self.behind else addresses
        of_a_port = addresses * destinations * self.source_ports
        destination_ports = -(-flows // of_a_port)
        most = LAST_DESTINATION_PORT - FIRST_DESTINATION_PORT + 1
        if destination_ports > most:
            raise UsageError(
                f"--flows {flows}: {self.source_ports} source ports and {most} destination ports make at most "
                f"{of_a_port * most}; give more of them by -t ports= or --addresses"
            )
        return Ranges(
            flows=flows,
            source=self.source or source,
            sources=addresses,
            destination=self.destination or destination,
            destinations=destinations,
            source_port=FIRST_SOURCE_PORT,
            source_ports=self.source_ports,
            destination_port=FIRST_DESTINATION_PORT,
            destination_ports=destination_ports,
        )

    def variables(self, server: str) -> StatefulSettings:
        return StatefulSettings(
            **self.settings_head(server),
            flows=",".join(map(str, self.flows)),
            protocol="" if self.transport == "udp" else self.transport,
            addresses=",".join(map(str, self.addresses)),
            ways=",".join(self.ways),
        )


def check_plan(plan: StatefulPlan) -> None:
    """UsageError for a plan that is invalid whatever the links are."""
    plan.check_trials("the RFC's figures are of 10, latency of 20")
    if not 0 < plan.alpha <= 1:
        raise UsageError(f"--alpha {plan.alpha:g}: give a share above 0 and at most 1, such as 80% or 0.5")
    for name, value in (("beta", plan.beta), ("gamma", plan.gamma), ("error", plan.capacity_error)):
        if not 0 < value < 1:
            raise UsageError(f"--capacity {name}={value:g}: give a share between 0 and 1, such as 10% or 0.5")
    if not 1 <= plan.source_ports <= LAST_SOURCE_PORT - FIRST_SOURCE_PORT + 1:
        raise UsageError(
            f"-t ports={plan.source_ports}: give 1 to {LAST_SOURCE_PORT - FIRST_SOURCE_PORT + 1}, which are the "
            f"ports {FIRST_SOURCE_PORT} to {LAST_SOURCE_PORT}"
        )
    least = least_bytes(plan.ip6, plan.transport)
    if not least <= plan.size <= MAX_FRAME_BYTES:
        raise UsageError(f"-t size={plan.size}: give bytes with FCS from {least} to {MAX_FRAME_BYTES}")
    _check_addresses(plan)
    for flows in plan.flows:
        for addresses in plan.addresses:
            plan.ranges(flows, addresses)
    pair = set(plan.directions)
    if len(pair) != 2 or {wire.reverse for wire in pair} != pair:
        raise UsageError(
            "flows need a pair of ports and both directions; --ports N,N names the initiator's port and the "
            "responder's, --ways who sends over the states"
        )


def _check_addresses(plan: StatefulPlan) -> None:
    for name, text in (("source", plan.source), ("destination", plan.destination)):
        if not text:
            continue
        try:
            address = ip_address(text)
        except ValueError:
            raise UsageError(f"-t {name}={text}: give an address such as {ADDRESSES[plan.ip6][0]}") from None
        if not isinstance(address, IPv6Address if plan.ip6 else IPv4Address):
            raise UsageError(f"-t {name}={text}: give one of IPv{6 if plan.ip6 else 4}; IPv6 needs ip=6")


def parse_test(word: str) -> tuple[Test, ...]:
    """The named test after those that it depends on. "all" excludes the capacity test, which overfills the table."""
    return tests_of(word, TESTS, NEEDED, TESTS[:-1])


def parse_count(what: str, text: str) -> int:
    """The number in `64k` or `1M` (1000 and 1000000). UsageError for anything else."""
    match = _COUNT.fullmatch(text.strip())
    value = float(match["number"]) * _UNITS[match["unit"].lower()] if match is not None else 0.0
    if value != int(value) or not 1 <= value <= _MOST_FLOWS:
        raise UsageError(f"{what} {text.strip()!r}: give numbers from 1 to {_MOST_FLOWS}, such as 1, 64k or 1M")
    return int(value)


class FlowSettings(TypedDict):
    """The fields of a plan that `-t` sets."""

    tunables: dict[str, str]
    size: int
    ip6: bool
    source: str
    destination: str
    source_ports: int


def least_bytes(ip6: bool, protocol: FlowProtocol) -> int:
    """Headers, the tester's 16 bytes, FCS."""
    source, destination = map(FlowAddresses, ADDRESSES[ip6])
    port = FlowPorts(1, 1)
    return FlowSet(source, destination, port, port, flows=1, protocol=protocol).smallest_frame_bytes


def transport_of(text: str) -> FlowProtocol:
    """UsageError for a protocol outside TRANSPORTS."""
    for one in TRANSPORTS:
        if one == text:
            return one
    raise UsageError(f"--protocol {text!r} is not known: give {' or '.join(TRANSPORTS)}")


def flow_settings(text: str, ip6: bool, protocol: FlowProtocol = "udp") -> FlowSettings:
    """From `size=64,ip=6,source=16.0.0.1,destination=48.0.0.1,ports=40k`; `ip6` if there is no `ip=`. UsageError for
    other keys."""
    settings = parse_tunables(text)
    for key in settings:
        if key not in SETTINGS:
            raise UsageError(f"-t {key}=…: flows have {', '.join(SETTINGS)}")
    if (family := settings.get("ip", "6" if ip6 else "4")) not in ("4", "6"):
        raise UsageError(f"-t ip={family}: give 4 or 6")
    counts = {key: parse_count(f"-t {key}", settings[key]) for key in ("size", "ports") if key in settings}
    return FlowSettings(
        tunables=settings,
        size=counts.get("size", least_bytes(family == "6", protocol)),
        ip6=family == "6",
        source=settings.get("source", ""),
        destination=settings.get("destination", ""),
        source_ports=counts.get("ports", 50_000),
    )


def with_capacity(plan: StatefulPlan, text: str) -> StatefulPlan:
    """The plan with `beta=10%,gamma=50%,error=0.1%`. UsageError for other keys."""
    settings = parse_tunables(text)
    for key in settings:
        if key not in ("beta", "gamma", "error"):
            raise UsageError(f"--capacity {key}=…: it has beta, gamma, error")
    shares = {key: parse_ratio(value, f"--capacity {key}") for key, value in settings.items()}
    return replace(
        plan,
        beta=shares.get("beta", plan.beta),
        gamma=shares.get("gamma", plan.gamma),
        capacity_error=shares.get("error", plan.capacity_error),
    )


def parse_counts(what: str, text: str) -> tuple[int, ...]:
    """`1,1k,64k,1M`, in rising order. UsageError, which names the option `what`, for an invalid or repeated number."""
    found = [parse_count(what, word) for word in text.split(",")]
    if len(set(found)) != len(found):
        raise UsageError(f"{what} {text}: a number is given twice; give each once")
    return tuple(sorted(found))


def parse_ways(text: str) -> tuple[Way, ...]:
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in WAYS:
            raise UsageError(f"--ways {word!r} is not known: give {', '.join(WAYS)}")
    return tuple(way for way in WAYS if way in words)
