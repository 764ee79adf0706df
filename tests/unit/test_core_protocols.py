"""The fake of each core has the core's functions, including parameter names and defaults."""

from __future__ import annotations

from inspect import Parameter, getmembers, isfunction, signature

import pytest
from fake_counting import FakeCounting
from fake_generator import FakeGenerator
from fake_ip6 import FakeIp6
from fake_linux import FakeLinuxHost
from fake_router import FakeRouterCore
from fake_tables import FakeTables

from wirespeed._native.counting import RouteCounters
from wirespeed._native.generator import NativeGenerator
from wirespeed._native.ip6 import Ip6
from wirespeed._native.tables import Tables
from wirespeed.router.features import core_of, features
from wirespeed.router.features.lcp.native import LinuxHost
from wirespeed.router.native import NativeRouter


def offered(core: type) -> dict[str, list[Parameter]]:
    calls = getmembers(core, isfunction)
    return {name: list(signature(call).parameters.values()) for name, call in calls if not name.startswith("_")}


@pytest.mark.parametrize(
    ("core", "stand_in"),
    [
        (NativeGenerator, FakeGenerator),
        (NativeRouter, FakeRouterCore),
        (LinuxHost, FakeLinuxHost),
        (RouteCounters, FakeCounting),
        (Ip6, FakeIp6),
        (Tables, FakeTables),
    ],
)
def test_a_stand_in_offers_the_calls_of_its_core(core: type, stand_in: type) -> None:
    wanted, there = offered(core), offered(stand_in)
    assert {name: there.get(name) for name in wanted} == wanted


@pytest.mark.parametrize("feature", features())
def test_the_stand_in_of_a_feature_offers_its_calls(feature: str) -> None:
    wanted, there = offered(core_of(feature)), offered(type(getattr(FakeRouterCore(), feature)))
    assert {name: there.get(name) for name in wanted} == wanted
