"""Words of earlier versions: commands, options, keys of campaign files and of a generator's replies that have another
name today.

They still work. A command line that has one gets a line on standard error with the present word.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

COMMANDS = {"bench serve": "campaign worker", "bench": "testbed", "suite": "campaign", "corpus": "results"}

OPTIONS = {
    "--bench": "--testbed",
    "--benches": "--testbeds",
    "--box": "--dut-name",
    "--corpus": "--archive",
    "--for": "--duration",
    "--keep-spoilt": "--include-disturbed",
    "--no-robust": "--no-repeat-disturbed",
    "--of": "--from-search",
    "--patience": "--reconnect-timeout",
    "--ride-link": "--ignore-link-down",
    "--robust": "--repeat-disturbed",
    "--show": "--target-loss",
    "--verify": "--signature",
    "--wires": "--directions",
    "--within": "--equivalence",
}
"""Former names of options, for commands that only have the present one."""

SETTINGS = {
    "benches": "testbeds",
    "keep_spoilt": "include_disturbed",
    "lasting": "duration",
    "ride_link": "ignore_link_down",
    "robust": "repeat_disturbed",
    "show": "target_loss",
    "suite": "campaign",
    "verify": "signature",
    "wires": "directions",
}
"""Keys of campaign files."""

REPLIES = {
    "absences": "preemptions",
    "absent_s": "preempted_s",
    "asked_packets": "intended_packets",
    "longest_absent_s": "longest_preemption_s",
    "tx_asked_packets": "tx_intended_packets",
}
"""Keys of a generator's replies. It sends both names; clients read either."""

_FORMER = {new: old for old, new in OPTIONS.items()}


def present_command(args: Sequence[str]) -> list[str]:
    """`args`, which begin with a command, with its present name."""
    for old, new in COMMANDS.items():
        words = old.split()
        if list(args[: len(words)]) == words:
            _tell(f"wirespeed {old}", f"wirespeed {new}")
            return [*new.split(), *args[len(words) :]]
    return [*args]


def present_options(args: Sequence[str], known: Collection[str]) -> list[str]:
    """`args` with the present names of options; `known` are the options that the command has."""
    present = {old: new for old, new in OPTIONS.items() if new in known and old not in known}
    end = args.index("--") if "--" in args else len(args)
    words = []
    for word in args[:end]:
        name, equals, value = word.partition("=")
        if name in present:
            _tell(name, present[name])
        words.append(f"{present.get(name, name)}{equals}{value}")
    return [*words, *args[end:]]


def former_options(words: Iterable[str]) -> list[str]:
    """`words` of a command with the names that their options had first: the key of a campaign's cell is made of them,
    and a cell that is done stays done when an option gets another name."""
    return [_FORMER.get(word, word) for word in words]


def present_settings(values: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """`values` of a campaign file with the present names of their keys; `known` are those that there are. ValueError
    for a file that has a key under both names."""
    present: dict[str, Any] = {}
    for key, value in values.items():
        new = SETTINGS.get(key, key)
        name = new if new in known and key not in known else key
        if name in present or (name != key and name in values):
            raise ValueError(f"`{key}` is the former name of `{name}`; give `{name}` alone")
        present[name] = value
    return present


def with_former_keys(reply: Mapping[str, Any]) -> dict[str, Any]:
    """`reply` with the former names of its keys in addition, for older clients."""
    return {**reply, **{old: reply[new] for old, new in REPLIES.items() if new in reply}}


def present_keys(reply: Mapping[str, Any]) -> dict[str, Any]:
    """`reply`, perhaps an older generator's, with the present names of its keys alone."""
    return {REPLIES.get(key, key): value for key, value in reply.items()}


def environment(name: str, former: str) -> str:
    """The environment variable `name`, or its former name; empty without either."""
    return os.environ.get(name) or os.environ.get(former) or ""


def _tell(old: str, new: str) -> None:
    print(f"wirespeed: `{old}` is now `{new}`", file=sys.stderr)
