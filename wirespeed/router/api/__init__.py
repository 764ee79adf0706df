"""The router's binary API: importing a module of this package adds its handlers to those that the server calls."""

from importlib import import_module
from pkgutil import iter_modules

from wirespeed.router.api.registry import HANDLERS
from wirespeed.router.features import modules

for _module in iter_modules(__path__):
    if _module.name != "server":
        import_module(f"{__name__}.{_module.name}")
_of_features = [*modules("api")]

__all__ = ["HANDLERS"]
