"""Parts of a plan that follow from the common options: directions, line, name, lab and DUT."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from wirespeed.errors import UsageError
from wirespeed.measurement.output import STDOUT
from wirespeed.testbed.options import GivenOptions, StandOptions
from wirespeed.trial.directions import pair_directions, parse_directions, parse_ports
from wirespeed.units import parse_speed

if TYPE_CHECKING:
    from wirespeed.measurement.options import MeasurementOptions
    from wirespeed.results.channel import Channel


class PlanHead(TypedDict):
    """Fields of every plan (trial/plan.py)."""

    directions: tuple[Channel, ...]
    line_bps: float | None
    signature: bool
    force: bool
    name: str
    output_file: str


def given_of(options: MeasurementOptions[Any], **more: str) -> GivenOptions:
    """The options that a bench may have too; `more` are values in place of the options' own, or that they lack."""
    return GivenOptions(
        **{name: getattr(options, name) for name in GivenOptions.__annotations__ if hasattr(options, name)} | more
    )


def plan_head(at: StandOptions, options: MeasurementOptions[Any], name: str = "") -> PlanHead:
    """UsageError for options that contradict each other. A result is called as its file is, else `name`, else as its
    profile."""
    return PlanHead(
        directions=directions_of(at.ports, options.direction, at.directions, options.unidirectional),
        line_bps=parse_speed(at.line) if at.line else None,
        signature=options.signature,
        force=options.force,
        name=(name or at.profile) if options.output in ("", STDOUT) else Path(options.output).stem,
        output_file=options.output or STDOUT,
    )


def directions_of(ports: str | None, direction: str, each: str, unidirectional: bool) -> tuple[Channel, ...]:
    """The directions that the options name together, of ports 0 and 1 where they name none; UsageError for options that
    contradict each other."""
    if each:
        if ports is not None or direction != "both" or unidirectional:
            raise UsageError("--directions names each direction; leave out --ports, --direction and -u")
        return parse_directions(each)
    if unidirectional and direction != "both":
        raise UsageError(f"-u and --direction {direction} both set the direction; give one of them")
    pairs = parse_ports("0,1" if ports is None else ports)
    if unidirectional:
        return tuple(wire for wire in pair_directions(pairs) if pairs.index(wire.tx) % 2 == 0)
    return pair_directions(pairs, direction)
