"""Edits VPP's startup.conf: queues, descriptors, workers and drivers. Pure.

Other settings stay. Comments are removed, since the original file is kept and restored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from wirespeed.dut.setup import DutSetup
from wirespeed.errors import EnvironmentFault

_QUEUE_KEYS = {"num-rx-queues": "queues", "num-rx-desc": "rx_descriptors", "num-tx-desc": "tx_descriptors"}


@dataclass
class ConfItem:
    """A line, or a section: the words before `{`, and the entries up to `}`."""

    words: str
    block: list[ConfItem] | None = None


@dataclass
class _Text:
    """Pieces between line ends and braces that are left to read."""

    pieces: list[str] = field(default_factory=list)


def startup_conf(text: str, setup: DutSetup) -> str:
    """The file with the options of the setup; unchanged if it has them already. EnvironmentFault for an invalid
    file."""
    items = _parsed(text)
    before = _printed(items)
    options = setup.options
    if options.workers is not None or options.cpus:
        _cpu_section(items, setup)
    if options.driver:
        _replace(_section(items, "dpdk"), "uio-driver", options.driver)
    queues = {key: getattr(options, name) for key, name in _QUEUE_KEYS.items() if getattr(options, name)}
    if queues:
        _default_queues(_section(items, "dpdk"), queues)
    for one in setup.interfaces:
        if one.pci:
            _device(_section(items, "dpdk"), one.pci, one.name, options.devargs)
    after = _printed(items)
    return text if after == before else after


def _cpu_section(items: list[ConfItem], setup: DutSetup) -> None:
    cpu, options = _section(items, "cpu"), setup.options
    for key in ("workers", "corelist-workers", "skip-cores"):
        _replace(cpu, key, "")
    if options.cpus:
        chosen = options.cpus if options.workers is None else options.cpus[: options.workers]
        _replace(cpu, "corelist-workers", ",".join(map(str, chosen)))
    else:
        _replace(cpu, "workers", str(options.workers))


def _default_queues(dpdk: list[ConfItem], queues: dict[str, int]) -> None:
    """In `dev default`, and no longer with a device of its own, which would win."""
    for item in dpdk:
        if item.words.startswith("dev ") and item.block is not None:
            for key in queues:
                _replace(item.block, key, "")
    default = next((item for item in dpdk if item.words == "dev default"), None)
    if default is None:
        default = ConfItem("dev default", [])
        dpdk.insert(0, default)
    default.block = default.block if default.block is not None else []
    for key, value in queues.items():
        _replace(default.block, key, str(value))


def _device(dpdk: list[ConfItem], pci: str, name: str, devargs: str) -> None:
    item = next((item for item in dpdk if item.words == f"dev {pci}"), None)
    if item is None:
        item = ConfItem(f"dev {pci}")
        dpdk.append(item)
    item.block = item.block if item.block is not None else []
    _replace(item.block, "name", name)
    if devargs:
        _replace(item.block, "devargs", devargs)


def _section(items: list[ConfItem], name: str) -> list[ConfItem]:
    for item in items:
        if item.words == name and item.block is not None:
            return item.block
    items.append(ConfItem(name, []))
    return items[-1].block or _section(items, name)


def _replace(block: list[ConfItem], key: str, value: str) -> None:
    """`key value` in the place of what `key` was; several keys may stand in one line."""
    pattern = re.compile(rf"(?<!\S){re.escape(key)}\s+\S+")
    wanted = f"{key} {value}" if value else ""
    for item in block:
        if item.block is None and pattern.search(item.words):
            item.words = " ".join(pattern.sub(wanted, item.words).split())
            wanted = ""
    if wanted:
        block.append(ConfItem(wanted))
    block[:] = [item for item in block if item.words]


def _parsed(text: str) -> list[ConfItem]:
    bare = re.sub(r"#.*", "", text)
    source = _Text([piece.strip() for piece in re.split(r"([{}\n])", bare) if piece.strip(" \t")][::-1])
    items = list(_items(source))
    if source.pieces:
        raise EnvironmentFault("startup.conf has a } without its {")
    return items


def _items(source: _Text, is_inner: bool = False) -> Iterator[ConfItem]:
    words = ""
    while source.pieces:
        piece = source.pieces.pop()
        if piece == "{":
            yield ConfItem(words, list(_items(source, is_inner=True)))
            words = ""
        elif piece == "}":
            if words:
                yield ConfItem(words)
            if not is_inner:
                source.pieces.append(piece)
            return
        elif piece:
            if words:
                yield ConfItem(words)
            words = " ".join(piece.split())
    if is_inner:
        raise EnvironmentFault("startup.conf has a { without its }")
    if words:
        yield ConfItem(words)


def _printed(items: list[ConfItem], depth: int = 0) -> str:
    lines = []
    for item in items:
        indent = "  " * depth
        if item.block is None:
            lines.append(f"{indent}{item.words}\n")
        else:
            lines.append(f"{indent}{item.words} {{\n{_printed(item.block, depth + 1)}{indent}}}\n")
    return "".join(lines)
