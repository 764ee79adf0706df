"""The options of `--lab vm`: disk image and resources of the guest. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from wirespeed.dut.setup import FilterOptions
from wirespeed.errors import UsageError
from wirespeed.lab.filter_words import FILTER_KEYS, filter_options
from wirespeed.testbed.model import Kind
from wirespeed.units import parse_speed

KINDS: tuple[str, ...] = tuple(kind for kind in get_args(Kind) if kind != "wirespeed")
FORMS = (
    "vm[:IMAGE][,memory=2G][,cpus=2][,kind=linux][,user=root][,key=FILE][,ssh=PORT][,boot=SECONDS][,speed=10G]"
    "[,filter=nat][,states=N][,buckets=N][,timeout=S][,qemu=ARGUMENTS]"
)
Reader = Callable[[str, str], Any]
"""Reads a value; the second argument names the source in messages."""
NO_FILTER = FilterOptions()
_OWN_MEMORY_MB, _IMAGE_MEMORY_MB = 512, 1024


@dataclass(frozen=True)
class VmOptions:
    """Without `image` the guest is the built-in Debian. `kind` is the type of DUT; `none` is neither prepared nor
    accessed. `ssh_port` 0 selects a free port; `filter` is the filter to prepare; `qemu` are further arguments for
    QEMU."""

    image: Path | None = None
    memory_mb: int = _OWN_MEMORY_MB
    cpus: int = 0
    kind: str = "linux"
    user: str = "root"
    key: str = ""
    ssh_port: int = 0
    boot_s: float = 600.0
    speed: str = "10G"
    filter: FilterOptions = NO_FILTER
    qemu: tuple[str, ...] = ()


def parse_vm(text: str) -> VmOptions:
    """UsageError names the word that is wrong. `qemu=` takes all that follows, commas too."""
    if not re.match(r"vm([:,]|$)", text):
        raise UsageError(f"--lab {text} is not a virtual machine; give {FORMS}")
    text, comma, words = text.partition(",qemu=")
    head, *parts = text.split(",")
    image = head.partition(":")[2]
    settings: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if key not in _KEYS or not equals or not value or key in settings:
            raise UsageError(
                f"--lab {text}: {part!r} is not one of {', '.join(f'{one}=…' for one in _KEYS)}; give {FORMS}"
            )
        settings[key] = value
    if not image and settings.get("kind", "linux") != "linux":
        raise UsageError(
            f"--lab {text}: without an image the guest is a Debian; kind={settings['kind']} needs vm:IMAGE"
        )
    if "filter" in settings and settings.get("kind") == "none":
        raise UsageError(f"--lab {text}: kind=none is not prepared; filter={settings['filter']} needs another kind")
    values: dict[str, Any] = {
        name: read(f"--lab {text}", settings[key]) for key, (name, read) in _READ.items() if key in settings
    }
    values["filter"] = filter_options(text, settings)
    if image:
        values = {"image": Path(image), "memory_mb": _IMAGE_MEMORY_MB, **values}
    if comma:
        values["qemu"] = _words(text, words)
    return VmOptions(**values)


def _words(who: str, value: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(value))
    except ValueError as error:
        raise UsageError(f"--lab {who}: qemu={value}: {error}") from None


def _memory(who: str, value: str) -> int:
    match = re.fullmatch(r"(\d{1,7})([MG])", value)
    megabytes = int(match[1]) * (1024 if match[2] == "G" else 1) if match else 0
    if megabytes < 64:
        raise UsageError(f"{who}: memory={value} is not a size; give 64M or more, such as 512M or 2G")
    return megabytes


def _number(least: int, most: int, what: str) -> Reader:
    def read(who: str, value: str) -> int:
        if not value.isdigit() or not least <= int(value) <= most:
            raise UsageError(f"{who}: {what} is a number from {least} to {most}, not {value!r}")
        return int(value)

    return read


def _kind(who: str, value: str) -> str:
    if value not in KINDS:
        raise UsageError(f"{who}: kind={value} is not known; give {', '.join(KINDS)}")
    return value


def _speed(who: str, value: str) -> str:
    parse_speed(value)
    return value


def _text(who: str, value: str) -> str:
    return value


_READ: dict[str, tuple[str, Reader]] = {
    "memory": ("memory_mb", _memory),
    "cpus": ("cpus", _number(1, 64, "cpus")),
    "kind": ("kind", _kind),
    "user": ("user", _text),
    "key": ("key", _text),
    "ssh": ("ssh_port", _number(1, 65535, "ssh")),
    "boot": ("boot_s", _number(1, 86400, "boot")),
    "speed": ("speed", _speed),
}
_KEYS = (*_READ, *FILTER_KEYS)
