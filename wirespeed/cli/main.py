"""`wirespeed COMMAND`: finds the command, runs it, turns errors into one line and an exit code."""

from __future__ import annotations

import sys

from wirespeed import __version__
from wirespeed.errors import INTERRUPTED, FileFault, UsageError, WirespeedError
from wirespeed.standard_output import CLOSED_PIPE, OutputLost, give_output_up, guard_output

ABOUT = "Measure what a router really forwards, and explain why."
COMMANDS = {
    "demo": "Set up a lab here, run its load tests, write the report.",
    "loadtest": "Warm up, ramp the load linearly, hold it; write a result file.",
    "search": "Find NDR, PDR (MLRsearch) and MRR; latency at shares of them.",
    "rfc2544": "The benchmarks of RFC 2544, 9004 and 6201, by frame size.",
    "soak": "Hold a load for minutes to days; what that shows of the loss.",
    "suite": "Run a campaign of tests from a file; resumed, never twice.",
    "compare": "Results against results: better, worse, same, or cannot tell.",
    "corpus": "Results of all kinds kept for good, each once, and asked.",
    "dut": "Prepare a device under test, collect from it, put it back.",
    "bench": "Prove a bench part by part; the schema of its file.",
    "web": "A running test in the browser, and results with their reports.",
    "report": "Turn result files into one interactive HTML page, or a table.",
    "explain": "Name what limits a router, from results or a `show runtime`.",
    "inspect": "What the hardware is, what its links carry, what is off.",
    "doctor": "What this machine lacks to test with, and what mends it.",
    "generator": "Run the traffic generator (T-Rex stateless RPC).",
    "router": "Run the vector router.",
    "config": "Check vppcfg's YAML, plan and apply it, dump a router as such.",
    "console": "T-Rex's console for a generator: a command, a shell, or `tui`.",
    "exporter": "Serve counters of all of them to Prometheus.",
    "stats": "Read a router's counters in shared memory: ls, dump or poll.",
    "ctl": "Talk to a running router: one command, or a shell.",
}


def main(argv: list[str] | None = None) -> int:
    """Run one command; errors a user can act on become one line on stderr and the exit code of their class.

    Standard output that nobody reads ends the command silently, as `head` is used to; one that is full is an error.
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
    """What `wirespeed --help` prints: the option parser's own words for COMMANDS, without the time that it takes."""
    commands = "\n".join(f"  {name:<{max(map(len, COMMANDS))}}  {summary}" for name, summary in COMMANDS.items())
    return f"""Usage: wirespeed [OPTIONS] COMMAND [ARGS]...

  {ABOUT}

Options:
  --version   Print the version.
  -h, --help  Show this message and exit.

Commands:
{commands}"""


def _run(args: list[str]) -> int:
    # What scripts and people ask first needs no option parser, which is most of a start.
    if args in (["--version"], ["--help"], ["-h"]):
        print(f"wirespeed {__version__}" if args == ["--version"] else overview())
        return 0

    from typer import Abort  # noqa: PLC0415 - as above

    from wirespeed.cli.tree import run_command  # noqa: PLC0415

    try:
        result = run_command(ABOUT, COMMANDS, args)
    except WirespeedError as error:
        return _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, EOFError, Abort):
        return _fail("interrupted", INTERRUPTED)
    except OutputLost:
        raise
    except Exception as error:
        # What the option parser raises has no public class in typer; it is known by its method.
        explain = getattr(error, "format_message", None)
        if explain is None:
            raise
        words = ("wirespeed", *(word for word in args[:1] if word in COMMANDS), "--help")
        return _fail(f"{explain().rstrip('.')}; see {' '.join(words)}", UsageError.exit_code)
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int) -> int:
    print(f"wirespeed: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
