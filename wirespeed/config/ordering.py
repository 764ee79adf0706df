"""Why one step of a plan comes before another: each reason a line, found by what the two steps are about.

Edges go from a step to those that it has to wait for. Everything is looked up, so that plans of any size are
ordered in time that grows as they do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_interface

from wirespeed.config import operations as ops
from wirespeed.config.differences import above, single_tags
from wirespeed.config.state import RouterState
from wirespeed.config.steps import ConfigStage, ConfigStep, Rank

Network = IPv4Network | IPv6Network
Edge = tuple[int, int, str]
"""The step that waits, the one it waits for, and why."""


@lru_cache(maxsize=65_536)
def network_of(address: str) -> Network:
    """The network of an address with its length."""
    return ip_interface(address).network


class Ordering:
    """The edges between `steps`, which lead from `current` to `target`."""

    def __init__(self, steps: Sequence[ConfigStep], current: RouterState, target: RouterState) -> None:
        self._steps = steps
        self._current, self._target = current, target
        self._by_interface: dict[tuple[type[ops.Operation], str], list[int]] = defaultdict(list)
        self._all: dict[str, list[int]] = defaultdict(list)
        for place, step in enumerate(steps):
            if isinstance(step.operation, ops.InterfaceOperation):
                self._by_interface[_kind(step.operation), step.operation.interface].append(place)
                self._all[step.operation.interface].append(place)
        self._current_subs = _subs(current)
        self._target_subs = _subs(target)
        self._single_after = single_tags(target)
        self._stacked_before = _stacked(current, single_tags(current))
        self._stacked_after = _stacked(target, self._single_after)
        self._borrowers = _referring(current, "unnumbered")
        self._connected = _referring(current, "xconnect")
        self._members = _referring(current, "bridge")
        self._bond_members = _referring(current, "bond_of")
        self._vnis = {face.vxlan.vni: face.name for face in current.interfaces.values() if face.vxlan is not None}
        self._host_ends = self._freed_host_names()
        self._freed = self._freed_networks()

    def edges(self) -> Iterator[Edge]:
        """Each once or more often; none leads from an earlier stage to a later one."""
        for place, step in enumerate(self._steps):
            for before, why in self._before(step):
                if before != place:
                    yield place, before, why

    def _of(self, name: str | None, *kinds: type[ops.Operation], stage: ConfigStage | None = None) -> Iterator[int]:
        """Steps on the interface `name` of these kinds."""
        if name is not None:
            for kind in kinds:
                for place in self._by_interface.get((kind, name), ()):
                    if stage is None or self._steps[place].stage is stage:
                        yield place

    def _before(self, step: ConfigStep) -> Iterator[tuple[int, str]]:
        operation = step.operation
        if isinstance(operation, ops.InterfaceOperation):
            name = operation.interface
            if not isinstance(operation, ops.Creation) and step.stage is not ConfigStage.PRUNE:
                yield from _because(self._of(name, ops.Creation), "the interface is made first")
        match operation:
            case ops.Deletion():
                yield from self._before_deletion(operation.interface)
            case ops.Creation():
                yield from self._before_creation(operation)
            case ops.DeleteLcp():
                yield from self._before_delete_lcp(operation.interface)
            case ops.CreateLcp():
                yield from self._before_create_lcp(operation)
            case ops.SetL3():
                rewrites = self._of(operation.interface, ops.SetTagRewrite, stage=ConfigStage.PRUNE)
                yield from _because(rewrites, "its tag rewrite ends while it is in layer 2")
            case ops.DeleteBridge():
                for member in self._members.get(operation.ident, ()):
                    yield from _because(self._of(member, ops.SetL3), "a bridge domain that goes has no members")
            case ops.DeleteAddress():
                for borrower in self._borrowers.get(operation.interface, ()):
                    yield from _because(
                        self._of(borrower, ops.EndUnnumbered), "who uses the address lets go of it first"
                    )
            case _:
                yield from self._before_setting(step)

    # ---- Interfaces and pairs that go and come

    def _before_deletion(self, name: str) -> Iterator[tuple[int, str]]:
        yield from _because(self._of(name, ops.SetState, stage=ConfigStage.PRUNE), "an interface that goes is down")
        detach = (ops.DeleteAddress, ops.EndUnnumbered)
        yield from _because(self._of(name, *detach), "its addresses go before the interface")
        yield from _because(self._of(name, ops.DeleteLcp), "its pair in Linux goes before the interface")
        yield from _because(self._of(name, ops.SetL3), "it leaves layer 2 before it goes")
        for sub in self._current_subs.get(name, ()):
            yield from _because(self._of(sub, ops.Deletion), "children die before their parent")
        for borrower in self._borrowers.get(name, ()):
            yield from _because(self._of(borrower, ops.EndUnnumbered), "nobody uses the addresses of what goes")
        for source in self._connected.get(name, ()):
            yield from _because(self._of(source, ops.SetL3), "nothing is cross-connected to what goes")
        for member in self._bond_members.get(name, ()):
            yield from _because(self._of(member, ops.RemoveMember), "a bond that goes has no members")

    def _before_creation(self, operation: ops.Creation) -> Iterator[tuple[int, str]]:
        yield from _because(self._of(operation.interface, ops.Deletion), "what cannot be changed is made again")
        match operation:
            case ops.CreateSub():
                yield from _because(self._of(operation.parent, ops.Creation), "parents are born before children")
                for sub in self._current_subs.get(operation.parent, ()):
                    if self._current.interfaces[sub].encapsulation == operation.encapsulation:
                        yield from _because(self._of(sub, ops.Deletion), "its tags are free then")
            case ops.CreateVxlan():
                yield from _because(self._of(self._vnis.get(operation.vxlan.vni), ops.Deletion), "its VNI is free then")
            case ops.CreateTap():
                yield from _because(self._host_ends.get(operation.tap.host_name, ()), "its name in Linux is free then")

    def _before_delete_lcp(self, name: str) -> Iterator[tuple[int, str]]:
        for sub in self._stacked_before.get(name, ()):
            yield from _because(self._of(sub, ops.DeleteLcp), "what stands on it in Linux goes first")

    def _before_create_lcp(self, operation: ops.CreateLcp) -> Iterator[tuple[int, str]]:
        name = operation.interface
        below = above(self._target.interfaces[name], self._single_after)
        yield from _because(self._of(below, ops.CreateLcp), "what it stands on in Linux comes first")
        yield from _because(self._of(name, ops.DeleteLcp), "a pair has one name at a time")
        yield from _because(self._of(name, ops.SetL3), "it routes before Linux has it")
        yield from _because(self._host_ends.get(operation.host, ()), "its name in Linux is free then")

    # ---- Settings

    def _before_setting(self, step: ConfigStep) -> Iterator[tuple[int, str]]:
        operation, rank = step.operation, step.rank
        match operation:
            case ops.JoinBridge() | ops.SetXconnect() | ops.AddMember():
                yield from self._before_layer2(operation)
            case ops.SetTagRewrite() if step.stage is ConfigStage.SYNC:
                joins = (ops.JoinBridge, ops.SetXconnect)
                yield from _because(self._of(operation.interface, *joins), "tags are rewritten in layer 2")
            case ops.SetLinkMtu():
                down = (
                    place
                    for place in self._of(operation.interface, ops.SetState)
                    if self._steps[place].rank is Rank.MTU_DOWN
                )
                yield from _because(down, "a port is down while its MTU changes")
            case ops.SetPacketMtu():
                yield from self._before_packet_mtu(operation.interface, rank)
            case ops.AddAddress():
                yield from self._before_address(operation)
            case ops.SetUnnumbered():
                yield from self._before_unnumbered(operation)
            case ops.SetState() if step.stage is ConfigStage.SYNC:
                yield from self._before_state(operation, rank)
            case ops.SetState():
                for sub in self._current_subs.get(operation.interface, ()):
                    downs = self._of(sub, ops.SetState, stage=ConfigStage.PRUNE)
                    yield from _because(downs, "children go down before their parent")

    def _before_layer2(self, operation: ops.JoinBridge | ops.SetXconnect | ops.AddMember) -> Iterator[tuple[int, str]]:
        names = [operation.interface]
        if isinstance(operation, ops.SetXconnect):
            names.append(operation.to)
            yield from _because(self._of(operation.to, ops.Creation), "both ends of a cross-connect are there")
        elif isinstance(operation, ops.AddMember):
            yield from _because(self._of(operation.bond, ops.Creation), "the bond is there first")
            yield from _because(self._of(operation.interface, ops.SetMac), "a member takes no MAC address of its own")
            for sub in self._current_subs.get(operation.interface, ()):
                yield from _because(self._of(sub, ops.Deletion), "a member has no sub-interfaces")
        elif operation.is_bvi:
            for member in self._members.get(operation.ident, ()):
                yield from _because(self._of(member, ops.SetL3), "a bridge domain has one BVI at a time")
        for name in names:
            yield from _because(self._of(name, ops.SetL3, ops.RemoveMember), "it leaves what it was in")
            layer3 = (ops.DeleteAddress, ops.EndUnnumbered, ops.DeleteLcp)
            yield from _because(self._of(name, *layer3), "nothing of layer 3 is left on it")
            for borrower in self._borrowers.get(name, ()):
                yield from _because(self._of(borrower, ops.EndUnnumbered), "nobody uses its addresses any more")

    def _before_packet_mtu(self, name: str, rank: Rank) -> Iterator[tuple[int, str]]:
        face = self._target.interfaces[name]
        port = face.parent or name
        yield from _because(self._of(port, ops.SetLinkMtu), "packets fit what the link carries")
        if rank is Rank.PACKET_SHRINK:
            for sub in self._target_subs.get(name, self._stacked_after.get(name, ())):
                yield from _because(self._mtus(sub, rank), "the inner MTU shrinks before the outer one")
        elif face.parent is not None:
            for below in (face.parent, above(face, self._single_after)):
                yield from _because(self._mtus(below, rank), "the outer MTU grows before the inner one")

    def _states(self, name: str, rank: Rank) -> Iterator[int]:
        return (place for place in self._of(name, ops.SetState) if self._steps[place].rank is rank)

    def _mtus(self, name: str | None, rank: Rank) -> Iterator[int]:
        return (place for place in self._of(name, ops.SetPacketMtu) if self._steps[place].rank is rank)

    def _before_address(self, operation: ops.AddAddress) -> Iterator[tuple[int, str]]:
        name = operation.interface
        yield from _because(self._of(name, ops.SetL3, ops.RemoveMember), "it routes before it has addresses")
        yield from _because(self._of(name, ops.EndUnnumbered), "it uses no other's addresses when it has its own")
        yield from _because(self._of(name, ops.CreateLcp), "Linux has it before it has addresses, and hears of them")
        yield from _because(self._of(name, ops.JoinBridge), "a BVI joins before it has addresses")
        for source in self._connected.get(name, ()):
            yield from _because(self._of(source, ops.SetL3), "nothing is cross-connected to it any more")
        network = network_of(operation.address)
        for length, version in self._freed_lengths:
            if version == network.version and length <= network.prefixlen:
                around = network.supernet(new_prefix=length)
                yield from _because(self._freed.get(str(around), ()), "the network is free then")
        yield from _because(self._freed_within.get(str(network), ()), "the network is free then")

    def _freed_networks(self) -> Mapping[str, list[int]]:
        """Removed addresses by their network, and by each network of an added address that contains theirs."""
        freed: dict[str, list[int]] = defaultdict(list)
        added = [step.operation.address for step in self._steps if isinstance(step.operation, ops.AddAddress)]
        lengths = {(network.prefixlen, network.version) for network in map(network_of, added)}
        self._freed_lengths: set[tuple[int, int]] = set()
        self._freed_within: dict[str, list[int]] = defaultdict(list)
        for place, step in enumerate(self._steps):
            if isinstance(step.operation, ops.DeleteAddress):
                network = network_of(step.operation.address)
                freed[str(network)].append(place)
                self._freed_lengths.add((network.prefixlen, network.version))
                for length, version in lengths:
                    if version == network.version and length < network.prefixlen:
                        self._freed_within[str(network.supernet(new_prefix=length))].append(place)
        return freed

    def _freed_host_names(self) -> Mapping[str, list[int]]:
        """Operations that make a name of Linux free."""
        freed: dict[str, list[int]] = defaultdict(list)
        for place, step in enumerate(self._steps):
            if isinstance(step.operation, ops.DeleteLcp | ops.DeleteTap):
                face = self._current.interfaces[step.operation.interface]
                name = face.lcp if isinstance(step.operation, ops.DeleteLcp) else face.tap and face.tap.host_name
                freed[name or ""].append(place)
        return freed

    def _before_unnumbered(self, operation: ops.SetUnnumbered) -> Iterator[tuple[int, str]]:
        name, lender = operation.interface, operation.lender
        yield from _because(self._of(name, ops.DeleteAddress), "it has no addresses of its own then")
        yield from _because(self._of(name, ops.EndUnnumbered, ops.SetL3), "it leaves what it was before")
        yield from _because(self._of(lender, ops.Creation, ops.AddAddress), "the addresses that it uses are there")
        yield from _because(self._of(lender, ops.EndUnnumbered, ops.SetL3), "the lender has addresses of its own")
        for borrower in self._borrowers.get(name, ()):
            yield from _because(self._of(borrower, ops.EndUnnumbered), "nobody uses its addresses any more")

    def _before_state(self, operation: ops.SetState, rank: Rank) -> Iterator[tuple[int, str]]:
        name = operation.interface
        if rank is Rank.STATE_UP:
            rest = (place for place in self._all[name] if self._steps[place].rank is not Rank.STATE_UP)
            yield from _because(rest, "the bring-up comes last")
            face = self._target.interfaces[name]
            yield from _because(self._of(face.parent, ops.SetState), "the parent is up first")
        elif rank is Rank.STATE_DOWN:
            for sub in self._target_subs.get(name, ()):
                downs = self._states(sub, Rank.STATE_DOWN)
                yield from _because(downs, "children go down before their parent")


def _because(places: Iterator[int] | Sequence[int], why: str) -> Iterator[tuple[int, str]]:
    return ((place, why) for place in places)


def _kind(operation: ops.Operation) -> type[ops.Operation]:
    """Creations and deletions are looked up as such, whatever they make."""
    for kind in (ops.Creation, ops.Deletion):
        if isinstance(operation, kind):
            return kind
    return type(operation)


def _subs(state: RouterState) -> dict[str, list[str]]:
    by_parent: dict[str, list[str]] = defaultdict(list)
    for face in state.interfaces.values():
        if face.parent is not None:
            by_parent[face.parent].append(face.name)
    return by_parent


def _stacked(state: RouterState, subs: dict[tuple[str, int, bool], str]) -> dict[str, list[str]]:
    """Sub-interfaces by their parent in Linux."""
    by_lower: dict[str, list[str]] = defaultdict(list)
    for face in state.interfaces.values():
        below = above(face, subs)
        if below is not None:
            by_lower[below].append(face.name)
    return by_lower


def _referring(state: RouterState, field: str) -> dict[object, list[str]]:
    by_value: dict[object, list[str]] = defaultdict(list)
    for face in state.interfaces.values():
        value = getattr(face, field)
        if value is not None:
            by_value[value].append(face.name)
    return by_value
