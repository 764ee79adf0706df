"""The router's command line: a line in, lines out, whatever it runs on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.errors import FileFault, WirespeedError
from wirespeed.files import read_text_file
from wirespeed.later import Later
from wirespeed.model import PortSpec
from wirespeed.router.cleared_statistics import Statistics
from wirespeed.router.features import modules
from wirespeed.router.messages import Messages
from wirespeed.router.trace_filter import TraceFilter
from wirespeed.seam.addresses import Network
from wirespeed.seam.ip6 import EchoReply

if TYPE_CHECKING:
    from wirespeed.router import commands
    from wirespeed.router.commands import memif
    from wirespeed.router.features.control import Control
    from wirespeed.router.features.l2.control import BridgeTags
    from wirespeed.router.features.lcp.control import LinuxControlPlane
    from wirespeed.router.features.sflow.control import SflowAgent
    from wirespeed.router.native import NativeRouter
else:
    commands = Later("wirespeed.router.commands")
    memif = Later("wirespeed.router.commands.memif")

_MAX_EXEC_DEPTH = 8
_MAX_EXEC_BYTES = 512 << 20  # ten million routes


@dataclass
class _Place:
    """Context of a line: the directory of relative file names, and the depth of nested files."""

    directory: Path
    depth: int = 0


class Console:
    """Runs command lines on one data plane; the controls of features are attributes by their names."""

    l2: BridgeTags
    lcp: LinuxControlPlane
    sflow: SflowAgent

    def __init__(self, core: NativeRouter, directory: Path | None = None) -> None:
        self.core = core
        self.statistics = Statistics(core)
        self.started_tsc = core.tsc()
        self.messages = Messages()
        self.taps: dict[str, PortSpec] = {}
        self.ports: dict[str, PortSpec] = {}
        """Made by create pcap and create ring."""
        self.tags: dict[int, str] = {}
        self._place = _Place(directory or Path.cwd())
        self.trace_filter: TraceFilter | None = None
        self.capture_prefix: Network | None = None
        self.capture_file = Path()
        # By sequence number: answers to pings of one session may be seen by another first.
        self.echo_replies: dict[int, EchoReply] = {}
        self.controls: dict[str, Control] = {name: module.CONTROL(self) for name, module in modules("control")}
        vars(self).update(self.controls)

    @cached_property
    def memifs(self) -> memif.Memifs:
        return memif.Memifs()

    def changed(self) -> None:
        """Tell the features that a command, a message or a device may have changed the router."""
        for control in self.controls.values():
            control.changed()

    def close(self) -> None:
        for control in self.controls.values():
            control.close()

    @property
    def directory(self) -> Path:
        """Directory of relative file names in a line."""
        return self._place.directory

    def run_from(self, directory: Path, line: str) -> Iterator[str]:
        """Run one line as `run` does, for a session that is in `directory`, whatever others run between its lines."""
        place = _Place(directory)
        self._place = place
        lines = self.run(line)
        while True:
            self._place = place
            try:
                said = next(lines)
            except StopIteration:
                return
            yield said

    def run(self, line: str) -> Iterator[str]:
        """Run one line; yields the lines of its answer. UsageError for a wrong line, else what the core raises."""
        words = line.split()
        if not words or words[0].startswith("#"):
            return iter(())
        if words[-1] == "?":
            return self.help(line.strip()[:-1])
        command, match = commands.GRAMMAR.match(line, self)
        return iter(command.function(self, match) or ())

    def run_file(self, path: Path) -> Iterator[str]:
        """Run a file of lines up to the first that fails; its error names file, line number and word."""
        place = self._place
        path = place.directory / path
        if place.depth >= _MAX_EXEC_DEPTH:
            raise FileFault(f"{path}: exec nests files at most {_MAX_EXEC_DEPTH} deep")
        text = read_text_file(path, "command file", _MAX_EXEC_BYTES)
        try:
            text.decode()
        except UnicodeDecodeError:
            raise FileFault(f"command file {path} is not text; give a file of commands") from None
        place.depth += 1
        try:
            yield from self._run_lines(path, text)
        finally:
            place.depth -= 1

    def _run_lines(self, path: Path, text: bytes) -> Iterator[str]:
        number, offset = 0, 0
        while offset < len(text):
            # Routes come by the million; what of them is plain the core reads itself.
            if text.startswith(b"ip route ", offset):
                done, lines = self.core.run_route_lines(text, offset)
                offset, number = offset + done, number + lines
                if done:
                    continue
            end = text.find(b"\n", offset)
            line, offset = text[offset : len(text) if end < 0 else end], len(text) if end < 0 else end + 1
            number += 1
            try:
                yield from self.run(line.decode())
            except WirespeedError as error:
                raise type(error)(f"{path}, line {number}: {error}") from None

    def help(self, line: str) -> Iterator[str]:
        """Possible next words after `line`, each with one line of help."""
        return (f"  {label:<30} {summary}" for label, summary in commands.GRAMMAR.expected(line, self))

    def complete(self, line: str) -> list[str]:
        return commands.GRAMMAR.complete(line, self)

    def interface_names(self) -> dict[str, int]:
        return self.core.interface_names()

    def interface_index(self, name: str) -> int | None:
        return self.core.interface_index(name)

    def node_names(self) -> list[str]:
        return sorted({node.name for node in self.core.node_stats(0)})

    def interfaces(self, chosen: Iterable[int]) -> list[int]:
        """The interfaces that a command names, or all."""
        return list(chosen) or list(self.core.interface_names().values())
