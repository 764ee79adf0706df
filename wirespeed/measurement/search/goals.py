"""Goals of a search as a user names them, and the sets of them that are known by a name. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wirespeed.errors import UsageError
from wirespeed.results.search_trial import Goal
from wirespeed.units import parse_duration, parse_ratio


@dataclass(frozen=True)
class Preset:
    """Defaults of goals, the cost of trials, and the goals without `--goal`."""

    shape: Goal
    goals: tuple[tuple[str, float], ...]
    warmup_s: float


NDR, PDR = ("ndr", 0.0), ("pdr", 0.005)

PRESETS = {
    # CSIT's settings; its loss ratio of PDR is 0.5 %.
    "csit": Preset(Goal("", initial_s=1.0, final_s=1.0, sum_s=21.0, exceed_ratio=0.5, width=0.005), (NDR, PDR), 1.0),
    # The draft's RFC 2544-compliant goal: one trial of 60 s decides, and no loss is allowed.
    "rfc2544": Preset(Goal("", initial_s=1.0, final_s=60.0, sum_s=60.0, exceed_ratio=0.0, width=0.01), (NDR,), 1.0),
    # ETSI GS NFV-TST 009: a loss may be repeated once.
    "tst009": Preset(Goal("", initial_s=1.0, final_s=60.0, sum_s=120.0, exceed_ratio=0.5, width=0.01), (NDR,), 1.0),
    # For a table of many tests.
    "quick": Preset(Goal("", initial_s=0.25, final_s=0.25, sum_s=1.5, exceed_ratio=0.5, width=0.03), (NDR, PDR), 0.25),
}

_KEYS = {"loss": "loss_ratio", "exceed": "exceed_ratio", "final": "final_s", "sum": "sum_s", "width": "width"}
_KEYS |= {"initial": "initial_s"}
_FORMS = "ndr, pdr, pdr=0.1% or NAME:loss=0.5%,exceed=50%,initial=1,final=1,sum=21,width=0.5%"


def goals_of(words: Sequence[str], preset: str) -> tuple[Goal, ...]:
    """The goals that `words` name, in the shape of `preset`; those of the preset where there are none. UsageError for
    words that cannot be read, and for goals that no trial can reach."""
    if preset not in PRESETS:
        raise UsageError(f"preset {preset!r} is not known: give {', '.join(PRESETS)}")
    chosen = PRESETS[preset]
    goals = [_goal(word, chosen.shape) for word in words]
    goals = goals or [replace(chosen.shape, name=name, loss_ratio=loss) for name, loss in chosen.goals]
    for index, goal in enumerate(goals):
        _check(goal)
        if any(goal.name == other.name for other in goals[:index]):
            raise UsageError(f"two goals are called {goal.name}: give each a name of its own, as slow:loss=1%")
        if any(replace(goal, name="") == replace(other, name="") for other in goals[:index]):
            raise UsageError(f"goal {goal.name} is the same as another one: leave one of them out")
    return tuple(goals)


def _goal(word: str, shape: Goal) -> Goal:
    name, colon, rest = word.partition(":")
    if colon:
        settings = {}
        for part in rest.split(","):
            key, equals, value = part.partition("=")
            if key not in _KEYS or not equals or _KEYS[key] in settings:
                raise UsageError(
                    f"goal {word!r}: {part!r} is not one of {', '.join(f'{key}=…' for key in _KEYS)}, each at most once"
                )
            settings[_KEYS[key]] = _number(word, value, is_time=_KEYS[key].endswith("_s"))
        if "loss_ratio" not in settings:
            raise UsageError(f"goal {word!r} does not say how much may be lost: give loss=0 or loss=0.5%")
        final = settings.get("final_s", shape.final_s)
        settings.setdefault("initial_s", min(shape.initial_s, final))
        settings.setdefault("sum_s", max(shape.sum_s, final))
        return replace(shape, name=_named(word, name), **settings)
    name, equals, loss = word.partition("=")
    if equals:
        return replace(shape, name=_named(word, name), loss_ratio=_number(word, loss))
    known = dict((NDR, PDR))
    if name not in known:
        raise UsageError(f"goal {word!r} is not known: give {_FORMS}")
    return replace(shape, name=name, loss_ratio=known[name])


def _named(word: str, name: str) -> str:
    if not name.isidentifier():
        raise UsageError(f"goal {word!r} has no name of letters and digits: give {_FORMS}")
    return name


def _number(word: str, text: str, *, is_time: bool = False) -> float:
    """A ratio, or seconds."""
    try:
        value = parse_duration(text) if is_time else parse_ratio(text)
    except UsageError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"goal {word!r}: {text!r} is not a number; give {_FORMS}")
    return value


def _check(goal: Goal) -> None:
    wrong = None
    if not 0 <= goal.loss_ratio < 1:
        wrong = f"a loss ratio of {goal.loss_ratio:g}; give 0 to below 1, or percent, such as 0.5%"
    elif not 0 <= goal.exceed_ratio < 1:
        wrong = f"an exceed ratio of {goal.exceed_ratio:g}; give 0 to below 1, such as 50%"
    elif not 0 < goal.width < 1:
        wrong = f"a width of {goal.width:g}; give more than 0, below 1, such as 0.5%"
    elif not 0 < goal.initial_s <= goal.final_s:
        wrong = f"first trials of {goal.initial_s:g} s and last ones of {goal.final_s:g} s; initial= is at most final="
    elif goal.sum_s < goal.final_s:
        wrong = f"trials of {goal.final_s:g} s that sum to {goal.sum_s:g} s; sum= is at least final="
    if wrong is not None:
        raise UsageError(f"goal {goal.name} has {wrong}")
