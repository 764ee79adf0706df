"""Paths of routes as they are typed: `via ADDRESS [INTERFACE] [weight N] [out-labels …]` and what drops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wirespeed.errors import UsageError
from wirespeed.router.grammar import LITERAL, Match
from wirespeed.seam.routes import LabelPipe, Path, PathKind

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
    " [weight <number:weight>] [out-labels (<label> [pipe|uniform|ttl <number:ttl>|exp <number:exp>]...)...])..."
)
_MAX_WEIGHT = 255
_MAX_TTL = 255
_MAX_CLASS = 7


def read_paths(words: Match, table: int = 0) -> list[Path]:
    """The paths in the order they stand. Next hops are looked for in `table`, that of the route itself."""
    paths: list[Path] = []
    is_uniform = False
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
                pipes = paths[-1].pipes or (None,) * len(paths[-1].labels)
                paths[-1] = replace(paths[-1], labels=(*paths[-1].labels, value), pipes=(*pipes, None))
                is_uniform = False
            case _, "uniform" if name == LITERAL:
                is_uniform = True
                _check_uniform(paths[-1])
            case _, "pipe" if name == LITERAL:
                paths[-1] = _as_pipe(paths[-1], is_uniform)
            case "ttl", _:
                if not 1 <= value <= _MAX_TTL:
                    raise UsageError(f"ttl {value} is not between 1 and {_MAX_TTL}")
                paths[-1] = _as_pipe(paths[-1], is_uniform, ttl=value)
            case "exp", _:
                if value > _MAX_CLASS:
                    raise UsageError(f"exp {value} is not between 0 and {_MAX_CLASS}")
                paths[-1] = _as_pipe(paths[-1], is_uniform, traffic_class=value)
    return [path if any(path.pipes) else replace(path, pipes=()) for path in paths]


def _as_pipe(path: Path, is_uniform: bool, **fields: int) -> Path:
    """The path with its last label in the pipe model."""
    made = replace(path, pipes=(*path.pipes[:-1], replace(path.pipes[-1] or LabelPipe(), **fields)))
    if is_uniform:
        _check_uniform(made)
    return made


def _check_uniform(path: Path) -> None:
    if path.pipes[-1] is not None:
        raise UsageError(
            f"label {path.labels[-1]} is uniform: it copies the packet's TTL and class; leave out pipe, ttl and exp"
        )


def same_path(present: Path, named: Path) -> bool:
    """True if an existing path matches the given one."""
    return (
        present.kind is named.kind
        and present.next_hop == named.next_hop
        and (present.kind is not PathKind.LOOKUP or present.table == named.table)
        and (named.interface is None or present.interface in (named.interface, None))
    )


def merge_paths(present: Sequence[Path], added: Sequence[Path]) -> tuple[Path, ...]:
    """The present paths and the given ones, as VPP adds them; what forwards nothing takes all others' place."""
    merged = [path for path in present if not any(same_path(path, new) for new in added)] + list(added)
    shares = all(path.kind in (PathKind.NEXT_HOP, PathKind.ATTACHED) for path in merged)
    return tuple(merged if shares else added)
