"""Paths of routes as they are typed: `via ADDRESS [INTERFACE] [weight N] [out-labels …]` and what drops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wirespeed.errors import UsageError
from wirespeed.router.core import Path, PathKind
from wirespeed.router.grammar import LITERAL, Match

_ENDS = {
    "drop": PathKind.DROP,
    "blackhole": PathKind.DROP,
    "unreachable": PathKind.UNREACHABLE,
    "null-send-unreach": PathKind.UNREACHABLE,
    "prohibit": PathKind.PROHIBIT,
    "null-send-prohibit": PathKind.PROHIBIT,
    "local": PathKind.LOCAL,
}
END = "|".join(_ENDS)
"""Words for paths that lead nowhere else; these may stand without `via`."""
PATHS = (
    f"(via (<address:next_hop> [<interface>] [next-hop-table <number:table>]|<interface>|{END}"
    "|(ip4-lookup-in-table|ip6-lookup-in-table) <number:lookup>)"
    " [weight <number:weight>] [out-labels <label>...])..."
)
_MAX_WEIGHT = 255


def read_paths(words: Match, table: int = 0) -> list[Path]:
    """The paths in the order they stand. Next hops are looked for in `table`, that of the route itself."""
    paths: list[Path] = []
    for name, value in words.values:
        match name, value:
            case _, "via":
                paths.append(Path(PathKind.DROP))
            case _, _ if name == LITERAL and value in _ENDS:
                paths[-1:] = [Path(_ENDS[value])]
            case "next_hop", _:
                paths[-1] = Path(PathKind.NEXT_HOP, value, table=table)
            case "interface", _ if paths:
                kind = PathKind.ATTACHED if paths[-1].next_hop is None else PathKind.NEXT_HOP
                paths[-1] = replace(paths[-1], kind=kind, interface=value)
            case "table", _ if paths:
                paths[-1] = replace(paths[-1], table=value)
            case "lookup", _:
                paths[-1] = Path(PathKind.LOOKUP, table=value)
            case "weight", _:
                if not 1 <= value <= _MAX_WEIGHT:
                    raise UsageError(f"weight {value} is not between 1 and {_MAX_WEIGHT}")
                paths[-1] = replace(paths[-1], weight=value)
            case "label", _ if paths:
                paths[-1] = replace(paths[-1], labels=(*paths[-1].labels, value))
    return paths


def same_path(present: Path, given: Path) -> bool:
    """Whether a path that is there is the one that was named."""
    return (
        present.kind is given.kind
        and present.next_hop == given.next_hop
        and (present.kind is not PathKind.LOOKUP or present.table == given.table)
        and (given.interface is None or present.interface in (given.interface, None))
    )


def merge_paths(present: Sequence[Path], given: Sequence[Path]) -> tuple[Path, ...]:
    """The present paths and the given ones, as VPP adds them; what forwards nothing takes all others' place."""
    merged = [path for path in present if not any(same_path(path, new) for new in given)] + list(given)
    shares = all(path.kind in (PathKind.NEXT_HOP, PathKind.ATTACHED) for path in merged)
    return tuple(merged if shares else given)
