"""A testbed file as values: tester, links, device under test, mode, addresses, power meter, description.

`filled` adds default addresses, routes and labels where the file gives none. Pure."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from wirespeed.client.generator_client import parse_server
from wirespeed.cpus import cpu_list
from wirespeed.errors import UsageError
from wirespeed.model import parse_mac, parse_port_spec
from wirespeed.profiles.builtin import MAX_LABEL
from wirespeed.units import parse_speed

Mode = Literal["l2xc", "ip4", "ip6", "mpls"]
Kind = Literal["linux", "freebsd", "openbsd", "danos", "vpp", "wirespeed", "none"]

ROUTES: dict[str, tuple[str, str]] = {
    "ip4": ("16.0.0.0/8", "48.0.0.0/8"),
    "ip6": ("2001:2::/49", "2001:2:0:8000::/49"),
}
"""Destinations of the built-in profiles, behind the first link and behind the second."""
LABELS = (16, 17)
"""Labels of packets that leave by the second link, and by the first."""

_REACH = re.compile(r"local|netns:[^\s/:]+|console-log:.+|ssh://[^\s]+")
_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}")


def _checked(parse: Any) -> AfterValidator:
    """A text that `parse` accepts; its exception becomes the field's error."""

    def check(text: str) -> str:
        try:
            parse(text)
        except UsageError as error:
            raise ValueError(str(error)) from None
        return text

    return AfterValidator(check)


def _matching(pattern: re.Pattern[str], what: str) -> AfterValidator:
    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(f"{text!r} is not a valid {what}")
        return text

    return AfterValidator(check)


def _network(text: str) -> str:
    """With host bits it is another prefix than its writer meant."""
    return str(ipaddress.ip_network(text))


_text = BeforeValidator(lambda value: str(value) if isinstance(value, int | float) else value)
"""YAML reads 10 or 2.5 as numbers where a text is meant."""

Speed = Annotated[str, _text, _checked(parse_speed)]
Cpus = Annotated[str, _text, _checked(lambda text: cpu_list("cpus", text))]
Mac = Annotated[str, _checked(parse_mac)]
Address = Annotated[str, AfterValidator(lambda text: str(ipaddress.ip_address(text)))]
InterfaceAddress = Annotated[str, AfterValidator(lambda text: str(ipaddress.ip_interface(text)))]
Prefix = Annotated[str, AfterValidator(_network)]
InterfaceName = Annotated[str, _text, _matching(_INTERFACE, "name of an interface")]


class TestbedMisfit(ValueError):
    """Two parts of a bench that do not go together; `at` is the path of the second."""

    def __init__(self, at: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.at = at


class TestbedSection(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TestbedTester(TestbedSection):
    """A running generator (`server`), or one that each command starts on this machine (`ports`)."""

    server: Annotated[str, _checked(parse_server)] | None = Field(
        default=None, description="HOST[:PORT] of a running generator, wirespeed or T-Rex."
    )
    ports: tuple[Annotated[str, _checked(parse_port_spec)], ...] = Field(
        (), description="Port specs of a generator to start here, such as pci:0000:02:00.0 or af_packet:eth2."
    )
    cpus: Cpus | None = Field(
        default=None, description="CPUs of its workers, such as 2,3; default: chosen automatically."
    )
    main_cpu: Cpus | None = Field(default=None, description="CPUs of its other threads; default: chosen automatically.")
    hugepages: Literal["auto", "never", "require"] = "auto"

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.server is None) == (not self.ports):
            raise ValueError("give `server` (a running generator) or `ports` (of one to start here), not both")
        if self.server and (self.cpus or self.main_cpu):
            raise ValueError("`cpus` and `main_cpu` are of a generator that is started here; leave them out")
        return self


class TestbedLink(TestbedSection):
    """A cable: the tester's port `port` to the device's `interface`."""

    port: int = Field(ge=0, le=255, description="Number of the tester's port.")
    interface: InterfaceName | None = Field(
        default=None, description="DUT interface; default: found by `wirespeed testbed check`."
    )
    speed: Speed | None = Field(default=None, description="Link speed, such as 10G or 2.5G, if the port type has none.")
    dut_address: InterfaceAddress | None = Field(
        default=None, description="DUT address with prefix length, such as 100.64.1.1/30."
    )
    tester_address: Address | None = Field(default=None, description="Tester address in the same network.")
    dut_mac: Mac | None = Field(default=None, description="DUT MAC address; default: resolved by ARP or ND.")
    tester_mac: Mac | None = Field(default=None, description="Tester MAC address; default: that of the port.")
    pci: str = Field(default="", description="PCI address of the DUT interface, if VPP drives it.")


class TestbedRoute(TestbedSection):
    """`prefix` is behind the tester, on the link of `port`."""

    prefix: Prefix
    port: int


class Label(TestbedSection):
    """Packets with `label` leave by the link of `port`."""

    label: int = Field(ge=16, lt=MAX_LABEL)
    port: int


class DutTuning(TestbedSection):
    """Further settings for `dut prepare`; omitted settings are not changed."""

    queues: int | None = Field(default=None, ge=1, le=64)
    rx_descriptors: int | None = Field(default=None, ge=32, le=32768)
    tx_descriptors: int | None = Field(default=None, ge=32, le=32768)
    workers: int | None = Field(default=None, ge=0, le=128)
    cpus: Cpus | None = Field(default=None, description="CPUs of its interrupts or workers.")
    driver: str = ""
    devargs: str = ""
    filter_off: bool = Field(default=False, description="Switch pf or nftables off.")
    filter: Literal["", "nat", "nat66", "stateful", "forward"] = Field(
        default="", description="NAT or firewall of the DUT; default: as it is."
    )
    states: int | None = Field(default=None, ge=1, description="Entries of its state table at most.")
    buckets: int | None = Field(default=None, ge=1, description="Hash chains of its state table.")
    state_timeout: int | None = Field(
        default=None, ge=1, description="Seconds after which it forgets an idle UDP flow."
    )
    governor: str = ""
    turbo: bool | None = None
    sysctls: dict[str, Annotated[str, _text]] = Field(default_factory=dict)
    table_by: Literal["", "bird"] = Field(
        default="", description="Program that loads a full table on Linux; default: ip."
    )


class TestbedDut(TestbedSection):
    """The device under test: its type, and the access to it."""

    kind: Kind = "none"
    reach: Annotated[str, _matching(_REACH, "way to a DUT: ssh://user@host[:port], netns:NAME, local, …")] | None = (
        Field(default=None, description="ssh://user@host[:port], netns:NAME, local or console-log:FILE.")
    )
    socket: str | None = Field(
        default=None, description="Control socket of VPP (cli.sock) or of the wirespeed router (router.sock)."
    )
    options: DutTuning = DutTuning()

    @model_validator(mode="after")
    def _is_reached(self) -> Self:
        if self.kind == "none" and (self.reach or self.socket):
            raise ValueError("`reach` and `socket` need `kind`: linux, freebsd, openbsd, danos, vpp or wirespeed")
        if self.kind != "none" and self.reach is None:
            raise ValueError(f"a DUT of kind {self.kind} needs `reach`: ssh://user@host, netns:NAME or local")
        return self


class Description(TestbedSection):
    """Description of the testbed, for reports."""

    dut: str = Field(default="", validation_alias=AliasChoices("dut", "box"))
    cpu: str = ""
    nics: str = ""
    price: Annotated[str, _text] = ""
    date: Annotated[str, BeforeValidator(str)] = Field(
        default="", description="Date of the set-up, such as 2026-11-23."
    )
    notes: str = ""


class Bench(TestbedSection):
    """A whole bench."""

    tester: TestbedTester
    links: tuple[TestbedLink, ...] = Field(
        validation_alias=AliasChoices("links", "wires"),
        min_length=2,
        description="Links in pairs: traffic sent on one returns on the other.",
    )
    dut: TestbedDut = TestbedDut()
    mode: Mode = "ip4"
    routes: tuple[TestbedRoute, ...] = Field(
        default=(), description="Default: 16.0.0.0/8 behind the first link, 48.0.0.0/8 the second."
    )
    labels: tuple[Label, ...] = Field(default=(), description="Default: 16 leaves by the second link, 17 by the first.")
    table: str = Field(default="", description="A full table as well: `internet`, or a file with a prefix per line.")
    power: str = Field(default="", description="The power meter, as --power names it: shelly:10.0.0.5,idle=12.")
    description: Description = Description()

    @model_validator(mode="after")
    def _links_fit(self) -> Self:
        _check_links(self)
        return self

    @property
    def ports(self) -> tuple[int, ...]:
        """The tester's, cabled in pairs in this order."""
        return tuple(link.port for link in self.links)

    def link(self, port: int) -> TestbedLink:
        return next(link for link in self.links if link.port == port)

    def filled(self) -> Bench:
        """With default addresses, routes and labels where the file has none."""
        if self.mode == "l2xc":
            return self
        links = tuple(_addressed(link, number, self.mode) for number, link in enumerate(self.links, start=1))
        routes = self.routes or tuple(
            TestbedRoute(prefix=prefix, port=port)
            for prefix, port in zip(ROUTES["ip6" if self.mode == "ip6" else "ip4"], self.ports, strict=False)
        )
        labels = self.labels
        if self.mode == "mpls" and not labels:
            labels = tuple(Label(label=label, port=port) for label, port in zip(LABELS, self.ports[1::-1], strict=True))
        return self.model_copy(update={"links": links, "routes": routes, "labels": labels})


def _check_links(bench: Bench) -> None:
    ports = list(bench.ports)
    if len(ports) % 2:
        raise TestbedMisfit(
            ("links",),
            f"{len(ports)} links are not pairs: traffic sent on one returns on the other; give an even number",
        )
    names = [link.interface for link in bench.links]
    for place, (port, name) in enumerate(zip(ports, names, strict=True)):
        at = ("links", place)
        if port in ports[:place]:
            raise TestbedMisfit((*at, "port"), f"two links end at port {port} of the tester; give each its own")
        if bench.tester.ports and port >= len(bench.tester.ports):
            there = f"the tester's {len(bench.tester.ports)} ports are numbered from 0"
            raise TestbedMisfit((*at, "port"), f"the link ends at port {port}, and {there}")
        if name is not None and name in names[:place]:
            raise TestbedMisfit((*at, "interface"), f"two links end at interface {name} of the DUT; give each its own")
        _check_addresses(bench.links[place], at)
    leads = [("routes", place, route.port) for place, route in enumerate(bench.routes)]
    leads += [("labels", place, label.port) for place, label in enumerate(bench.labels)]
    for section, place, port in leads:
        if port not in ports:
            raise TestbedMisfit((section, place, "port"), f"no link ends at port {port}; give the port of a link")


def _check_addresses(link: TestbedLink, at: tuple[str | int, ...]) -> None:
    if not link.tester_address:
        return
    if not link.dut_address:
        raise TestbedMisfit((*at, "tester_address"), "give dut_address as well: it determines the network")
    ours, theirs = ipaddress.ip_address(link.tester_address), ipaddress.ip_interface(link.dut_address)
    if ours not in theirs.network or ours == theirs.ip:
        raise TestbedMisfit(
            (*at, "tester_address"), f"{ours} does not fit: give an address in {theirs.network} other than {theirs.ip}"
        )


def _addressed(link: TestbedLink, number: int, mode: Mode) -> TestbedLink:
    """The `number`th link with 100.64.N.1/30 (2001:db8:N::1/64) there and the address after it here."""
    plain = f"2001:db8:{number}::1/64" if mode == "ip6" else f"100.64.{number}.1/30"
    theirs = link.dut_address or plain
    ours = link.tester_address or str(_other_host(ipaddress.ip_interface(theirs)))
    return link.model_copy(update={"dut_address": theirs, "tester_address": ours})


def _other_host(
    theirs: ipaddress.IPv4Interface | ipaddress.IPv6Interface,
) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """The address after the device's, or before it if the device has the last one of the network."""
    after = theirs.ip + 1
    is_last = after not in theirs.network or (theirs.version == 4 and after == theirs.network.broadcast_address)
    return theirs.ip - 1 if is_last and theirs.network.num_addresses > 2 else after
