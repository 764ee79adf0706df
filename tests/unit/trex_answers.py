"""What a T-Rex v3.08 answered to some 330 requests, and how an answer of ours compares.

`data/trex_answers.jsonl` has them in order, under names that tell them apart. Its first line is a stream; others say
what they `change` in it and what they are `without`. `$h0` stands for the handler of port 0, `$packet` for that
stream's packet, `$9300` for so many bytes; a `sleep` lets time pass.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]

DATA = Path(__file__).parent / "data" / "trex_answers.jsonl"
DOCUMENT = Path(__file__).parents[2] / "docs" / "develop" / "protocol.md"
HEADING = "### Answered otherwise than by T-Rex"

BY_NATURE = {
    "build_date", "build_time", "built_by", "core_type", "description", "driver", "dst", "hostname", "hw_mac",
    "max_line_util", "src", "start_ts", "ts", "uptime",
}  # fmt: skip
"""Fields that depend on the machine, the port or the time; T-Rex rounds the link's share in the fourth digit."""

OURS = {"latency_floors", "link_losses", "longest_rx", "longest_tx", "machine", "medium", "missed", "mtu"}
"""Fields that only wirespeed has."""

MEASURED = {"get_global_stats", "get_port_stats", "get_utilization", "get_port_xstats_names", "get_port_xstats_values"}
"""Methods whose answers are compared only by T-Rex's keys."""

UNORDERED = {"get_supported_cmds", "get_stream_list", "get_profile_list"}

_OFFSET = re.compile(r"^error at offset: \d+ - ")
"""T-Rex reports the offset of a wrong value in its text of the request."""

_LONGEST = re.compile(r"(Should be between 14 and )\d+")
"""The length of the longest packet depends on the build."""

_PORTS = re.compile(r"(invalid port id - should be:).*", re.DOTALL)
"""T-Rex prints the numbers of its ports as control characters."""


@dataclass(frozen=True)
class Asked:
    """A request and T-Rex's answer: `{"result": …}` or `{"error": …}`."""

    what: str
    method: str
    params: Json
    answer: Json


def recorded() -> Iterator[Asked | float]:
    """Requests in order; a number is seconds to wait."""
    first, *lines = (json.loads(line) for line in DATA.read_text().splitlines())
    stream = first["stream"]
    for line in lines:
        if "sleep" in line:
            yield float(line["sleep"])
            continue
        answer = {key: line[key] for key in ("result", "error") if key in line}
        params = dict(line["params"])
        if isinstance(params.get("stream"), dict):
            changes = params["stream"]
            params["stream"] = {
                key: value
                for key, value in (stream | changes["change"]).items()
                if key not in changes.get("without", ())
            }
        texts = {"$packet": stream["packet"]["binary"], "$9300": base64.b64encode(b"x" * 9300).decode()}
        yield Asked(line["what"], line.get("method", line["what"]), _filled(params, texts), _filled(answer, texts))


def _filled(value: Any, texts: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(member, texts) for key, member in value.items()}
    if isinstance(value, list):
        return [_filled(member, texts) for member in value]
    return texts.get(value, value) if isinstance(value, str) else value


def comparable(asked: Asked, answer: Json) -> Any:
    """The parts of both answers that must agree."""
    if "error" in answer:
        text = answer["error"].get("specific_err", "")
        return answer["error"]["code"], answer["error"]["message"], _told(text)
    result = answer["result"]
    if asked.method == "acquire":
        return type(result)
    if asked.method in MEASURED:
        expected = asked.answer.get("result")
        return {key: _kind(result.get(key)) for key in expected} if isinstance(expected, dict) else result
    return _masked(result, asked.method in UNORDERED)


def _told(text: str) -> str:
    return _LONGEST.sub(r"\1", _PORTS.sub(r"\1", _OFFSET.sub("", text))).strip()


def _kind(value: Any) -> type:
    return float if isinstance(value, int) and not isinstance(value, bool) else type(value)


def _masked(value: Any, unordered: bool) -> Any:
    if isinstance(value, dict):
        return {
            key: "" if key in BY_NATURE else _masked(member, unordered)
            for key, member in value.items()
            if key not in OURS
        }
    if isinstance(value, list):
        members = [_masked(member, unordered) for member in value]
        if unordered:
            return sorted(members, key=str)
        first = members[0] if members and isinstance(members[0], dict) else {}
        order = next((key for key in ("index", "stream_id") if key in first), None)
        return sorted(members, key=lambda one: one[order]) if order else members
    return round(value, 9) if isinstance(value, float) else value


def documented() -> dict[str, str]:
    """Requests with other answers, each with the reason, as listed in the documentation."""
    rows = DOCUMENT.read_text().partition(HEADING)[2].partition("\n##")[0].splitlines()
    listed = {}
    for row in rows:
        cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
        for what in re.findall(r"`([^`]+)`", cells[0]) if row.startswith("| `") else ():
            listed[what] = cells[-1]
    return listed
