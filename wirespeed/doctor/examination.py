"""All checks of one host, and their results as text and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from wirespeed.doctor.checks import CHECKS
from wirespeed.doctor.finding import UNSUITABLE, HostFinding, HostPurpose
from wirespeed.doctor.questions import QUESTIONS
from wirespeed.inspect.transcript import ShellMachine, Transcript, ask
from wirespeed.pages.words import harmless

SCHEMA = "wirespeed-doctor/2"


def examine(machine: ShellMachine, wanted: HostPurpose) -> tuple[HostFinding, ...]:
    """Ask the machine and look at the answers; errors as of its `run`."""
    return findings_in(ask(machine, QUESTIONS), wanted)


def findings_in(answers: Transcript, wanted: HostPurpose) -> tuple[HostFinding, ...]:
    return tuple(finding for check in CHECKS for finding in check(answers, wanted))


def is_suitable(findings: Sequence[HostFinding]) -> bool:
    """True if the results of a test on this host would be valid."""
    return not any(one.grade in UNSUITABLE for one in findings)


def as_text(findings: Sequence[HostFinding]) -> Iterator[str]:
    """One line per finding; a problem also has its reason and the commands that fix it."""
    width = max(len(one.check) for one in findings)
    for finding in findings:
        yield harmless(f"{finding.grade:<7} {finding.check}".ljust(9 + width)) + f"  {harmless(finding.is_)}"
        if finding.grade == "ok":
            continue
        if finding.why:
            yield f"{'':<8}  {harmless(finding.why)}"
        yield from (f"{'':<8}  $ {harmless(command)}" for command in finding.fix)
    yield verdict(findings)


def verdict(findings: Sequence[HostFinding]) -> str:
    """One sentence about what a test here would be worth."""
    blocking = [one.check for one in findings if one.grade == "blocks"]
    spoiling = [one.check for one in findings if one.grade == "spoils"]
    if blocking:
        return f"Tests cannot run with these settings until this is fixed: {', '.join(dict.fromkeys(blocking))}."
    if spoiling:
        return f"A test here would not give valid results: {', '.join(dict.fromkeys(spoiling))}."
    costing = [one.check for one in findings if one.grade == "costs"]
    slower = f" The tester is slower than it could be: {', '.join(dict.fromkeys(costing))}." if costing else ""
    return f"A test here would give valid results.{slower}"


def as_json(host: str, findings: Sequence[HostFinding]) -> str:
    document = {
        "schema": SCHEMA,
        "host": host,
        "suitable": is_suitable(findings),
        "findings": [{"is" if key == "is_" else key: value for key, value in asdict(one).items()} for one in findings],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
