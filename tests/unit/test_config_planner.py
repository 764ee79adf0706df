"""Plans between any two configurations, executed on a simulated VPP that refuses what VPP would refuse."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from config_pairs import PORTS, config_of
from config_walk import PORTS as WALKED_PORTS
from config_walk import walked
from simulated_vpp import Vpp

from wirespeed.config import operations as ops
from wirespeed.config.check import rule_findings
from wirespeed.config.plan import plan
from wirespeed.config.router_device import router_lacks
from wirespeed.config.schema import Config
from wirespeed.config.state import InterfaceState, RouterState, SflowState, TagRewriteState
from wirespeed.config.target import bare_state, target_state

BARE = bare_state(Config.model_validate({"interfaces": {port: {} for port in PORTS}}))


def run(state: RouterState, target: RouterState) -> RouterState:
    """`state` after the plan to `target`."""
    vpp = Vpp(state)
    made = plan(state, target)
    stages = [step.stage for step in made.steps]
    assert stages == sorted(stages)
    for place, step in enumerate(made.steps):
        assert all(reason.step < place for reason in made.reasons[place])
        vpp.run(step.operation)
    return vpp.state()


OPEN = ("mac", "mtu", "link_mtu", "lcp_namespace")


def wrong_fields(have: InterfaceState, want: InterfaceState) -> dict[str, tuple[object, object]]:
    """Fields that differ, except for those that `want` leaves open."""
    pairs = {field.name: (getattr(have, field.name), getattr(want, field.name)) for field in fields(InterfaceState)}
    if want.bond_of is not None:
        del pairs["mac"]  # a bond gives its members its own address
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1] and (name not in OPEN or pair[1])}


def differences(have: RouterState, want: RouterState) -> list[object]:
    """Differences of `have` from the settings in `want`."""
    found: list[object] = [*(set(have.interfaces) ^ set(want.interfaces))]
    for name, face in want.interfaces.items():
        if name in have.interfaces:
            wrong = wrong_fields(have.interfaces[name], face)
            found += [(name, wrong)] if wrong else []
    found += [] if dict(have.bridges) == dict(want.bridges) else [("bridges", have.bridges, want.bridges)]
    have_acls = {name: acl.rules for name, acl in have.acls.items()}
    want_acls = {name: acl.rules for name, acl in want.acls.items()}
    found += [] if have_acls == want_acls else [("acls", have_acls, want_acls)]
    found += [] if (want.sflow or SflowState()) == (have.sflow or SflowState()) else [("sflow", have.sflow, want.sflow)]
    return found


PARTS = 8
PAIRS = 250
"""Pairs of configurations in each part."""


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.long("1750 more pairs")) for part in range(1, PARTS))]
)
def test_any_configuration_is_reached_from_any_other_and_back_again(part: int) -> None:
    for pair in range(PAIRS * part, PAIRS * (part + 1)):
        one, other = config_of(2 * pair), config_of(2 * pair + 1)
        first = run(BARE, target_state(one, BARE))
        assert not differences(first, target_state(one, BARE)), pair
        second = run(first, target_state(other, BARE))
        assert not differences(second, target_state(other, BARE)), pair
        assert not plan(second, target_state(other, BARE)).steps, f"the second plan of pair {pair} is not empty"
        back = run(second, first)
        assert not differences(back, first), pair


WALKED = walked()


@pytest.mark.parametrize("start", WALKED)
def test_each_configuration_of_a_walk_is_reached_from_each_other(start: str) -> None:
    bare = bare_state(Config.model_validate({"interfaces": {port: {} for port in WALKED_PORTS}}))
    configs = {name: Config.model_validate(raw) for name, raw in WALKED.items()}
    assert [finding.text(start) for finding in rule_findings(configs[start])] == []
    begun = run(bare, target_state(configs[start], bare))
    for name, config in configs.items():
        target = target_state(config, bare)
        reached = run(begun, target)
        assert not differences(reached, target), name
        assert not plan(reached, target).steps, f"the second plan from {start} to {name} is not empty"


def test_a_member_of_a_bond_has_its_own_mac_address_before_and_after() -> None:
    """While it is a member it has the bond's address, and no change is planned."""
    mac, other = "02:00:00:00:0c:01", "02:00:00:00:0c:02"

    def bonded(own: str, *members: str) -> RouterState:
        faces = {port: {} for port in PORTS} | {PORT: {"mac": own}, "BondEthernet0": {}}
        return state_of(interfaces=faces, bondethernets={"BondEthernet0": {"interfaces": [*members]}})

    lines = made(BARE, bonded(mac, PORT))
    assert lines.index(f"set interface mac address {PORT} {mac}") < lines.index(f"bond add BondEthernet0 {PORT}")
    joined = run(BARE, bonded(mac, PORT))
    assert made(joined, bonded(other, PORT)) == []
    assert made(joined, bonded(other)) == [f"bond del {PORT}", f"set interface mac address {PORT} {other}"]


PORT = PORTS[0]


def state_of(**sections: object) -> RouterState:
    given = Config.model_validate({"interfaces": {port: {} for port in PORTS}, **sections})
    return target_state(given, BARE)


def made(have: RouterState, want: RouterState) -> list[str]:
    """The lines of a plan, after which a router is in state `want`."""
    assert not differences(run(have, want), want)
    return list(plan(have, want).lines())


@pytest.mark.parametrize("mtu", [1500, 9000, 9216])
def test_a_bond_has_no_mtu_of_its_link(mtu: int) -> None:
    """VPP refuses one (-126). A bond has an MTU for packets."""
    faces = {port: {} for port in PORTS} | {PORT: {"mtu": mtu}, "BondEthernet0": {"mtu": mtu}}
    bond = {"BondEthernet0": {"interfaces": [PORT], "mode": "lacp"}}
    lines = made(BARE, state_of(interfaces=faces, bondethernets=bond))
    assert [line for line in lines if "mtu" in line and "Bond" in line] == [
        f"set interface mtu packet {mtu} BondEthernet0"
    ]


def test_a_tunnel_has_sub_interfaces_on_vpp_and_on_our_router() -> None:
    faces = {port: {} for port in PORTS} | {"vxlan_tunnel0": {"sub-interfaces": {100: {"description": "customer"}}}}
    tunnel = {"vxlan_tunnel0": {"local": "192.0.2.1", "remote": "192.0.2.2", "vni": 10}}
    target = state_of(interfaces=faces, vxlan_tunnels=tunnel)
    assert "create sub vxlan_tunnel0 100 dot1q 100 exact-match" in made(BARE, target)
    assert not any(router_lacks(step.operation) for step in plan(BARE, target).steps)


def tap(**host: object) -> RouterState:
    faces = {port: {} for port in PORTS} | {"tap100": {}}
    return state_of(interfaces=faces, taps={"tap100": {"host": {"name": "vpp-tap100", **host}}})


@pytest.mark.parametrize(
    ("have", "want", "anew"),
    [
        ({}, {"mac": "02:fe:00:00:00:01"}, True),
        ({"mac": "02:fe:00:00:00:01"}, {"mac": "02:fe:00:00:00:02"}, True),
        ({"mac": "02:fe:00:00:00:01"}, {}, False),  # a MAC address that is left open stays
        ({}, {"namespace": "test"}, True),
        ({"namespace": "test"}, {}, True),
        ({"bridge": "br0"}, {"bridge": "br1"}, True),
        ({"bridge": "br0"}, {}, True),
        ({}, {"mtu": 1400}, True),
        ({"mac": "02:fe:00:00:00:01", "namespace": "test"}, {"mac": "02:fe:00:00:00:01", "namespace": "test"}, False),
    ],
)
def test_a_tap_whose_linux_end_changes_is_made_anew(have: dict[str, str], want: dict[str, str], anew: bool) -> None:
    vpp, target = Vpp(run(BARE, tap(**have))), tap(**want)
    lines = [step.operation for step in plan(vpp.state(), target).steps]
    for operation in lines:
        vpp.run(operation)
    assert [type(one).__name__ for one in lines if "Tap" in type(one).__name__] == ["DeleteTap", "CreateTap"] * anew
    assert not plan(vpp.state(), target).steps


@pytest.mark.parametrize(
    "rewrite", [TagRewriteState(1), TagRewriteState(0, (5,)), TagRewriteState(1, (5, 6), dot1ad=True)]
)
@pytest.mark.parametrize("bridged", [False, True])
def test_a_tag_rewrite_that_no_file_asks_for_ends_and_comes_back(rewrite: TagRewriteState, bridged: bool) -> None:
    faces = {port: {} for port in PORTS} | {PORT: {"sub-interfaces": {100: {}}}}
    bridges = {"bridgedomains": {"bd1": {"interfaces": [f"{PORT}.100"]}}} if bridged else {}
    target = state_of(interfaces=faces, **bridges)
    clean = run(BARE, target)
    sub = replace(clean.interfaces[f"{PORT}.100"], rewrite=rewrite)
    typed = RouterState({**clean.interfaces, sub.name: sub}, clean.bridges, clean.acls, clean.sflow)
    wanted = [] if bridged and rewrite.pop and not rewrite.push else ["pop 1" if bridged else "disable"]
    lines = [line for line in plan(typed, target).lines() if "tag-rewrite" in line]
    assert lines == [f"set interface l2 tag-rewrite {sub.name} {words}" for words in wanted]
    assert not differences(run(typed, target), target)
    back = [step.operation for step in plan(run(typed, target), typed).steps]
    assert [one.push for one in back if isinstance(one, ops.SetTagRewrite)] == [rewrite.push] * len(wanted)
