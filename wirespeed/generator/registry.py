"""The RPC methods by name, and the types of their parameters.

A method is a function marked with `@method`. Its annotations say what it takes: plain types are read from the
parameter of the same name, a default makes it optional. A missing or wrong one is answered with T-Rex's -32602.

    server: Server     the state of the generator
    port: Port         the port that `port_id` names
    port: OwnedPort    the same, and `handler` must be its owner's
    port: SharedPort   the same, but while nobody owns the port no `handler` is needed
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from wirespeed.generator.parameters import Byte, read
from wirespeed.generator.port import Port
from wirespeed.generator.rpc import BAD_PARAMETERS, UNKNOWN_METHOD, Json, RpcError, failed

if TYPE_CHECKING:
    from wirespeed.generator.server import Server

OwnedPort = Annotated[Port, "owned"]
SharedPort = Annotated[Port, "shared"]


@dataclass(frozen=True)
class RpcMethod:
    """A function and what to call it with; `open_to_all` needs no API handle, `listed` is told to clients.

    `wrong_fails`: once the port is found, wrong parameters are answered with -32000, as what cannot be done.
    `gathers`: what it changes may wait for the next of its kind, see `changes`; others find it made."""

    name: str
    run: Callable[..., Any]
    parameters: dict[str, tuple[Any, Any]]
    open_to_all: bool
    listed: bool
    wrong_fails: bool
    gathers: bool


METHODS: dict[str, RpcMethod] = {}


def method(
    name: str,
    *,
    open_to_all: bool = False,
    listed: bool = True,
    wrong_fails: bool = False,
    gathers: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Serve the function as the RPC method `name`."""

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        hints = get_type_hints(run, globalns=vars(inspect.getmodule(run)) | {"Server": object}, include_extras=True)
        parameters = {
            parameter: (hints[parameter], described.default)
            for parameter, described in inspect.signature(run).parameters.items()
            if parameter != "server"
        }
        METHODS[name] = RpcMethod(name, run, parameters, open_to_all, listed, wrong_fails, gathers)
        return run

    return register


def invoke(methods: dict[str, RpcMethod], server: Server, name: str, params: Json) -> Any:
    """Check the parameters of a request and run its method."""
    method = methods.get(name)
    if method is None:
        raise RpcError(UNKNOWN_METHOD, message=f"Method {name} not registered")
    if not method.open_to_all and read(params, "api_h", str) != server.api_h:
        raise failed("API verification failed - API handler provided mismatch for class: 'common'")
    if not method.gathers:
        server.changes.make()
    arguments = {}
    if "port" in method.parameters:
        arguments["port"] = _port(server, params, method.parameters["port"][0])
    try:
        for parameter, (kind, default) in method.parameters.items():
            if parameter != "port":
                arguments[parameter] = read(params, parameter, kind, default)
        return method.run(server, **arguments)
    except RpcError as error:
        if method.wrong_fails and error.code == BAD_PARAMETERS:
            raise failed(error.specific or error.message) from None
        raise


def _port(server: Server, params: Json, kind: Any) -> Port:
    index = read(params, "port_id", Byte)
    if index >= len(server.ports):
        raise failed(f"invalid port id - should be: {' '.join(str(port.index) for port in server.ports)}")
    port: Port = server.ports[index]
    if kind is OwnedPort or (kind is SharedPort and port.owner is not None):
        port.check_handler(read(params, "handler", str))
    return port
