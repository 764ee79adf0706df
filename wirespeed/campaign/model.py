"""A campaign file as values: testbeds, DUTs, tests, order, limits. Pure."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from wirespeed.campaign.tests import AnyTest, CampaignPart, Directions, Text, as_tuple, read_by
from wirespeed.testbed.model import Mode, TestbedSection
from wirespeed.units import parse_minutes

FORMAT = 1
"""The campaign file's format; later formats are not read."""

Counts = Annotated[tuple[Annotated[int, Field(ge=1, le=32768)], ...], as_tuple]
Lines = Annotated[
    tuple[str, ...], BeforeValidator(lambda value: value.splitlines() if isinstance(value, str) else value)
]


Name = Annotated[str, Field(pattern=r"^[\w][\w.+-]{0,47}$")]


class ByHand(TestbedSection):
    """A manual step that turns the device into this one: another card, another system."""

    say: str = Field(
        min_length=1, description="What to change at the testbed: an instruction for the person who does it."
    )
    expect: str = Field(
        default="",
        description="Text that `wirespeed host show` of the DUT prints once it is done. Default: Enter confirms it.",
    )


class Prepare(TestbedSection):
    """Settings of the device's forwarding; several values make a cell each."""

    mode: Mode | None = Field(default=None, description="Default: the testbed's; a lab forwards IPv4.")
    queues: Counts = Field(default=(), description="Receive queues per interface.")
    descriptors: Counts = Field(default=(), description="Descriptors of each receive and transmit queue.")
    workers: int | None = Field(default=None, ge=0, le=128)


class CampaignDut(CampaignPart):
    """A device, or a configuration of one."""

    name: Name
    testbeds: tuple[str, ...] = Field(
        default=(), description="Testbeds of the campaign to measure it on. Default: all."
    )
    prepare: Prepare = Prepare()
    cli: Lines = Field(default=(), description="Commands for the router, run after all other configuration.")
    vppcfg: str = Field(default="", description="A vppcfg file to apply to the router, relative to the campaign file.")
    program: str = Field(
        default="", description="The `wirespeed` program of another build, which runs the router of the embedded lab."
    )
    version: Text = Field(default="", description="Identifier of this build, e.g. a commit; part of the key.")
    before: Lines = Field(
        default=(), description="Shell commands to run on this machine before each of its test cases."
    )
    by_hand: ByHand | None = None


class Stop(TestbedSection):
    """Time at which the campaign ends, even if test cases are left."""

    failures: int | None = Field(
        default=None, ge=1, description="Stop after this many test cases have failed all their tries."
    )


class Campaign(CampaignPart):
    """A whole campaign."""

    campaign: int = Field(description=f"The format of this file: {FORMAT}.")
    name: Name
    description: str = ""
    testbeds: tuple[str, ...] = Field(
        min_length=1, description="Testbed files, or labs of this machine: embedded, linux, embedded,mtu=9000."
    )
    spread: Literal["each", "any"] = Field(
        default="each", description="Each test case on each testbed, or once on any that is free."
    )
    duts: tuple[CampaignDut, ...] = Field(default=(CampaignDut(name="dut"),), min_length=1)
    tests: tuple[AnyTest, ...] = Field(min_length=1)
    directions: Directions = Field(default=("both",), min_length=1)
    repeats: int = Field(default=1, ge=1, le=1000)
    order: Literal["round-robin", "listed"] = Field(
        default="round-robin",
        description="round-robin: each test case once per round, so that drift affects all alike; listed: the repeats "
        "of a test case together.",
    )
    seed: int | None = Field(
        default=None, description="Seed to shuffle the test cases of each round. Default: the order of the file."
    )
    retries: int = Field(default=1, ge=0, le=20, description="Further tries of a test case that failed.")
    budget_minutes: Annotated[float, BeforeValidator(read_by(parse_minutes))] | None = Field(
        default=None, gt=0, description="No test case starts that would end after this time."
    )
    stop: Stop = Stop()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for what, names in (("duts", [dut.name for dut in self.duts]), ("tests", [test.name for test in self.tests])):
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise ValueError(f"two of {what} are called {twice!r}: give each a name of its own")
        for dut in self.duts:
            for testbed in dut.testbeds:
                if testbed not in self.testbeds:
                    raise ValueError(f"{dut.name}: testbed {testbed!r} is not in the campaign's `testbeds`")
        names = [dut.name for dut in self.duts]
        for test in self.tests:
            if missing := [name for name in test.duts if name not in names]:
                raise ValueError(f"{test.name}: DUT {missing[0]!r} is not in the campaign's `duts`")
        return self

    def tests_on(self, dut: CampaignDut) -> tuple[AnyTest, ...]:
        """Tests that run on this device."""
        return tuple(test for test in self.tests if not test.duts or dut.name in test.duts)
