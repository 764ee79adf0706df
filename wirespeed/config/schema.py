"""The keys of a configuration and what each takes: vppcfg's YAML schema."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator

_MAC = re.compile(r"[0-9a-f]{2}([:-])[0-9a-f]{2}(\1[0-9a-f]{2}){4}|[0-9a-f]{4}(\.[0-9a-f]{4}){2}", re.I)


def _mac(given: str) -> str:
    if not _MAC.fullmatch(given):
        raise ValueError("a MAC address is six pairs of hex digits, such as 02:00:00:00:00:01")
    digits = re.sub(r"[^0-9a-f]", "", given.lower())
    return ":".join(digits[i : i + 2] for i in range(0, 12, 2))


def _address(text: str) -> str:
    try:
        if "/" not in text:
            raise ValueError
        ipaddress.ip_interface(text)
    except ValueError:
        raise ValueError("an address needs its prefix length, such as 192.0.2.1/30 or 2001:db8::1/64") from None
    return text


def _host(given: str) -> str:
    try:
        return str(ipaddress.ip_address(given))
    except ValueError:
        raise ValueError("give an IP address without a prefix length, such as 192.0.2.1") from None


def _member(text: str) -> str:
    try:
        ipaddress.ip_interface(text)
    except ValueError:
        raise ValueError("a prefix list has addresses and prefixes, such as 192.0.2.1 or 2001:db8::/32") from None
    return text


Mac = Annotated[str, AfterValidator(_mac)]
Address = Annotated[str, AfterValidator(_address)]
Addresses = Annotated[list[Address], Field(min_length=1, max_length=6)]
Host = Annotated[str, AfterValidator(_host)]
Member = Annotated[str, AfterValidator(_member)]
Description = Annotated[str, StringConstraints(pattern=r"""^[^'"]*$""")]
LcpName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9._-]{0,14}$")]
"""With the dot of VLANs in Linux: vppcfg's pattern is not anchored at its end, and lets it through."""
HostName = Annotated[str, StringConstraints(min_length=1, max_length=15, pattern=r"^[^\s/]+$")]
Mtu = Annotated[int, Field(ge=128, le=9216)]
Vlan = Annotated[int, Field(ge=1, le=4095)]
Ring = Annotated[int, Field(ge=8, le=32768)]
State = Literal["up", "down"]
BondMode = Literal["round-robin", "active-backup", "broadcast", "lacp", "xor"]
LoadBalance = Literal["l2", "l23", "l34"]


class ConfigSection(BaseModel):
    """Strict: a value of another type is an error and is not converted; a key without a value counts as missing."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, given: Any) -> Any:
        if isinstance(given, dict) and None in given.values():
            return {key: value for key, value in given.items() if value is not None}
        return given


class EncapsulationSection(ConfigSection):
    dot1q: Vlan | None = None
    dot1ad: Vlan | None = None
    inner_dot1q: Vlan | None = Field(default=None, alias="inner-dot1q")
    exact_match: bool = Field(default=False, alias="exact-match")


class SubInterfaceSection(ConfigSection):
    description: Description = ""
    lcp: LcpName | None = None
    mtu: Mtu | None = None
    addresses: list[Address] = []
    unnumbered: str | None = None
    encapsulation: EncapsulationSection | None = None
    l2xc: str | None = None
    state: State = "up"
    mpls: bool = False


SubId = Annotated[int, Field(ge=1, le=4294967295)]


class InterfaceSection(ConfigSection):
    description: Description = ""
    mac: Mac | None = None
    lcp: LcpName | None = None
    mtu: Mtu = 1500
    addresses: Addresses = []
    unnumbered: str | None = None
    sub_interfaces: dict[SubId, SubInterfaceSection | None] = Field(default={}, alias="sub-interfaces")
    l2xc: str | None = None
    state: State = "up"
    mpls: bool = False
    device_type: Literal["dpdk", "af-packet", "rdma"] | None = Field(default=None, alias="device-type")
    sflow: bool = False


class BondEthernet(ConfigSection):
    description: Description = ""
    mac: Mac | None = None
    interfaces: list[str] = []
    mode: BondMode = "lacp"
    load_balance: LoadBalance | None = Field(default=None, alias="load-balance")


class Loopback(ConfigSection):
    description: Description = ""
    mac: Mac | None = None
    lcp: LcpName | None = None
    mtu: Mtu = 1500
    addresses: Addresses = []
    unnumbered: str | None = None
    mpls: bool = False


class BridgeSettings(ConfigSection):
    learn: bool = True
    unicast_flood: bool = Field(default=True, alias="unicast-flood")
    unknown_unicast_flood: bool = Field(default=True, alias="unknown-unicast-flood")
    unicast_forward: bool = Field(default=True, alias="unicast-forward")
    arp_termination: bool = Field(default=False, alias="arp-termination")
    arp_unicast_forward: bool = Field(default=False, alias="arp-unicast-forward")
    mac_age_minutes: Annotated[int, Field(ge=0, le=255)] = Field(default=0, alias="mac-age-minutes")


class BridgeDomainSection(ConfigSection):
    description: Description = ""
    mtu: Mtu = 1500
    bvi: Annotated[str, StringConstraints(pattern=r"^loop\d+$")] | None = None
    interfaces: list[str] = []
    settings: BridgeSettings = BridgeSettings()


class VxlanTunnelSection(ConfigSection):
    description: Description = ""
    local: Host
    remote: Host
    vni: Annotated[int, Field(ge=1, le=16777215)]


class TapHost(ConfigSection):
    name: HostName
    mac: Mac | None = None
    mtu: Mtu | None = None
    bridge: HostName | None = None
    bridge_create: bool = Field(default=False, alias="bridge-create")
    namespace: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[^\s/]+$")] | None = None
    namespace_create: bool = Field(default=False, alias="namespace-create")


class TapSection(ConfigSection):
    description: Description = ""
    host: TapHost
    rx_ring_size: Ring = Field(default=256, alias="rx-ring-size")
    tx_ring_size: Ring = Field(default=256, alias="tx-ring-size")


class PrefixList(ConfigSection):
    description: Description = ""
    members: list[Member] = []


class AclTerm(ConfigSection):
    description: Description = ""
    action: Literal["permit", "deny", "permit+reflect"]
    family: Literal["ipv4", "ipv6", "any"] = "any"
    source: str | None = None
    destination: str | None = None
    protocol: int | str | None = None
    source_port: int | str | None = Field(default=None, alias="source-port")
    destination_port: int | str | None = Field(default=None, alias="destination-port")
    icmp_type: int | str | None = Field(default=None, alias="icmp-type")
    icmp_code: int | str | None = Field(default=None, alias="icmp-code")


class AclSection(ConfigSection):
    description: Description = ""
    terms: Annotated[list[AclTerm], Field(min_length=1, max_length=100)]


class SflowSection(ConfigSection):
    header_bytes: Annotated[int, Field(ge=1, le=256)] = Field(default=128, alias="header-bytes")
    polling_interval: Annotated[int, Field(ge=5, le=600)] = Field(default=20, alias="polling-interval")
    sampling_rate: Annotated[int, Field(ge=100, le=1000000)] = Field(default=10000, alias="sampling-rate")


def _named(pattern: str, most: int = 64) -> Any:
    return Annotated[str, StringConstraints(pattern=f"^{pattern}$", max_length=most)]


class Config(ConfigSection):
    """A whole file. Empty is valid."""

    interfaces: dict[Annotated[str, StringConstraints(min_length=1)], InterfaceSection] = {}
    bondethernets: dict[_named(r"BondEthernet\d+"), BondEthernet] = {}  # type: ignore[valid-type]
    loopbacks: dict[_named(r"loop\d+"), Loopback] = {}  # type: ignore[valid-type]
    bridgedomains: dict[_named(r"bd\d+"), BridgeDomainSection] = {}  # type: ignore[valid-type]
    vxlan_tunnels: dict[_named(r"vxlan_tunnel\d+"), VxlanTunnelSection] = {}  # type: ignore[valid-type]
    taps: dict[_named(r"tap\d+"), TapSection] = {}  # type: ignore[valid-type]
    prefixlists: dict[_named(r"[a-z][a-z0-9-]+"), PrefixList] = {}  # type: ignore[valid-type]
    acls: dict[_named(r"[a-z][a-z0-9-]+", 56), AclSection] = {}  # type: ignore[valid-type]
    sflow: SflowSection | None = None
