"""The tests of a campaign, by the command that runs each: its settings are the options that the kind of measurement
declares. A setting that is left out is what the command has without the flag.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, create_model, model_validator

from wirespeed.errors import UsageError
from wirespeed.measurement.option import Declared, flags_of, settings
from wirespeed.measurement.options import MeasurementOptions
from wirespeed.measurement.registry import kinds, options_of
from wirespeed.renamed import present_settings
from wirespeed.testbed.model import TestbedSection

as_tuple = BeforeValidator(lambda value: value if isinstance(value, list | tuple) else [value])
_text = BeforeValidator(lambda value: f"{value:g}" if isinstance(value, int | float) else value)
Text = Annotated[str, _text]
DIRECTION = r"^(both|0-1|1-0|\d+>\d+(,\d+>\d+)*)$"
Directions = Annotated[tuple[Annotated[str, Field(pattern=DIRECTION)], ...], as_tuple]
"""One cell each: a direction of a pair of ports, both, or each direction by itself, such as 0>1,1>2,2>0."""


class CampaignPart(TestbedSection):
    """A part of a campaign file, which may have keys by their former names."""

    @model_validator(mode="before")
    @classmethod
    def _presently_named(cls, values: Any) -> Any:
        return present_settings(values, cls.model_fields) if isinstance(values, dict) else values


class CampaignTest(CampaignPart):
    """Settings that all tests have."""

    __test__ = False
    options: ClassVar[type[MeasurementOptions[Any]]]

    name: str = Field(pattern=r"^[\w][\w .,+=-]{0,63}$", description="Name of the test in tables and tags.")
    command: str
    directions: Directions = Field(
        default=(), description="One test case each: both, 0-1, 1-0, or such as 0>1,1>2,2>0. Default: the campaign's."
    )
    duts: tuple[str, ...] = Field(default=(), description="DUTs to run it on. Default: all.")
    repeats: int | None = Field(default=None, ge=1, le=1000, description="Default: the campaign's.")

    def flags(self, direction: str) -> tuple[str, ...]:
        """The settings, and the direction of a cell, as the command's words."""
        each = ">" in direction
        words = flags_of(self.options, self.model_dump() | {"directions": direction if each else None})
        return (*words, *(() if each or direction == "both" else ("--direction", direction)))

    @property
    def most_s(self) -> float:
        """Seconds of it at most, without bringing the bench up."""
        given = {
            one.field: getattr(self, one.option.setting) for one in settings(self.options) if one.field != "directions"
        }
        return self.options(**{field: value for field, value in given.items() if value is not None}).most_s


def model_of(kind: str) -> type[CampaignTest]:
    """The tests that `wirespeed KIND` runs."""
    options = options_of(kind)
    fields: dict[str, Any] = {one.option.setting: _field(one) for one in settings(options)}
    del fields["directions"]  # of all kinds, one cell each
    fields["command"] = (Literal[kind], ...)
    model = create_model(kind.capitalize(), __base__=CampaignTest, __doc__=f"`wirespeed {kind}`.", **fields)
    model.options = options
    return model


def _field(one: Declared) -> tuple[Any, Any]:
    option, kind = one.option, one.value_kind
    if kind is str:
        kind = Literal[option.choices] if option.choices else Text
        kind = kind if option.check is None else Annotated[kind, AfterValidator(_checked(option.check))]
    elif option.parse is not None:
        kind = Annotated[kind, BeforeValidator(read_by(option.parse))]
    default: Any = ... if option.is_needed else () if kind == tuple[str, ...] else option.unset
    limits: Any = option.limits
    told = Field(default=default, description=option.help, **limits)
    return (kind if default is not None else kind | None, told)


def read_by(parse: Callable[[str], float]) -> Callable[[Any], Any]:
    """A text of the file, such as 10s or 0.1%, as the command line reads it."""

    def read(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return parse(value)
        except UsageError as error:
            raise ValueError(str(error)) from None

    return read


def _checked(check: Callable[[str], object]) -> Callable[[str], str]:
    def checked(text: str) -> str:
        try:
            check(text)
        except UsageError as error:
            raise ValueError(str(error)) from None
        return text

    return checked


TESTS = {kind: model_of(kind) for kind in kinds()}
"""The model of each kind's tests."""

if TYPE_CHECKING:
    AnyTest = CampaignTest
else:
    AnyTest = Annotated[reduce(or_, TESTS.values()), Field(discriminator="command")]
