"""`wirespeed explain`: the limit of a router, from results or pasted output."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from wirespeed.cases.facts import Case
from wirespeed.cli.options import DutNameOption, NameOption
from wirespeed.errors import UsageError
from wirespeed.pages.words import harmless


def command(
    results: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RESULT.json...",
            help="Results of any kind, or evidence as YAML; also files of host show -o and dut collect -o.",
        ),
    ] = None,
    *,
    against: Annotated[
        list[Path] | None,
        typer.Option("--against", metavar="RESULT", help="Results of the same DUT to compare with."),
    ] = None,
    show_run: Annotated[
        Path | None,
        typer.Option("--show-run", metavar="FILE", help="A `show runtime` of the router under load, - for stdin."),
    ] = None,
    show_errors: Annotated[
        Path | None, typer.Option("--show-errors", metavar="FILE", help="The `show errors` that belongs to --show-run.")
    ] = None,
    evidence: Annotated[
        list[Path] | None,
        typer.Option(
            "--evidence",
            metavar="FILE",
            help="Saved command output (show runtime, ethtool -S, mpstat and others), or a folder of it; repeatable.",
        ),
    ] = None,
    hz: Annotated[
        float | None, typer.Option("--hz", metavar="HZ", help="Clock of the router's CPUs in Hz, e.g. 2.2e9.")
    ] = None,
    offered: Annotated[str, typer.Option("--offered", metavar="RATE", help="Offered load, e.g. 1.48mpps.")] = "",
    received: Annotated[str, typer.Option("--received", metavar="RATE", help="Received rate.")] = "",
    size: Annotated[
        float | None, typer.Option("--size", metavar="BYTES", help="Mean frame length, FCS included.")
    ] = None,
    line: Annotated[str, typer.Option("--line", metavar="SPEED", help="Line rate of one direction, e.g. 10G.")] = "",
    directions: Annotated[
        int, typer.Option("--directions", metavar="N", min=1, help="Number of loaded directions.")
    ] = 1,
    output_format: Annotated[Literal["text", "md", "json"], typer.Option("--format", help="Output format.")] = "text",
    dut_name: DutNameOption = "",
    name: NameOption = None,
) -> None:
    """Identify what limits a router, with confidence and evidence. `unknown` is a verdict too."""
    from wirespeed.explain import text  # noqa: PLC0415 - other commands need none of it
    from wirespeed.explain.ranking import explain  # noqa: PLC0415
    from wirespeed.explain.sources.files import read_cases  # noqa: PLC0415
    from wirespeed.explain.sources.pasted import Pasted, figures_of, pasted_case  # noqa: PLC0415
    from wirespeed.explain.sources.texts import text_case, texts_among  # noqa: PLC0415
    from wirespeed.explain.verdicts import verdicts_of_files  # noqa: PLC0415
    from wirespeed.results.dut_names import parse_names  # noqa: PLC0415

    texts, results = texts_among(results or [], evidence or [])
    if bool(results) + (show_run is not None) + bool(texts) != 1:
        raise UsageError("give either result files, or a router's output with --show-run FILE or --evidence FILE")
    cases: tuple[Case, ...]
    if texts:
        cases = (text_case(texts, figures_of(hz, offered, received, size, line, directions)),)
    elif show_run is not None:
        pasted = Pasted(show_run, show_errors, hz, offered, received, size, line, directions)
        cases = (pasted_case(pasted),)
    else:
        cases = read_cases(results or [], against or [], parse_names(dut_name, name or ()))
    if not cases:
        raise UsageError("these files describe the DUT only; give the result of a test as well")
    explanations = [explain(case) for case in cases]
    write = {"text": text.as_text, "md": text.as_markdown, "json": text.as_json}[output_format]
    told = write(explanations, verdicts_of_files(results or [], explanations))
    sys.stdout.write(told if output_format == "json" else "\n".join(map(harmless, told.split("\n"))))
