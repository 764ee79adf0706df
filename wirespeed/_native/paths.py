"""Paths of routes, to and from the structs of the seam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirespeed._native.addresses import address_struct, read_address
from wirespeed.errors import UsageError
from wirespeed.seam.routes import LabelPipe, Path, PathKind


def fill_paths(ffi: Any, struct: Any, paths: Sequence[Path], what: str) -> None:
    """Write paths into a struct with `paths` and `path_count`; `what` names the route in an error."""
    if len(paths) > len(struct.paths):
        raise UsageError(f"{what} has {len(paths)} paths; at most {len(struct.paths)}")
    struct.path_count = len(paths)
    for path, wanted in zip(struct.paths, paths, strict=False):
        if len(wanted.labels) > len(path.labels):
            raise UsageError(f"{what} pushes {len(wanted.labels)} labels; at most {len(path.labels)}")
        path.kind, path.weight, path.table = wanted.kind, wanted.weight, wanted.table
        if wanted.next_hop is not None:
            path.next_hop = address_struct(ffi, wanted.next_hop)
        path.interface = -1 if wanted.interface is None else wanted.interface
        path.label_count, path.labels = len(wanted.labels), wanted.labels
        path.label_ttls = [0 if pipe is None else pipe.ttl for pipe in wanted.pipes]
        path.label_classes = [0 if pipe is None else pipe.traffic_class for pipe in wanted.pipes]


def read_paths(struct: Any, count: int) -> tuple[Path, ...]:
    """From an array of structs."""
    return tuple(_path(path) for path in struct[0:count])


def _path(struct: Any) -> Path:
    kind = PathKind(struct.kind)
    return Path(
        kind,
        read_address(struct.next_hop) if kind is PathKind.NEXT_HOP else None,
        None if struct.interface < 0 else struct.interface,
        max(1, struct.weight),
        struct.table,
        tuple(struct.labels[0 : struct.label_count]),
        _pipes(struct),
    )


def _pipes(struct: Any) -> tuple[LabelPipe | None, ...]:
    pipes = tuple(
        LabelPipe(struct.label_ttls[at], struct.label_classes[at]) if struct.label_ttls[at] else None
        for at in range(struct.label_count)
    )
    return pipes if any(pipes) else ()
