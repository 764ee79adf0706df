"""`wirespeed COMMAND`: finds the command, runs it, turns errors into one line and an exit code."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated

import typer
import typer.main

from wirespeed import __version__
from wirespeed.errors import INTERRUPTED, UsageError, WirespeedError

COMMANDS = {
    "demo": "Set up a lab on this machine, run the eight load tests, write the report.",
    "loadtest": "Warm up, ramp the load linearly, hold it; write a result file.",
    "report": "Turn result files into one interactive HTML page, or a table.",
    "generator": "Run the traffic generator (T-Rex stateless RPC).",
    "router": "Run the vector router.",
    "console": "T-Rex's console for a generator: a command, a shell, or the live `tui`.",
    "stats": "Read a router's counters from its shared memory: ls, dump, poll.",
    "ctl": "Talk to a running router: one command, or a shell.",
}


def main(argv: list[str] | None = None) -> int:
    """Run one command; errors a user can act on become one line on stderr and the exit code of their class."""
    args = (sys.argv[1:] if argv is None else argv) or ["--help"]
    command = typer.main.get_command(_app(loaded=args[0]))
    try:
        result = command.main(args=args, prog_name="wirespeed", standalone_mode=False)
    except WirespeedError as error:
        return _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except Exception as error:
        # What the option parser raises has no public class in typer; it is known by its method.
        explain = getattr(error, "format_message", None)
        if explain is None:
            raise
        return _fail(
            f"{explain().rstrip('.')}; see wirespeed {args[0] if args[0] in COMMANDS else ''} --help",
            UsageError.exit_code,
        )
    return result if isinstance(result, int) else 0


def _app(loaded: str) -> typer.Typer:
    """The command tree with only `loaded` imported, so that each command starts fast."""
    app = typer.Typer(
        help="Measure what a router really forwards, and explain why.",
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_top)
    for name, summary in COMMANDS.items():
        if name == loaded:
            module = import_module(f"wirespeed.cli.{name}")
            settings = getattr(module, "CONTEXT", {})
            app.command(name, context_settings={"help_option_names": ["-h", "--help"], **settings})(module.command)
        else:
            app.command(name, help=summary)(_unloaded)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"wirespeed {__version__}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def _unloaded() -> None:
    raise AssertionError("a command ran that was not imported")


def _fail(message: str, code: int) -> int:
    print(f"wirespeed: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
