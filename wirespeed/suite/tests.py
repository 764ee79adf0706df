"""The tests of a campaign, by the command that runs each: its settings as flags, and how long it takes.

A setting that is left out is what the command has without the flag. Pure.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from wirespeed.bench.model import Section
from wirespeed.errors import UsageError
from wirespeed.soak.plan import parse_time

_text = BeforeValidator(lambda value: f"{value:g}" if isinstance(value, int | float) else value)
Text = Annotated[str, _text]


def _time(text: str) -> str:
    try:
        parse_time(text)
    except UsageError as error:
        raise ValueError(str(error)) from None
    return text


def flag(name: str, text: str = "", off: str = "", **more: Any) -> Any:
    """A setting that the command takes as the option `name`, and as `off` if it is false; not given, it is left to the
    command."""
    words: dict[str, Any] = {"flag": name, "off": off} if off else {"flag": name}
    return Field(default=None, description=text or f"As {name} of the command.", json_schema_extra=words, **more)


Direction = Literal["0-1", "1-0", "both"]


class Test(Section):
    """What all tests have. `directions` overrides those of the campaign."""

    __test__ = False

    name: str = Field(pattern=r"^[\w][\w .,+=-]{0,63}$", description="As tables and tags call it.")
    directions: tuple[Direction, ...] = Field(default=(), description="One cell each; else the campaign's.")
    duts: tuple[str, ...] = Field(default=(), description="Those that it is run on; else all.")
    repeats: int | None = Field(default=None, ge=1, le=1000, description="Else the campaign's.")
    wires: str | None = flag("--wires", "Each direction by itself, as 0>1,1>2,2>0; one cell, in place of directions.")
    power: str | None = flag("--power", "The power meter, as rapl or shelly:HOST; else the bench's.")

    @model_validator(mode="after")
    def _wires_are_directions(self) -> Self:
        if self.wires is not None and self.directions:
            raise ValueError("`wires` says each direction by itself; leave out `directions`")
        return self

    def ways(self, of_campaign: tuple[Direction, ...]) -> tuple[Direction, ...]:
        """The directions of its cells, one each: its own, else those of the campaign; `both` where it has wires."""
        return ("both",) if self.wires is not None else self.directions or of_campaign

    @property
    def flags(self) -> tuple[str, ...]:
        """The settings as the command's words."""
        words: list[str] = []
        for name, field in type(self).model_fields.items():
            extra, value = field.json_schema_extra, getattr(self, name)
            if not isinstance(extra, dict) or value is None:
                continue
            option, off = str(extra["flag"]), str(extra.get("off", ""))
            for one in value if isinstance(value, tuple) else (value,):
                words += ([option] if one else [off] if off else []) if isinstance(one, bool) else [option, str(one)]
        return tuple(words)

    @property
    def most_s(self) -> float:
        """Seconds of it at most, without bringing the bench up."""
        raise NotImplementedError


class Loadtest(Test):
    """`wirespeed loadtest`."""

    command: Literal["loadtest"]
    profile: str | None = flag("--profile")
    tunables: str | None = flag("--tunables", "Of the profile, as size=64,vm=var2.")
    warmup_rate: Text | None = flag("--warmup-mult")
    warmup_s: float | None = flag("--warmup-duration", ge=0)
    ramp_target: Text | None = flag("--rampup-target")
    ramp_s: float | None = flag("--rampup-duration", ge=0)
    hold_s: float | None = flag("--hold-duration", ge=0)
    steps: Text | None = flag("--steps")
    latency: Text | None = flag("--latency")
    interval_s: float | None = flag("--interval", gt=0)
    fail_threshold: float | None = flag("--fail-threshold", ge=0, le=1)
    line: Text | None = flag("--line")
    verify: bool | None = flag("--verify")
    ride_link: bool | None = flag("--ride-link")
    keep_spoilt: bool | None = flag("--keep-spoilt")

    @property
    def most_s(self) -> float:
        hold_s = 30.0 if self.hold_s is None else self.hold_s
        ramp_s = 600.0 if self.ramp_s is None else self.ramp_s
        load_s = len(self.steps.split(",")) * hold_s if self.steps else ramp_s + hold_s
        return (30.0 if self.warmup_s is None else self.warmup_s) + load_s


class Search(Test):
    """`wirespeed search`."""

    command: Literal["search"]
    profile: str | None = flag("--profile")
    tunables: str | None = flag("--tunables", "Of the profile, as size=64,vm=var2.")
    goal: tuple[str, ...] = Field(default=(), description="As --goal, once each.", json_schema_extra={"flag": "--goal"})
    preset: Literal["csit", "rfc2544", "tst009", "quick"] | None = flag("--preset")
    least: Text | None = flag("--min")
    most: Text | None = flag("--max")
    time_s: float | None = flag("--time", gt=0)
    mrr: str | None = flag("--mrr")
    latency: Text | None = flag("--latency")
    line: Text | None = flag("--line")
    verify: bool | None = flag("--verify")
    robust: bool | None = flag("--robust", "Repeat trials that an absent CPU spoilt.", "--no-robust")

    @property
    def most_s(self) -> float:
        return self.time_s or 1200.0


class Rfc2544(Test):
    """`wirespeed rfc2544`."""

    command: Literal["rfc2544"]
    test: str = Field(default="throughput", description="As the command's first word: throughput, latency, … or all.")
    sizes: Text | None = flag("--sizes")
    trial_s: float | None = flag("--trial", gt=0)
    trials: int | None = flag("--repeats", ge=1)
    resolution: Text | None = flag("--resolution")
    waits: str | None = flag("--waits")
    tunables: str | None = flag("--tunables")
    ip6: bool | None = flag("--ip6")
    line: Text | None = flag("--line")
    verify: bool | None = flag("--verify")
    robust: bool | None = flag("--robust", "Repeat trials that an absent CPU spoilt.", "--no-robust")

    @property
    def flags(self) -> tuple[str, ...]:
        return (self.test, *super().flags)

    @property
    def most_s(self) -> float:
        # A binary search to 1 % needs seven trials, the other tests about as many again.
        sizes = len(self.sizes.split(",")) if self.sizes else 7
        return sizes * 7 * ((self.trial_s or 60.0) + 2.0) * (1 if self.test == "throughput" else 2)


class Soak(Test):
    """`wirespeed soak`."""

    command: Literal["soak"]
    profile: str | None = flag("--profile")
    tunables: str | None = flag("--tunables")
    load: Text = Field(description="Of each direction, as 30% or 2mpps.", json_schema_extra={"flag": "--load"})
    lasting: Annotated[Text, AfterValidator(_time)] = Field(
        description="As 90, 10m, 8h or 3d.", json_schema_extra={"flag": "--for"}
    )
    show: Text | None = flag("--show")
    confidence: Text | None = flag("--confidence")
    latency: Text | None = flag("--latency")
    line: Text | None = flag("--line")
    verify: bool | None = flag("--verify")

    @property
    def most_s(self) -> float:
        return parse_time(self.lasting)


AnyTest = Annotated[Loadtest | Search | Rfc2544 | Soak, Field(discriminator="command")]
