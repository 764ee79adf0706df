"""Additional work for a lab's router, so that it is the limit and not the tester."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wirespeed.router.client import ask

INTERFACES = ("e0", "e1")
NEXT_HOPS = ("100.64.1.2", "100.64.2.2")
_WAYS = ("input", "output")


class Commanded(Protocol):
    """A lab whose router takes command lines."""

    directory: Path

    @property
    def control_socket(self) -> Path: ...


@dataclass(frozen=True)
class Burden:
    """`rules` of an ACL that each packet meets as it comes in and as it leaves, the last of which fits; `routes` is a
    full table, `internet:COUNT` or a file."""

    name: str
    rules: int = 0
    routes: str = ""

    def commands(self) -> list[str]:
        """The commands that add it. Pure except for the table."""
        lines = []
        if self.rules:
            denied = [f"deny src 203.0.{113 + index // 250}.{index % 250 + 1}/32" for index in range(self.rules - 1)]
            lines.append(f"set acl-plugin acl {', '.join([*denied, 'permit'])} tag burden")
            lines += [f"set acl-plugin interface {name} {way} acl 0" for name in INTERFACES for way in _WAYS]
        return [*lines, *self._table("add")]

    def undoing(self) -> list[str]:
        lines = []
        if self.rules:
            lines += [f"set acl-plugin interface {name} {way} acl 0 del" for name in INTERFACES for way in _WAYS]
            lines.append("delete acl-plugin acl index 0")
        return [*lines, *self._table("del")]

    def _table(self, word: str) -> list[str]:
        """Dealt to both sides in turn, as the profile that sends to it expects."""
        if not self.routes:
            return []
        from wirespeed.dut.tables import prefixes_of  # noqa: PLC0415 - a second's work

        return [
            f"ip route {word} {prefix} via {NEXT_HOPS[index % 2]}"
            for index, prefix in enumerate(prefixes_of(self.routes))
        ]


@contextmanager
def burdened(lab: Commanded, burden: Burden | None, *, is_last: bool = False) -> Iterator[None]:
    """The burden is on while the block runs; where nothing follows in the lab, it goes with that."""
    if burden is None:
        yield
        return
    _run(lab, burden.commands())
    try:
        yield
    finally:
        if not is_last:
            _run(lab, burden.undoing())


def _run(lab: Commanded, lines: list[str]) -> None:
    """All of them from a file: a full table line by line would take minutes."""
    file = lab.directory / "burden.conf"
    file.write_text("".join(f"{line}\n" for line in lines))
    ask(lab.control_socket, f"exec {file}")
    file.unlink()
