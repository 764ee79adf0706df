"""The RPC methods by name, and the types of their parameters.

A method is a function marked with `@method`. Its annotations say what it takes: plain types are read from the
parameter of the same name, a default makes it optional. A missing or wrong one is answered with T-Rex's -32602.

    server: Server     the state of the generator
    port: Port         the port that `port_id` names
    port: OwnedPort    the same, and `handler` must be its owner's
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

from wirespeed.generator.port import Port
from wirespeed.generator.rpc import UNKNOWN_METHOD, Json, RpcError, bad_parameters, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

OwnedPort = Annotated[Port, "owned"]
UInt64 = Annotated[int, "uint64"]
"""Plain `int` takes 32 bits."""


@dataclass(frozen=True)
class Method:
    """A function and what to call it with; `open_to_all` needs no API handle, `listed` is told to clients."""

    name: str
    run: Callable[..., Any]
    parameters: dict[str, tuple[Any, Any]]
    open_to_all: bool
    listed: bool


METHODS: dict[str, Method] = {}

_REQUIRED = inspect.Parameter.empty
_ANY_VALUE = (str, bool, dict, list)
"""Types of which every value will do."""

_MAXIMA = {"uint32": (1 << 32) - 1, "uint64": (1 << 64) - 1}


def method(
    name: str, *, open_to_all: bool = False, listed: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Serve the function as the RPC method `name`."""

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        hints = get_type_hints(run, globalns=vars(inspect.getmodule(run)) | {"Server": object}, include_extras=True)
        parameters = {
            parameter: (hints[parameter], described.default)
            for parameter, described in inspect.signature(run).parameters.items()
            if parameter != "server"
        }
        METHODS[name] = Method(name, run, parameters, open_to_all, listed)
        return run

    return register


def invoke(methods: dict[str, Method], server: Server, name: str, params: Json) -> Any:
    """Check the parameters of a request and run its method."""
    found = methods.get(name)
    if found is None:
        raise RpcError(UNKNOWN_METHOD, message=f"Method {name} not registered")
    if not found.open_to_all and read(params, "api_h", str) != server.api_h:
        raise failed("API verification failed - API handler provided mismatch for class: 'common'")
    given = {}
    for parameter, (kind, default) in found.parameters.items():
        if parameter == "port":
            given[parameter] = _port(server, params, owned=kind is OwnedPort)
        else:
            given[parameter] = read(params, parameter, kind, default)
    return found.run(server, **given)


def _port(server: Server, params: Json, owned: bool) -> Port:
    index = read(params, "port_id", int)
    if index >= len(server.ports):
        raise failed(f"invalid port id - should be: {' '.join(str(port.index) for port in server.ports)}")
    port: Port = server.ports[index]
    if owned:
        port.check_handler(read(params, "handler", str))
    return port


def read(params: Json, name: str, kind: Any, default: Any = _REQUIRED) -> Any:
    """One parameter, checked; `kind` is str, bool, int, float, dict, list or an annotated one of them."""
    value: Any = params.get(name)
    if value is None:
        if default is _REQUIRED:
            raise bad_parameters(f"field '{name}' value is null")
        return default
    base, expected = _described(kind)
    if type(value) is base and base in _ANY_VALUE:
        return value
    if base is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 1e300 else math.inf
    if not isinstance(value, base) or (base is not bool and isinstance(value, bool)):
        raise bad_parameters(f"field '{name}' is '{_type_name(value)}', expecting '{expected}'")
    if base is int and not 0 <= value <= _MAXIMA[expected]:
        raise bad_parameters(f"field '{name}' is {value}, expecting '{expected}'")
    if base is float and not math.isfinite(value):
        raise bad_parameters(f"field '{name}' is not a finite number")
    return value


@functools.cache
def _described(kind: Any) -> tuple[Any, str]:
    """The Python type and T-Rex's word for it; what may be None is described by what it is otherwise."""
    if isinstance(kind, UnionType):
        (kind,) = (member for member in get_args(kind) if member is not NoneType)
    note = getattr(kind, "__metadata__", (None,))[0]
    base = getattr(kind, "__origin__", kind)
    words = {str: "string", bool: "boolean", int: "uint32", float: "double", dict: "object", list: "array"}
    return base, note or words[base]


def _type_name(value: Any) -> str:
    for kind, word in ((bool, "boolean"), (int, "int"), (float, "double"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return word
    return "object"
