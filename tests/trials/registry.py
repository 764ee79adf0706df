"""All trials: their modules register them when they are imported."""

from trials import (  # noqa: F401
    control_fuzzing,
    cycles,
    held_connections,
    kills,
    labs,
    many_links,
    output_faults,
    packets,
    restarts,
    rpc_fuzzing,
    web_pages,
)
from trials.trial import TRIALS

__all__ = ["TRIALS"]
