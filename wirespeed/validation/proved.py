"""The table of validated hardware and programs from the data file, and the texts made from it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

Proof = Literal["real", "emulated", "records", "none"]

PROOFS: dict[Proof, str] = {
    "real": "real",
    "emulated": "emulated",
    "records": "**recorded texts only**",
    "none": "**never tried**",
}
PAGE = "docs/validation.md"
_AS_DUT = " as DUT"
_LINES = re.compile(r"(?<=<!-- proved -->\n).*(?=<!-- end -->)", re.DOTALL)


@dataclass(frozen=True)
class Proved:
    """A medium or device: programs look it up by `on`, `what` is its name in the table, `short` that in the README,
    `proof` how much the trial proves."""

    on: str
    what: str
    tried: str
    proof: Proof
    when: str
    command: str
    short: str = ""


@cache
def proved() -> tuple[Proved, ...]:
    text = resources.files("wirespeed.validation").joinpath("proved.toml").read_text(encoding="utf-8")
    return tuple(Proved(**row) for row in tomllib.loads(text)["proved"])


def caution(on: str) -> str:
    """A sentence that this port type or device was never tested for real; empty if it was, or if the table does not
    have it."""
    for row in proved():
        if row.on == on and row.proof == "records":
            return f"{row.what}: tried on recorded texts only ({PAGE})"
        if row.on == on and row.proof == "none":
            return f"{row.what}: never tried ({PAGE})"
    return ""


def page() -> str:
    """docs/validation.md."""
    rows = "".join(
        f"| {one.what} | {PROOFS[one.proof]} | {one.tried} | {one.when} | `{one.command}` |\n" for one in proved()
    )
    return (
        "# What has been proved\n\n"
        "Each row names a port type, program or DUT, what was tried on it and when, and the command to repeat it.\n\n"
        "- **Real**: packets or commands went through the port type, program or DUT itself.\n"
        "- **Emulated**: a simulation of it.\n"
        "- **Recorded texts only**: output recorded elsewhere was replayed to the program. `host show`, `dut prepare`\n"
        "  and `report` then print a note.\n"
        "- **Never tried**: no claim is made.\n\n"
        "| port type or DUT | proof | what was tried | when | command |\n|---|---|---|---|---|\n"
        f"{rows}\n"
        "`python -m manual references docs` writes this page and the README's lines from "
        "`wirespeed/validation/proved.toml`.\n"
    )


def readme_lines() -> str:
    """The list in five lines."""
    rows: dict[str, list[Proved]] = {proof: [] for proof in (*PROOFS, "by hand")}
    for one in proved():
        rows["by hand" if one.proof == "real" and "make" not in one.when else one.proof].append(one)
    listed = {proof: "; ".join(_names(ones)) for proof, ones in rows.items()}
    return (
        f"- **Tried for real**, in each `make test`: {listed['real']}. By hand: {listed['by hand']}.\n"
        f"- **Emulated**: {listed['emulated']}.\n"
        f"- **Recorded texts only**: {listed['records']}.\n"
        f"- **Never tried**: {listed['none']}.\n"
        f"- What was tried, when, and by which command: [{PAGE}]({PAGE}).\n"
    )


def _names(rows: list[Proved]) -> list[str]:
    """The names of `rows`, those of the DUTs in one entry."""
    names = [(one.what.endswith(_AS_DUT), (one.short or one.what).removesuffix(_AS_DUT)) for one in rows]
    duts, others = ([name for is_dut, name in names if is_dut is wanted] for wanted in (True, False))
    return [*others, f"{', '.join(duts)}{_AS_DUT}"] if duts else others


def with_readme_lines(readme: str) -> str:
    """The text of a README with these lines between its marks."""
    return _LINES.sub(lambda _: readme_lines(), readme)
