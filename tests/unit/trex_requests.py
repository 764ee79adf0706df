"""Requests answered otherwise than by a T-Rex v3.08, with reasons: a table of docs/develop/protocol.md.

`python tests/unit/trex_differences.py` writes it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from fake_generator import FakeGenerator
from trex_answers import Asked, comparable, recorded

from wirespeed.generator.server import Server

DOCUMENT = Path(__file__).parents[2] / "docs" / "develop" / "protocol.md"
BEGINS, ENDS = "<!-- differences: written by tests/unit/trex_differences.py -->\n", "<!-- end of differences -->\n"

Answers = dict[str, tuple[object, object]]
"""T-Rex's and wirespeed's answer by request, reduced to the parts that must agree."""


@dataclass(frozen=True)
class Told:
    """Behaviour of a T-Rex, behaviour here, and the reason."""

    trex: str
    here: str
    because: str


_LEFT_OUT = "`conf_ns_batch` and ports joined to a socket are left out"
_LINK = Told("refused on virtual ports", "done where the driver can", "links that go down can be tried without a NIC")

REASONS = {
    "get_supported_cmds": Told("lists all methods", "lists those that do something", _LEFT_OUT),
    "fs bogus rule": Told(
        "an unknown rule counts as latency", "names the rules that there are", "the typing error is found"
    ),
    "fs non ip": Told(
        '"Failed determining l3 proto"', "says what packets can be counted", "the message names the next step"
    ),
    "start core_mask 2": Told(
        "the mask leaves no core", "the same, and what mask or option fits", "the message names the remedy"
    ),
    "attr {'link_status': {'up': False}}": _LINK,
    "attr {'link_status': {'up': True}}": _LINK,
    "push_remote none": Told("OK, then an event that it failed", "refused", "a script sees it at once"),
    "cap port": Told("joins the port to a socket", "refused", "left out"),
    "events": Told("", "has the two changes of the link, lacks the start of `push_remote`", "follows"),
}
"""By the recording's names of the requests."""


def compared() -> Answers:
    core = FakeGenerator(ports=2)
    server = Server(core, dst_macs=["02:ee:00:00:00:01", "02:ee:00:00:00:00"])
    handler = ""
    answers: Answers = {}
    for asked in recorded():
        if not isinstance(asked, Asked):
            core.advance(asked)
            server.tick()
            continue
        params = {"api_h": server.api_h, **asked.params}
        if params.get("handler") == "$h0":
            params["handler"] = handler
        request = {"jsonrpc": "2.0", "id": 1, "method": asked.method, "params": params}
        answer = json.loads(server.handle(json.dumps(request).encode()))
        if asked.method == "acquire" and "result" in answer:
            handler = answer["result"]
        core.advance(0.002)
        server.tick()
        assert asked.what not in answers
        answers[asked.what] = comparable(asked, asked.answer), comparable(asked, answer)
    return answers


def different(answers: Answers) -> list[str]:
    return [what for what, (theirs, ours) in answers.items() if theirs != ours]


def table(answers: Answers) -> str:
    """A row for each reason for a different answer; KeyError if the reason is unknown."""
    rows: dict[Told, list[str]] = {}
    otherwise = different(answers)
    for what in otherwise:
        rows.setdefault(REASONS[what], []).append(f"`{what}`")
    listed = [f"| {', '.join(names)} | {one.trex} | {one.here} | {one.because} |" for one, names in rows.items()]
    lines = ("| request | T-Rex | here | because |", "|---|---|---|---|", *listed)
    return (
        f"\nOf {len(answers)} recorded requests {len(otherwise)} are answered otherwise:\n\n"
        + "\n".join(lines)
        + "\n\n"
    )


def shown() -> str:
    """The table as the document has it."""
    return DOCUMENT.read_text().partition(BEGINS)[2].partition(ENDS)[0]


def write() -> None:
    before, begins, rest = DOCUMENT.read_text().partition(BEGINS)
    DOCUMENT.write_text(before + begins + table(compared()) + ENDS + rest.partition(ENDS)[2])
