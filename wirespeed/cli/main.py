"""`wirespeed COMMAND`: finds the command, runs it, turns errors into one line and an exit code."""

from __future__ import annotations

import os
import sys

from wirespeed import __version__
from wirespeed.errors import INTERRUPTED, FileFault, UsageError, WirespeedError
from wirespeed.measurement.registry import about_of, kinds
from wirespeed.renamed import present_command
from wirespeed.standard_output import CLOSED_PIPE, OutputLost, give_output_up, guard_output

ABOUT = "Measure what a router really forwards, and explain why."
GROUPS = {
    "Measure": {
        "demo": "Set up a lab here, run its load tests, write the report.",
        **{kind: about_of(kind).summary for kind in kinds()},
        "campaign": "Run a matrix of tests from a file, each once; resumable.",
    },
    "Look": {
        "report": "Turn result files into one interactive HTML page, or a table.",
        "explain": "Name what limits a router, from results or a `show runtime`.",
        "compare": "Compare results: better, worse, same, or inconclusive.",
        "results": "Store results in an archive, each once, and search it.",
        "web": "Show running tests, and results with reports, in the browser.",
    },
    "Lab": {
        "testbed": "Check a testbed (tester, links, DUT); print its file's schema.",
        "dut": "Prepare a device under test, collect from it, restore it.",
        "host": "Show a machine's hardware, check and fix it for testing.",
    },
    "Operate": {
        "generator": "Run the traffic generator (T-Rex stateless RPC).",
        "router": "Run the software router, with VPP's commands.",
        "ctl": "Control a running router: one command, a shell, or its counters.",
        "config": "Check, plan and apply vppcfg's YAML; dump a router as YAML.",
        "console": "T-Rex's console for a generator: a command, a shell, or `tui`.",
        "exporter": "Prometheus exporter of routers, generators, tests and devices.",
    },
}
RENAMED = {"inspect": "host show", "doctor": "host check", "stats": "ctl stats"}
"""Commands of earlier versions whose parts became commands of their own; renamed.py has those that still work."""
COMMANDS = {name: summary for commands in GROUPS.values() for name, summary in commands.items()}


def main(argv: list[str] | None = None) -> int:
    """Run one command. An error that a user can act on becomes one line on stderr and the exit code of its class.

    If the reader of standard output is gone, as with `head`, the command ends silently; a full disk is an error.
    """
    if argv is None:
        guard_output()
    try:
        code = _run((sys.argv[1:] if argv is None else argv) or ["--help"])
        if sys.stdout is not None:
            sys.stdout.flush()  # what fails only now is told as well
    except OutputLost as error:
        give_output_up()
        return CLOSED_PIPE if error.is_closed else _fail(str(error), FileFault.exit_code)
    return code


def overview() -> str:
    """Output of `wirespeed --help`."""
    width = max(map(len, COMMANDS))
    groups = "\n\n".join(
        "\n".join((f"{group}:", *(f"  {name:<{width}}  {summary}" for name, summary in commands.items())))
        for group, commands in GROUPS.items()
    )
    return f"""Usage: wirespeed COMMAND [OPTIONS] [ARGS]...

  {ABOUT}

{groups}

Options:
  --version   Print the version.
  -h, --help  Show this message and exit."""


def _run(args: list[str]) -> int:
    # --version and --help need no option parser, whose import is most of a start.
    if args[0] in ("--version", "--help", "-h"):
        print(f"wirespeed {__version__}" if args[0] == "--version" else overview())
        return 0
    args = present_command(args)
    if args[0] in RENAMED:
        return _fail(f"{args[0]!r} is now `wirespeed {RENAMED[args[0]]}`", UsageError.exit_code)
    if args[0] not in COMMANDS:
        return _fail(f"{_unknown(args[0])}; see wirespeed --help", UsageError.exit_code)

    from typer import Abort  # noqa: PLC0415 - as above

    from wirespeed.cli.tree import run_command  # noqa: PLC0415

    try:
        result = run_command(args)
    except WirespeedError as error:
        return _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, EOFError, Abort):
        return _fail("interrupted", INTERRUPTED)
    except OSError as error:
        # Path.exists raises this for a file in a closed folder, and for a name that is too long.
        if error.filename is None:
            raise
        return _fail(f"{os.fsdecode(error.filename)} cannot be accessed: {error.strerror}", FileFault.exit_code)
    return result if isinstance(result, int) else 0


def _unknown(word: str) -> str:
    from wirespeed.cli.tree import suggestion  # noqa: PLC0415 - as above

    return f"no {'option' if word.startswith('-') else 'command'} {word!r}{suggestion(word, COMMANDS)}"


def _fail(message: str, code: int) -> int:
    print(f"wirespeed: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
