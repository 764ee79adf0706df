"""Operations on a router, one typed class each; `cli` is VPP's command for it.

`interface` is the name of the operation's interface, `""` if it has none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from wirespeed.config.lookup import instance_of
from wirespeed.config.state import AclRuleState, BondState, Bridge, Encapsulation, SflowState, TapState, Vxlan


@dataclass(frozen=True, slots=True)
class Operation:
    """Root of them all."""

    def cli(self) -> Iterator[str]:
        """One line, or several where VPP has no single one."""
        raise NotImplementedError

    def values(self) -> dict[str, Any]:
        """For JSON: its name and its fields."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"operation": type(self).__name__, **given}


@dataclass(frozen=True, slots=True)
class InterfaceOperation(Operation):
    interface: str


# ---- Making and deleting interfaces


@dataclass(frozen=True, slots=True)
class Creation(InterfaceOperation):
    """An interface comes about."""


@dataclass(frozen=True, slots=True)
class Deletion(InterfaceOperation):
    """An interface goes."""


@dataclass(frozen=True, slots=True)
class CreateLoopback(Creation):
    mac: str | None = None

    def cli(self) -> Iterator[str]:
        mac = f" mac {self.mac}" if self.mac else ""
        yield f"create loopback interface instance {instance_of(self.interface)}{mac}"


@dataclass(frozen=True, slots=True)
class DeleteLoopback(Deletion):
    def cli(self) -> Iterator[str]:
        yield f"delete loopback interface intfc {self.interface}"


@dataclass(frozen=True, slots=True)
class CreateBond(Creation):
    bond: BondState
    mac: str | None = None

    def cli(self) -> Iterator[str]:
        balance = f" load-balance {self.bond.load_balance}" if self.bond.load_balance else ""
        mac = f" hw-addr {self.mac}" if self.mac else ""
        yield f"create bond id {instance_of(self.interface)} mode {self.bond.mode}{balance}{mac}"


@dataclass(frozen=True, slots=True)
class DeleteBond(Deletion):
    def cli(self) -> Iterator[str]:
        yield f"delete bond {self.interface}"


@dataclass(frozen=True, slots=True)
class CreateVxlan(Creation):
    vxlan: Vxlan

    def cli(self) -> Iterator[str]:
        yield f"{_vxlan(self.interface, self.vxlan)} decap-next l2"


@dataclass(frozen=True, slots=True)
class DeleteVxlan(Deletion):
    vxlan: Vxlan

    def cli(self) -> Iterator[str]:
        yield f"{_vxlan(self.interface, self.vxlan)} decap-next l2 del"


def _vxlan(name: str, vxlan: Vxlan) -> str:
    ends = f"src {vxlan.local} dst {vxlan.remote}"
    return f"create vxlan tunnel {ends} instance {instance_of(name)} vni {vxlan.vni}"


@dataclass(frozen=True, slots=True)
class CreateTap(Creation):
    tap: TapState

    def cli(self) -> Iterator[str]:
        options = {
            "host-mac-addr": self.tap.host_mac,
            "host-ns": self.tap.namespace,
            "host-bridge": self.tap.bridge,
            "host-mtu-size": self.tap.host_mtu,
            "rx-ring-size": self.tap.rx_ring,
            "tx-ring-size": self.tap.tx_ring,
        }
        told = "".join(f" {key} {value}" for key, value in options.items() if value is not None)
        yield f"create tap id {instance_of(self.interface)} host-if-name {self.tap.host_name}{told}"


@dataclass(frozen=True, slots=True)
class DeleteTap(Deletion):
    def cli(self) -> Iterator[str]:
        yield f"delete tap {self.interface}"


@dataclass(frozen=True, slots=True)
class CreateSub(Creation):
    parent: str
    sub_id: int
    encapsulation: Encapsulation

    def cli(self) -> Iterator[str]:
        own = self.encapsulation
        tags = f"{'dot1ad' if own.dot1ad else 'dot1q'} {own.outer}"
        tags += f" inner-dot1q {own.inner}" if own.inner else ""
        tags += " exact-match" if own.exact else ""
        yield f"create sub {self.parent} {self.sub_id} {tags}"


@dataclass(frozen=True, slots=True)
class DeleteSub(Deletion):
    def cli(self) -> Iterator[str]:
        yield f"delete sub {self.interface}"


# ---- Linux, bonds


@dataclass(frozen=True, slots=True)
class CreateLcp(InterfaceOperation):
    host: str
    namespace: str | None = None

    def cli(self) -> Iterator[str]:
        namespace = f" netns {self.namespace}" if self.namespace else ""
        yield f"lcp create {self.interface} host-if {self.host}{namespace}"


@dataclass(frozen=True, slots=True)
class DeleteLcp(InterfaceOperation):
    def cli(self) -> Iterator[str]:
        yield f"lcp delete {self.interface}"


@dataclass(frozen=True, slots=True)
class AddMember(InterfaceOperation):
    bond: str

    def cli(self) -> Iterator[str]:
        yield f"bond add {self.bond} {self.interface}"


@dataclass(frozen=True, slots=True)
class RemoveMember(InterfaceOperation):
    def cli(self) -> Iterator[str]:
        yield f"bond del {self.interface}"


# ---- Layer 2


@dataclass(frozen=True, slots=True)
class CreateBridge(Operation):
    ident: int
    settings: Bridge

    def cli(self) -> Iterator[str]:
        words = [f"create bridge-domain {self.ident}"]
        words += [f"{word} 0" for word, on in _on_at_first(self.settings) if not on]
        words += [f"{word} 1" for word, on in _off_at_first(self.settings) if on]
        words += [f"mac-age {self.settings.mac_age}"] if self.settings.mac_age else []
        yield " ".join(words)


@dataclass(frozen=True, slots=True)
class DeleteBridge(Operation):
    ident: int

    def cli(self) -> Iterator[str]:
        yield f"create bridge-domain {self.ident} del"


@dataclass(frozen=True, slots=True)
class SetBridge(Operation):
    """Only what differs between `before` and `settings`."""

    ident: int
    before: Bridge
    settings: Bridge

    def cli(self) -> Iterator[str]:
        was = dict([*_on_at_first(self.before), *_off_at_first(self.before)])
        for word, on in (*_on_at_first(self.settings), *_off_at_first(self.settings)):
            if on != was[word]:
                name = "arp term" if word == "arp-term" else word
                yield f"set bridge-domain {name} {self.ident}{'' if on else ' disable'}"
        if self.settings.mac_age != self.before.mac_age:
            yield f"set bridge-domain mac-age {self.ident} {self.settings.mac_age}"


def _on_at_first(settings: Bridge) -> tuple[tuple[str, bool], ...]:
    return (
        ("learn", settings.learn),
        ("flood", settings.flood),
        ("uu-flood", settings.uu_flood),
        ("forward", settings.forward),
    )


def _off_at_first(settings: Bridge) -> tuple[tuple[str, bool], ...]:
    return ("arp-term", settings.arp_term), ("arp-ufwd", settings.arp_ufwd)


@dataclass(frozen=True, slots=True)
class JoinBridge(InterfaceOperation):
    ident: int
    is_bvi: bool = False

    def cli(self) -> Iterator[str]:
        yield f"set interface l2 bridge {self.interface} {self.ident}{' bvi' if self.is_bvi else ''}"


@dataclass(frozen=True, slots=True)
class SetXconnect(InterfaceOperation):
    to: str

    def cli(self) -> Iterator[str]:
        yield f"set interface l2 xconnect {self.interface} {self.to}"


@dataclass(frozen=True, slots=True)
class SetL3(InterfaceOperation):
    """Out of bridge domain or cross-connect."""

    def cli(self) -> Iterator[str]:
        yield f"set interface l3 {self.interface}"


@dataclass(frozen=True, slots=True)
class SetTagRewrite(InterfaceOperation):
    """No file can ask for `push`: it is put back where a plan is undone."""

    pop: int
    push: tuple[int, ...] = ()
    dot1ad: bool = False

    def cli(self) -> Iterator[str]:
        words = f"pop {self.pop}" if self.pop else "disable"
        if self.push:
            tags = " ".join(str(tag) for tag in self.push)
            what = f"translate-{self.pop}-{len(self.push)}" if self.pop else "push"
            words = f"{what} {'dot1ad' if self.dot1ad else 'dot1q'} {tags}"
        yield f"set interface l2 tag-rewrite {self.interface} {words}"


# ---- Attributes


@dataclass(frozen=True, slots=True)
class SetLinkMtu(InterfaceOperation):
    mtu: int

    def cli(self) -> Iterator[str]:
        yield f"set interface mtu {self.mtu} {self.interface}"


@dataclass(frozen=True, slots=True)
class SetPacketMtu(InterfaceOperation):
    mtu: int

    def cli(self) -> Iterator[str]:
        yield f"set interface mtu packet {self.mtu} {self.interface}"


@dataclass(frozen=True, slots=True)
class AddAddress(InterfaceOperation):
    address: str

    def cli(self) -> Iterator[str]:
        yield f"set interface ip address {self.interface} {self.address}"


@dataclass(frozen=True, slots=True)
class DeleteAddress(InterfaceOperation):
    address: str

    def cli(self) -> Iterator[str]:
        yield f"set interface ip address del {self.interface} {self.address}"


@dataclass(frozen=True, slots=True)
class SetUnnumbered(InterfaceOperation):
    lender: str

    def cli(self) -> Iterator[str]:
        yield f"set interface unnumbered {self.interface} use {self.lender}"


@dataclass(frozen=True, slots=True)
class EndUnnumbered(InterfaceOperation):
    lender: str

    def cli(self) -> Iterator[str]:
        yield f"set interface unnumbered del {self.interface}"


@dataclass(frozen=True, slots=True)
class SetMac(InterfaceOperation):
    mac: str

    def cli(self) -> Iterator[str]:
        yield f"set interface mac address {self.interface} {self.mac}"


@dataclass(frozen=True, slots=True)
class SetMpls(InterfaceOperation):
    on: bool

    def cli(self) -> Iterator[str]:
        yield f"set interface mpls {self.interface} {'enable' if self.on else 'disable'}"


@dataclass(frozen=True, slots=True)
class SetInterfaceSflow(InterfaceOperation):
    on: bool

    def cli(self) -> Iterator[str]:
        yield f"sflow enable {self.interface}" if self.on else f"sflow enable-disable {self.interface} disable"


@dataclass(frozen=True, slots=True)
class SetSflow(Operation):
    """Only what differs between `before` and `settings`."""

    before: SflowState
    settings: SflowState

    def cli(self) -> Iterator[str]:
        for word in ("header_bytes", "polling_interval", "sampling_rate"):
            if getattr(self.settings, word) != getattr(self.before, word):
                yield f"sflow {word.replace('_', '-')} {getattr(self.settings, word)}"


@dataclass(frozen=True, slots=True)
class SetState(InterfaceOperation):
    up: bool

    def cli(self) -> Iterator[str]:
        yield f"set interface state {self.interface} {'up' if self.up else 'down'}"


# ---- Access lists


@dataclass(frozen=True, slots=True)
class SetAcl(Operation):
    """Create the access list, or replace the rules of the one with `index`."""

    name: str
    rules: tuple[AclRuleState, ...]
    index: int | None = None

    def cli(self) -> Iterator[str]:
        rules = ", ".join(map(_rule, self.rules))
        index = f" index {self.index}" if self.index is not None else ""
        yield f"set acl-plugin acl {rules}{index} tag {self.name}"


@dataclass(frozen=True, slots=True)
class DeleteAcl(Operation):
    name: str
    index: int | None

    def cli(self) -> Iterator[str]:
        yield f"delete acl-plugin acl index {0 if self.index is None else self.index}"


def _rule(rule: AclRuleState) -> str:
    text = f"{rule.action} src {rule.source} dst {rule.destination} proto {rule.protocol}"
    for word, ports in (("sport", rule.source_ports), ("dport", rule.destination_ports)):
        text += f" {word} {ports[0]}-{ports[1]}"
    return text
