"""All trials: their modules register them as they are imported."""

from trials import (  # noqa: F401
    control_fuzzing,
    cycles,
    kills,
    labs,
    output_faults,
    packets,
    restarts,
    rpc_fuzzing,
)
from trials.trial import TRIALS

__all__ = ["TRIALS"]
