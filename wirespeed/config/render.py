"""A plan as people and programs read it: VPP's command lines, JSON, or what changes of what."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from wirespeed.config.plan import ConfigPlan
from wirespeed.config.state import Bridge, InterfaceState, RouterState, SflowState
from wirespeed.config.steps import ConfigStage, natural

SCHEMA = "wirespeed-config-plan/1"
_TITLES = {ConfigStage.PRUNE: "prune", ConfigStage.CREATE: "create", ConfigStage.SYNC: "sync"}


def cli_text(plan: ConfigPlan, explain: bool = False) -> str:
    """Lines for VPP's `exec`, by stage; a comment names each stage and its number of lines. `explain`: each with its
    prerequisites as comments."""
    text: list[str] = []
    for stage, title in _TITLES.items():
        steps = [(place, step) for place, step in enumerate(plan.steps) if step.stage is stage]
        if not steps:
            continue
        count = sum(1 for _ in plan.lines(stage))
        text.append(
            f"comment {{ wirespeed {title}: {count} CLI {'statement follows' if count == 1 else 'statements follow'} }}"
        )
        for place, step in steps:
            text += step.operation.cli()
            text += [f"comment {{ {line} }}" for line in _why(plan, place)] if explain else []
    return "".join(f"{line}\n" for line in text)


def _why(plan: ConfigPlan, place: int) -> Iterator[str]:
    """One line per reason, for any number of steps."""
    by_reason: dict[str, list[int]] = defaultdict(list)
    for reason in plan.reasons[place]:
        by_reason[reason.why].append(reason.step)
    yield f"^ step {place + 1}{', which waits for nothing' if not by_reason else ''}"
    for why, steps in by_reason.items():
        more = f" and {len(steps) - 1} more" if len(steps) > 1 else ""
        first = next(plan.steps[steps[0]].operation.cli(), "")
        yield f"^ after step {steps[0] + 1} ({first}){more}: {why}"


def json_text(plan: ConfigPlan) -> str:
    """`steps` in order, each with its lines, its operation, and its prerequisites (`after`) by number from 1."""
    steps = [
        {
            "step": place + 1,
            "stage": _TITLES[step.stage],
            "lines": list(step.operation.cli()),
            **_plain(step.operation.values()),
            "after": [{"step": reason.step + 1, "why": reason.why} for reason in plan.reasons[place]],
        }
        for place, step in enumerate(plan.steps)
    ]
    return json.dumps({"schema": SCHEMA, "steps": steps}, indent=2) + "\n"


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value


def diff_lines(current: RouterState, target: RouterState) -> Iterator[tuple[str, str]]:
    """The changes, object by object: a sign (`+`, `-`, `~`, or a blank for the object's name) and a line."""
    names = sorted({*current.interfaces, *target.interfaces}, key=natural)
    for name in names:
        have, want = current.interfaces.get(name), target.interfaces.get(name)
        yield from _object_lines(f"{(want or have or InterfaceState(name, None)).kind} {name}", have, want)  # type: ignore[arg-type]
    for ident in sorted({*current.bridges, *target.bridges}):
        yield from _object_lines(f"bridge-domain {ident}", current.bridges.get(ident), target.bridges.get(ident))
    for name in sorted({*current.acls, *target.acls}):
        old, new = current.acls.get(name), target.acls.get(name)
        if (old.rules if old else None) != (new.rules if new else None):
            yield "+" if old is None else "-" if new is None else "~", f"acl {name}"
    yield from _object_lines("sflow", current.sflow or SflowState(), target.sflow or SflowState())


def _object_lines(title: str, have: Any, want: Any) -> Iterator[tuple[str, str]]:
    if have is None or want is None:
        yield "+" if have is None else "-", title
        one = want if have is None else have
        yield from (("+" if have is None else "-", f"  {name} {_shown(value)}") for name, value in _told(one))
        return
    lines = list(_changed(have, want))
    if lines:
        yield " ", title
        yield from lines


def _changed(have: Any, want: Any) -> Iterator[tuple[str, str]]:
    for field in fields(want):
        old, new = getattr(have, field.name), getattr(want, field.name)
        if old == new or (new is None and field.name in ("mac", "mtu", "link_mtu")):
            continue
        word = field.name.replace("_", "-")
        if isinstance(new, tuple):
            yield from (("-", f"  {word} {one}") for one in old if one not in new)
            yield from (("+", f"  {word} {one}") for one in new if one not in old)
        elif field.name == "tap" and old is not None:
            yield from _changed(old, new)
        else:
            yield "~", f"  {word} {_shown(old)} -> {_shown(new)}"


def _told(section: Any) -> Iterator[tuple[str, Any]]:
    """Settings that differ from their defaults."""
    plain = Bridge() if isinstance(section, Bridge) else None
    for field in fields(section):
        value = getattr(section, field.name)
        default = getattr(plain, field.name) if plain else field.default
        if value != default and field.name not in ("name", "kind"):
            yield field.name.replace("_", "-"), value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None or value == ():
        return "none"
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if is_dataclass(value):
        told = {field.name.replace("_", "-"): getattr(value, field.name) for field in fields(value)}
        return " ".join(f"{name} {_shown(one)}" for name, one in told.items() if one is not None)
    return str(value)


_COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m", "~": "\x1b[33m", " ": "\x1b[1m"}


def diff_text(current: RouterState, target: RouterState, in_colour: bool) -> str:
    """`diff_lines`, with ANSI colours for a terminal."""
    lines = []
    for sign, line in diff_lines(current, target):
        text = f"{sign} {line}"
        lines.append(f"{_COLOURS[sign]}{text}\x1b[0m\n" if in_colour else f"{text}\n")
    return "".join(lines)
