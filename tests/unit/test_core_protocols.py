"""Each core and its stand-in take what the protocol says, down to names and defaults, which mypy lets differ."""

from __future__ import annotations

from inspect import Parameter, getmembers, isfunction, signature

import pytest
from fake_generator import FakeGenerator
from fake_linux import FakeLinuxHost
from fake_router import FakeRouterCore

from wirespeed._native.generator import GeneratorCore, NativeGenerator
from wirespeed.router.core import RouterCore
from wirespeed.router.features import core_of, features
from wirespeed.router.features.lcp.native import LinuxHost
from wirespeed.router.native import NativeRouter


def offered(core: type) -> dict[str, list[Parameter]]:
    calls = getmembers(core, isfunction)
    return {name: list(signature(call).parameters.values()) for name, call in calls if not name.startswith("_")}


@pytest.mark.parametrize(
    ("protocol", "core"),
    [
        (GeneratorCore, NativeGenerator),
        (GeneratorCore, FakeGenerator),
        (RouterCore, NativeRouter),
        (RouterCore, FakeRouterCore),
        (LinuxHost, FakeLinuxHost),
    ],
)
def test_a_core_offers_the_calls_of_its_protocol(protocol: type, core: type) -> None:
    wanted, there = offered(protocol), offered(core)
    assert {name: there.get(name) for name in wanted} == wanted


@pytest.mark.parametrize("feature", features())
def test_the_stand_in_of_a_feature_offers_its_calls(feature: str) -> None:
    wanted, there = offered(core_of(feature)), offered(type(getattr(FakeRouterCore(), feature)))
    assert {name: there.get(name) for name in wanted} == wanted
