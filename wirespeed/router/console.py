"""The router's command line: a line in, lines out, whatever it runs on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from wirespeed.errors import FileFault, WirespeedError
from wirespeed.router.commands import GRAMMAR
from wirespeed.router.core import RouterCore
from wirespeed.router.statistics import Statistics

_MAX_EXEC_DEPTH = 8


class Console:
    """Runs command lines on one data plane. `directory` is what relative file names of a line start from."""

    def __init__(self, core: RouterCore) -> None:
        self.core = core
        self.statistics = Statistics(core)
        self.started_tsc = core.tsc()
        self.directory = Path.cwd()
        self._exec_depth = 0

    def run(self, line: str) -> Iterator[str]:
        """Run one line; yields the lines of its answer. UsageError for a wrong line, else what the core raises."""
        words = line.split()
        if not words or words[0].startswith("#"):
            return iter(())
        if words[-1] == "?":
            return self.help(line.strip()[:-1])
        command, match = GRAMMAR.match(line, self)
        return iter(command.function(self, match) or ())

    def run_file(self, path: Path) -> Iterator[str]:
        """Run a file of lines up to the first that fails; its error names file, line number and word."""
        path = self.directory / path
        if self._exec_depth >= _MAX_EXEC_DEPTH:
            raise FileFault(f"{path}: files that execute files go {_MAX_EXEC_DEPTH} deep at most")
        try:
            lines = path.read_text().splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not a text file"
            raise FileFault(f"{path} cannot be read: {reason}") from None
        self._exec_depth += 1
        try:
            for number, line in enumerate(lines, 1):
                try:
                    yield from self.run(line)
                except WirespeedError as error:
                    raise type(error)(f"{path}, line {number}: {error}") from None
        finally:
            self._exec_depth -= 1

    def help(self, line: str) -> Iterator[str]:
        """What could come after `line`, each with one line of help."""
        return (f"  {label:<30} {summary}" for label, summary in GRAMMAR.expected(line, self))

    def complete(self, line: str) -> list[str]:
        return GRAMMAR.complete(line, self)

    def interface_names(self) -> list[str]:
        return [self.core.interface(index).name for index in range(self.core.interface_count())]

    def node_names(self) -> list[str]:
        return sorted({node.name for node in self.core.node_stats(0)})

    def interfaces(self, chosen: Iterable[int]) -> list[int]:
        """The interfaces that a command names, or all."""
        return list(chosen) or list(range(self.core.interface_count()))
