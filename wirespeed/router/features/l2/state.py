"""Bridge domains in `show state`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wirespeed.router.console import Console


def objects(console: Console) -> Iterator[dict[str, Any]]:
    for domain in console.core.l2.domains():
        flags = {word: getattr(domain, word) for word in ("learn", "forward", "flood", "uu_flood", "age_min")}
        yield {"bridge_domain": domain.id, **flags}
