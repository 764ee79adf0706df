"""wirespeed: measure what a router really forwards, and explain why.

The names in `__all__` are the library (docs/ci.md); each is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from wirespeed.errors import WirespeedError
    from wirespeed.explain.verdicts import verdict_of
    from wirespeed.library import Testbed, bring_up, connect, embedded_lab, read_result, write_result
    from wirespeed.measurement.burst.options import BurstOptions as Burst
    from wirespeed.measurement.burst.result import BurstResult
    from wirespeed.measurement.loadtest.options import LoadtestOptions as LoadTest
    from wirespeed.measurement.loadtest.result import Result as LoadTestResult
    from wirespeed.measurement.rfc2544.options import Rfc2544Options as Rfc2544
    from wirespeed.measurement.rfc2544.result import Rfc2544Result
    from wirespeed.measurement.search.options import SearchOptions as Search
    from wirespeed.measurement.search.result import SearchResult
    from wirespeed.measurement.soak.options import SoakOptions as Soak
    from wirespeed.measurement.soak.result import SoakResult
    from wirespeed.measurement.stateful.options import StatefulOptions as Stateful
    from wirespeed.measurement.stateful.result import StatefulResult
    from wirespeed.results.verdict import Verdict

_PLACES = {
    "Burst": "measurement.burst.options:BurstOptions",
    "BurstResult": "measurement.burst.result:BurstResult",
    "LoadTest": "measurement.loadtest.options:LoadtestOptions",
    "LoadTestResult": "measurement.loadtest.result:Result",
    "Rfc2544": "measurement.rfc2544.options:Rfc2544Options",
    "Rfc2544Result": "measurement.rfc2544.result:Rfc2544Result",
    "Search": "measurement.search.options:SearchOptions",
    "SearchResult": "measurement.search.result:SearchResult",
    "Soak": "measurement.soak.options:SoakOptions",
    "SoakResult": "measurement.soak.result:SoakResult",
    "Stateful": "measurement.stateful.options:StatefulOptions",
    "StatefulResult": "measurement.stateful.result:StatefulResult",
    "Testbed": "library:Testbed",
    "Verdict": "results.verdict:Verdict",
    "WirespeedError": "errors:WirespeedError",
    "bring_up": "library:bring_up",
    "connect": "library:connect",
    "embedded_lab": "library:embedded_lab",
    "read_result": "library:read_result",
    "verdict_of": "explain.verdicts:verdict_of",
    "write_result": "library:write_result",
}

__all__ = [
    "Burst",
    "BurstResult",
    "LoadTest",
    "LoadTestResult",
    "Rfc2544",
    "Rfc2544Result",
    "Search",
    "SearchResult",
    "Soak",
    "SoakResult",
    "Stateful",
    "StatefulResult",
    "Testbed",
    "Verdict",
    "WirespeedError",
    "__version__",
    "bring_up",
    "connect",
    "embedded_lab",
    "read_result",
    "verdict_of",
    "write_result",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PLACES[name].partition(":")
    globals()[name] = found = getattr(import_module(f"{__name__}.{module}"), attribute)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
