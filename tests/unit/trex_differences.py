"""Where our generator and a T-Rex v3.08 still differ, each with the reason: the tables of three documents.

`python tests/unit/trex_differences.py` writes them: requests into docs/generator.md, all else into docs/from-trex.md,
and the exceptions of the console into docs/console.md (trex_console.py). Tests hold the tables to what is measured.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1] / "fakes"))

import trex_console
from fake_generator import FakeGenerator
from trex_answers import Asked, comparable, recorded

from wirespeed.generator.server import Server

DOCS = Path(__file__).parents[2] / "docs"
REQUESTS, OTHERS = DOCS / "generator.md", DOCS / "from-trex.md"
BEGINS, ENDS = "<!-- differences: written by tests/unit/trex_differences.py -->\n", "<!-- end of differences -->\n"

Answers = dict[str, tuple[object, object]]
"""T-Rex's answer and ours by request, each as far as it has to be the same."""


@dataclass(frozen=True)
class Told:
    """What a T-Rex does and what happens here, and the reason."""

    trex: str
    here: str
    because: str


_LEFT_OUT = "tagged packet groups, `conf_ns_batch` and ports joined to a socket are left out"
_LINK = Told("refused on virtual ports", "done where the driver can", "links that go down can be tried without a NIC")

REASONS = {
    "get_supported_cmds": Told("lists all methods", "lists those that do something", _LEFT_OUT),
    "get_system_info": Told("capability `tpg`", "not among the capabilities", "the same"),
    "fs bogus rule": Told(
        "an unknown rule counts as latency", "names the rules that there are", "the typing error is told"
    ),
    "fs non ip": Told(
        '"Failed determining l3 proto"', "says what packets can be counted", "the message tells what to do"
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

REMAINING = {
    "requests and answers": {
        "messages that are a JSON string or number, a batch with one, an 8-byte variable over its whole range, a "
        "profile that nobody made in `get_port_status`, `get_stream_list`, `remove_stream` or `validate`": Told(
            "it ends", "answered", "a client's mistake ends no run of others"
        ),
        "JSON with comments, with bytes behind it, in bad UTF-8": Told(
            "parsed", "refused", "what a client did not mean to send is told"
        ),
        "receive queue and its packets outside of service mode": Told(
            "refused", "done", "each port hands out what it received in any mode"
        ),
        "owner that is not heard of for 60 s": Told(
            "its port sends on", "its port stops", "`--owner-timeout 0` has T-Rex's way; a dead script leaves no load"
        ),
        "fault of a field program, told at the start": Told(
            "instruction and its fault", "stream, instruction and its fault", "profiles have many of both"
        ),
        "session's captures, queues, events and streams": Told(
            "grow until memory ends",
            "have bounds in bytes",
            "[one client cannot end the others](generator.md#what-clients-make-it-keep)",
        ),
    },
    "measured values": {
        "latency": Told(
            "whole microseconds; below 10 under 0",
            "nanoseconds; `hdrh` and `hdrh_ns`",
            "the medium is shorter than 10 µs",
        ),
        "TX and RX counters of a sample": Told(
            "up to 4 ms apart", "of one instant", "samples of a second show no loss that is none"
        ),
        "average of latency": Told(
            "half of it the last half second's", "of all packets", "it does not depend on when it is read"
        ),
    },
    "packets": {
        "`fix_checksum_hw` on IPv6": Told("a wrong UDP checksum", "a right one", "a router would drop the packet"),
        "`random_seed` 0": Told("the time of day", "the stream's number", "a run can be repeated"),
        "HLT streams whose arguments contradict each other": Told(
            "the first flag alone, wrong IPv6 lengths", "as the arguments say", "[generator](generator.md#profiles)"
        ),
    },
    "left out": {
        "tagged packet groups": Told(
            "counted by VLAN tag", "refused with the reason", "a `pg_id` for each tag counts the same"
        ),
        "`conf_ns_batch`, ports joined to a socket, captures to an endpoint, flow statistics inside VXLAN": Told(
            "there", "refused with the reason", "they belong to EMU and to several hosts on a port"
        ),
    },
}
"""What the recorded requests do not show, by subject."""


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


def _table(heading: str, rows: Mapping[str, Told]) -> str:
    """A row for each reason that stands in a row."""
    merged: dict[Told, list[str]] = {}
    for name, told in rows.items():
        merged.setdefault(told, []).append(name)
    listed = [f"| {', '.join(names)} | {one.trex} | {one.here} | {one.because} |" for one, names in merged.items()]
    return "\n".join((f"| {heading} | T-Rex | here | because |", "|---|---|---|---|", *listed)) + "\n"


def requests_table(answers: Answers) -> str:
    """A row for each request that is answered otherwise; KeyError where the reason is not known."""
    rows = {f"`{what}`": REASONS[what] for what in different(answers)}
    return f"Of {len(answers)} recorded requests {len(rows)} are answered otherwise:\n\n{_table('request', rows)}"


def remaining_tables(answers: Answers) -> str:
    """What is in no other table, by subject, and how much the others have."""
    count = len(different(answers))
    console = len(trex_console.exceptions())
    lead = (
        f"Of {len(answers)} recorded requests {count} are answered otherwise ([which, and why]"
        f"(generator.md#answered-otherwise-than-by-t-rex)), and {console} words and options of T-Rex's console have "
        "no work here ([which, and why](console.md#t-rexs-commands)). Beside them:\n"
    )
    return "\n".join([lead, *(_table(subject, rows) for subject, rows in REMAINING.items())])


def shown(document: Path) -> str:
    """The tables as the document has them."""
    return document.read_text().partition(BEGINS)[2].partition(ENDS)[0]


def write() -> None:
    answers = compared()
    for document, tables in ((REQUESTS, requests_table(answers)), (OTHERS, remaining_tables(answers))):
        before, begins, rest = document.read_text().partition(BEGINS)
        document.write_text(f"{before}{begins}\n{tables}\n{ENDS}{rest.partition(ENDS)[2]}")
    trex_console.write()


if __name__ == "__main__":
    write()
