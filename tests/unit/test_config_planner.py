"""Plans between any two configurations, held against a simulated VPP that refuses what VPP would."""

from __future__ import annotations

from dataclasses import fields

import pytest
from config_pairs import PORTS, config_of
from simulated_vpp import Vpp

from wirespeed.config.plan import plan
from wirespeed.config.schema import Config
from wirespeed.config.state import Interface, Sflow, State
from wirespeed.config.target import bare_state, target_state

BARE = bare_state(Config.model_validate({"interfaces": {port: {} for port in PORTS}}))


def run(state: State, target: State) -> State:
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


def wrong_fields(have: Interface, want: Interface) -> dict[str, tuple[object, object]]:
    """Those that differ, but for what `want` leaves open."""
    pairs = {field.name: (getattr(have, field.name), getattr(want, field.name)) for field in fields(Interface)}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1] and (name not in OPEN or pair[1])}


def differences(have: State, want: State) -> list[object]:
    """What `have` is not, of what `want` says."""
    found: list[object] = [*(set(have.interfaces) ^ set(want.interfaces))]
    for name, face in want.interfaces.items():
        if name in have.interfaces:
            wrong = wrong_fields(have.interfaces[name], face)
            found += [(name, wrong)] if wrong else []
    found += [] if dict(have.bridges) == dict(want.bridges) else [("bridges", have.bridges, want.bridges)]
    have_acls = {name: acl.rules for name, acl in have.acls.items()}
    want_acls = {name: acl.rules for name, acl in want.acls.items()}
    found += [] if have_acls == want_acls else [("acls", have_acls, want_acls)]
    found += [] if (want.sflow or Sflow()) == (have.sflow or Sflow()) else [("sflow", have.sflow, want.sflow)]
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
