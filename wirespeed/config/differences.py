"""The steps between two states, in no order yet: what has to go, to come and to be set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wirespeed.config import operations as ops
from wirespeed.config.state import (
    HARDWARE,
    PORT_MTU,
    TUNNEL_MTU,
    InterfaceState,
    InterfaceType,
    RouterState,
    SflowState,
    TagRewriteState,
    TapState,
)
from wirespeed.config.steps import ConfigStage, ConfigStep, Rank


def steps_between(current: RouterState, target: RouterState) -> list[ConfigStep]:
    """Steps that turn `current` into `target`. Settings that `target` leaves open (None) stay as they are."""
    return list(_Differences(current, target).steps())


def above(face: InterfaceState, subs: dict[tuple[str, int, bool], str]) -> str | None:
    """On which interface the LCP of a sub-interface stands: its parent, or the sub-interface of the outer tag; `subs`
    as `single_tags` has them."""
    own = face.encapsulation
    if own is None or face.parent is None:
        return None
    return subs.get((face.parent, own.outer, own.dot1ad)) if own.inner else face.parent


def single_tags(state: RouterState) -> dict[tuple[str, int, bool], str]:
    """Sub-interfaces of one tag by parent, tag and whether it is of 802.1ad; of two, the one with exact match."""
    by_tag: dict[tuple[str, int, bool], str] = {}
    for face in state.interfaces.values():
        own = face.encapsulation
        if own is not None and face.parent is not None and not own.inner:
            key = (face.parent, own.outer, own.dot1ad)
            if own.exact or key not in by_tag:
                by_tag[key] = face.name
    return by_tag


class _Differences:
    def __init__(self, current: RouterState, target: RouterState) -> None:
        self.current, self.target = current, target
        self.gone = self._gone()
        """Interfaces to delete, permanently or to create them again."""
        self.unpaired = self._unpaired()
        """Interfaces whose LCP is removed."""
        self.single_tags = single_tags(target)
        self.flapped: set[str] = set()
        """Ports that are taken down for a change of MTU, and brought up again with their sub-interfaces."""

    # ---- What cannot stay

    def _gone(self) -> set[str]:
        gone = set()
        for name, have in self.current.interfaces.items():
            want = self.target.interfaces.get(name)
            if have.kind is not InterfaceType.PORT and (want is None or not _same_origin(have, want)):
                gone.add(name)
        # An interface on top of a removed one is removed too.
        for name, have in self.current.interfaces.items():
            if have.parent in gone:
                gone.add(name)
        return gone

    def _unpaired(self) -> set[str]:
        subs = single_tags(self.current)
        unpaired: set[str] = set()
        for depth in range(3):
            for name, have in self.current.interfaces.items():
                if have.lcp is None or _tags(have) != depth:
                    continue
                want = self.target.interfaces.get(name)
                if name in self.gone or want is None or want.lcp != have.lcp or above(have, subs) in unpaired:
                    unpaired.add(name)
        return unpaired

    # ---- Steps

    def steps(self) -> Iterator[ConfigStep]:
        for name, have in self.current.interfaces.items():
            want = None if name in self.gone else self.target.interfaces.get(name)
            if name in self.gone or want is not None:
                yield from self._prune(have, want)
        yield from self._prune_rest()
        yield from self._create_rest()
        for want in self.target.interfaces.values():
            old = None if want.name in self.gone else self.current.interfaces.get(want.name)
            if old is None:
                yield from _create(want)
            left = self._left(old, want)
            yield from self._sync(left, want, is_new=old is None)
        yield from self._sync_states()

    def _left(self, old: InterfaceState | None, want: InterfaceState) -> InterfaceState:
        """An interface that stays as pruning leaves it; a new one as creation makes it."""
        if old is None:
            return InterfaceState(want.name, want.kind, encapsulation=want.encapsulation, parent=want.parent)
        leaves = self._leaves_layer2(old, want)
        return replace(
            old,
            addresses=tuple(one for one in old.addresses if one in want.addresses),
            unnumbered=None if self._ends_unnumbered(old, want) else old.unnumbered,
            lcp=None if old.name in self.unpaired else old.lcp,
            bridge=None if leaves else old.bridge,
            xconnect=None if leaves else old.xconnect,
            rewrite=TagRewriteState() if leaves else old.rewrite,
            bond_of=None if self._leaves_bond(old, want) else old.bond_of,
        )

    def _leaves_layer2(self, old: InterfaceState, want: InterfaceState | None) -> bool:
        if old.bridge is None and old.xconnect is None:
            return False
        now = None if want is None else (want.bridge, want.is_bvi, want.xconnect)
        return (old.bridge, old.is_bvi, old.xconnect) != now or old.xconnect in self.gone

    def _ends_unnumbered(self, old: InterfaceState, want: InterfaceState | None) -> bool:
        if old.unnumbered is None:
            return False
        return want is None or want.unnumbered != old.unnumbered or old.unnumbered in self.gone

    def _leaves_bond(self, old: InterfaceState, want: InterfaceState | None) -> bool:
        if old.bond_of is None:
            return False
        return want is None or want.bond_of != old.bond_of or old.bond_of in self.gone

    # ---- Prune

    def _prune(self, have: InterfaceState, want: InterfaceState | None) -> Iterator[ConfigStep]:
        def step(operation: ops.Operation, rank: Rank) -> ConfigStep:
            return ConfigStep(operation, ConfigStage.PRUNE, rank, name, _tags(have))

        name = have.name
        if want is None and have.up:
            yield step(ops.SetState(name, False), Rank.DOWN)
        for address in have.addresses:
            if want is None or address not in want.addresses:
                yield step(ops.DeleteAddress(name, address), Rank.DETACH)
        if have.unnumbered is not None and self._ends_unnumbered(have, want):
            yield step(ops.EndUnnumbered(name, have.unnumbered), Rank.DETACH)
        if self._leaves_bond(have, want):
            yield step(ops.RemoveMember(name), Rank.DETACH)
        if name in self.unpaired:
            yield step(ops.DeleteLcp(name), Rank.DELETE_LCP)
        if self._leaves_layer2(have, want):
            if have.rewrite != TagRewriteState():
                yield step(ops.SetTagRewrite(name, 0), Rank.LEAVE_LAYER2)
            yield step(ops.SetL3(name), Rank.LEAVE_LAYER2)
        if want is None:
            yield _deletion(have)

    def _prune_rest(self) -> Iterator[ConfigStep]:
        for ident in self.current.bridges:
            if ident not in self.target.bridges:
                yield ConfigStep(ops.DeleteBridge(ident), ConfigStage.PRUNE, Rank.DELETE_BRIDGE, f"bd{ident}")
        for name, acl in self.current.acls.items():
            if name not in self.target.acls:
                yield ConfigStep(ops.DeleteAcl(name, acl.index), ConfigStage.PRUNE, Rank.DELETE_ACL, name)

    # ---- Create and sync what is not an interface

    def _create_rest(self) -> Iterator[ConfigStep]:
        for ident, wanted in self.target.bridges.items():
            had = self.current.bridges.get(ident)
            if had is None:
                yield ConfigStep(ops.CreateBridge(ident, wanted), ConfigStage.CREATE, Rank.BRIDGE, f"bd{ident}")
            elif had != wanted:
                yield ConfigStep(ops.SetBridge(ident, had, wanted), ConfigStage.SYNC, Rank.BRIDGE_SETTING, f"bd{ident}")
        for name, acl in self.target.acls.items():
            old = self.current.acls.get(name)
            if old is None or old.rules != acl.rules:
                index = None if old is None else old.index
                yield ConfigStep(ops.SetAcl(name, acl.rules, index), ConfigStage.CREATE, Rank.ACL, name)
        had_sflow, wanted_sflow = self.current.sflow or SflowState(), self.target.sflow or SflowState()
        if wanted_sflow != had_sflow:
            yield ConfigStep(ops.SetSflow(had_sflow, wanted_sflow), ConfigStage.SYNC, Rank.SFLOW)

    # ---- Sync

    def _sync(self, have: InterfaceState, want: InterfaceState, is_new: bool) -> Iterator[ConfigStep]:
        def step(operation: ops.Operation, rank: Rank, stage: ConfigStage = ConfigStage.SYNC) -> ConfigStep:
            return ConfigStep(operation, stage, rank, name, _tags(want))

        name = want.name
        if want.lcp is not None and have.lcp is None:
            yield step(ops.CreateLcp(name, want.lcp, want.lcp_namespace), Rank.LCP, ConfigStage.CREATE)
        made_with_mac = is_new and want.kind in (InterfaceType.LOOPBACK, InterfaceType.BOND)
        # A port's own MAC address is set before it joins a bond, which lends it another while it is a member.
        is_member = want.bond_of is not None and want.bond_of == have.bond_of
        if want.mac is not None and want.mac != have.mac and not made_with_mac and not is_member:
            yield step(
                ops.SetMac(name, want.mac), Rank.LOOPBACK_MAC if want.kind is InterfaceType.LOOPBACK else Rank.MAC
            )
        if want.bond_of is not None and have.bond_of is None:
            yield step(ops.AddMember(name, want.bond_of), Rank.BOND_MEMBER)
        if want.bridge is not None and have.bridge is None:
            yield step(ops.JoinBridge(name, want.bridge, want.is_bvi), Rank.BRIDGE_MEMBER)
        if want.xconnect is not None and have.xconnect is None:
            yield step(ops.SetXconnect(name, want.xconnect), Rank.XCONNECT)
        if want.rewrite != have.rewrite:
            found = want.rewrite
            yield step(ops.SetTagRewrite(name, found.pop, found.push, found.dot1ad), Rank.TAG_REWRITE)
        yield from self._sync_mtus(have, want, is_new)
        for address in want.addresses:
            if address not in have.addresses:
                yield step(ops.AddAddress(name, address), Rank.ADDRESS)
        if want.unnumbered is not None and have.unnumbered is None:
            yield step(ops.SetUnnumbered(name, want.unnumbered), Rank.UNNUMBERED)
        if want.mpls != have.mpls:
            yield step(ops.SetMpls(name, want.mpls), Rank.MPLS)
        if want.sflow != have.sflow:
            yield step(ops.SetInterfaceSflow(name, want.sflow), Rank.SFLOW)

    def _sync_mtus(self, have: InterfaceState, want: InterfaceState, is_new: bool) -> Iterator[ConfigStep]:
        """Four passes: links grow, links shrink, packets shrink from the innermost, and grow from the outermost."""
        name, depth = want.name, _tags(want)
        if want.link_mtu is not None and want.link_mtu != have.link_mtu and want.kind in HARDWARE:
            shrinks = have.link_mtu is not None and want.link_mtu < have.link_mtu
            if want.kind is InterfaceType.PORT and have.up:
                self.flapped.add(name)
                yield ConfigStep(ops.SetState(name, False), ConfigStage.SYNC, Rank.MTU_DOWN, name, depth)
            rank = Rank.LINK_SHRINK if shrinks else Rank.LINK_GROW
            yield ConfigStep(ops.SetLinkMtu(name, want.link_mtu), ConfigStage.SYNC, rank, name, depth)
        if want.mtu is None or want.mtu == have.mtu:
            return
        shrinks = have.mtu is not None and want.mtu < have.mtu
        if is_new and want.parent is not None:
            shrinks = want.mtu < self._first_mtu(want)
        rank = Rank.PACKET_SHRINK if shrinks else Rank.PACKET_GROW
        yield ConfigStep(ops.SetPacketMtu(name, want.mtu), ConfigStage.SYNC, rank, name, depth)

    def _first_mtu(self, sub: InterfaceState) -> int:
        """Settings of a new sub-interface: at most those of its parent."""
        below = (sub.parent, above(sub, self.single_tags))
        kept = [self.current.interfaces.get(name or "") for name in below if name not in self.gone]
        first = TUNNEL_MTU if self.target.interfaces[sub.parent or ""].kind is InterfaceType.VXLAN else PORT_MTU
        return min((face.mtu for face in kept if face is not None and face.mtu is not None), default=first)

    def _sync_states(self) -> Iterator[ConfigStep]:
        """The bring-up comes last. Whatever is on an interface goes down with it, and comes up by its own step."""
        falls = set(self.flapped)
        for name, want in self.target.interfaces.items():
            have = self.current.interfaces.get(name)
            was_up = have is not None and have.up and name not in self.gone
            if was_up and not want.up:
                falls.add(name)
                if name not in self.flapped:
                    yield ConfigStep(ops.SetState(name, False), ConfigStage.SYNC, Rank.STATE_DOWN, name, _tags(want))
        for name, want in self.target.interfaces.items():
            have = self.current.interfaces.get(name)
            was_up = have is not None and have.up and name not in self.gone
            if want.up and (not was_up or name in falls or want.parent in falls):
                yield ConfigStep(ops.SetState(name, True), ConfigStage.SYNC, Rank.STATE_UP, name, _tags(want))


def _tags(face: InterfaceState) -> int:
    return 0 if face.encapsulation is None else face.encapsulation.tags


def _same_origin(have: InterfaceState, want: InterfaceState) -> bool:
    """True if the settings that only creation decides are equal."""
    if (have.kind, have.parent, have.sub_id, have.encapsulation) != (
        want.kind,
        want.parent,
        want.sub_id,
        want.encapsulation,
    ):
        return False
    if have.bond != want.bond or have.vxlan != want.vxlan:
        return False
    return have.tap is None or want.tap is None or _same_tap(have.tap, want.tap)


def _same_tap(have: TapState, want: TapState) -> bool:
    """MAC, MTU and rings that are left open stay as they are; without a namespace or a bridge Linux's end has none."""
    open_ones = ("host_mac", "host_mtu", "rx_ring", "tx_ring")
    kept = all(getattr(want, field) in (None, getattr(have, field)) for field in open_ones)
    return kept and (have.host_name, have.bridge, have.namespace) == (want.host_name, want.bridge, want.namespace)


def _create(want: InterfaceState) -> Iterator[ConfigStep]:
    name = want.name

    def step(operation: ops.Operation, rank: Rank) -> ConfigStep:
        return ConfigStep(operation, ConfigStage.CREATE, rank, name, _tags(want))

    if want.kind is InterfaceType.LOOPBACK:
        yield step(ops.CreateLoopback(name, want.mac), Rank.LOOPBACK)
    elif want.bond is not None:
        yield step(ops.CreateBond(name, want.bond, want.mac), Rank.BOND)
    elif want.vxlan is not None:
        yield step(ops.CreateVxlan(name, want.vxlan), Rank.VXLAN)
    elif want.tap is not None:
        yield step(ops.CreateTap(name, want.tap), Rank.TAP)
    elif want.encapsulation is not None and want.parent is not None:
        yield step(ops.CreateSub(name, want.parent, want.sub_id, want.encapsulation), Rank.SUB)


def _deletion(have: InterfaceState) -> ConfigStep:
    name = have.name

    def step(operation: ops.Operation, rank: Rank) -> ConfigStep:
        return ConfigStep(operation, ConfigStage.PRUNE, rank, name, _tags(have))

    if have.vxlan is not None:
        return step(ops.DeleteVxlan(name, have.vxlan), Rank.DELETE_VXLAN)
    match have.kind:
        case InterfaceType.LOOPBACK:
            return step(ops.DeleteLoopback(name), Rank.DELETE_LOOPBACK)
        case InterfaceType.BOND:
            return step(ops.DeleteBond(name), Rank.DELETE_BOND)
        case InterfaceType.TAP:
            return step(ops.DeleteTap(name), Rank.DELETE_TAP)
    return step(ops.DeleteSub(name), Rank.DELETE_SUB)
