"""The head that result files of all kinds have in common, as it stands in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Protocol, TypedDict

from pydantic import TypeAdapter

from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutFacts
from wirespeed.results.ending import Ending
from wirespeed.results.json_values import as_object, list_at
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample_json import channel_of, valid

_PORT = TypeAdapter(PortFacts)
_ENDING = TypeAdapter(Ending)


class HasHead(Protocol):
    """A result of any kind."""

    @property
    def variables(self) -> Mapping[str, Any]: ...
    @property
    def directions(self) -> tuple[Channel, ...]: ...
    @property
    def versions(self) -> Mapping[str, str]: ...
    @property
    def lab(self) -> Mapping[str, Any]: ...
    @property
    def dut(self) -> Mapping[str, Any]: ...
    @property
    def ports(self) -> Mapping[int, PortFacts]: ...


class Head(TypedDict):
    """Its fields, for a result to be made of them."""

    variables: dict[str, Any]
    directions: tuple[Channel, ...]
    versions: dict[str, str]
    lab: dict[str, Any]
    dut: dict[str, Any]
    ports: dict[int, PortFacts]


def head_to_json(result: HasHead, schema: str) -> dict[str, Any]:
    return {
        "schema": schema,
        "versions": dict(result.versions),
        "vars": dict(result.variables),
        "lab": dict(result.lab),
        "ports": [asdict(port) for port in result.ports.values()],
        "directions": [str(channel) for channel in result.directions],
        "dut": dict(result.dut),
    }


def of_schema(document: Any, schema: str) -> dict[str, Any]:
    """The document, if it is an object of that schema; else ValueError."""
    found = as_object(document, "its top level")
    if found.get("schema") != schema:
        raise ValueError(f"its schema is {found.get('schema')!r}, this program reads {schema!r}")
    return found


def head_from_json(document: dict[str, Any]) -> Head:
    """ValueError says what is wrong."""
    directions = tuple(channel_of(text, "directions") for text in list_at(document, "directions"))
    if not directions:
        raise ValueError("directions is empty")
    return Head(
        variables=as_object(document.get("vars"), "vars"),
        directions=directions,
        versions={program: str(one) for program, one in as_object(document.get("versions", {}), "versions").items()},
        lab=as_object(document.get("lab", {}), "lab"),
        dut=dut_from_json(document),
        ports=ports_from_json(document),
    )


def dut_from_json(document: dict[str, Any]) -> dict[str, Any]:
    """The `dut` of a document, whose facts and texts can be read; ValueError says what is wrong."""
    dut = as_object(document.get("dut", {}), "dut")
    DutFacts.from_json(dut)
    as_object(dut.get("texts", {}), "texts of dut")
    return dut


def ports_from_json(document: dict[str, Any]) -> dict[int, PortFacts]:
    return {port.index: port for port in (valid(_PORT, raw, "ports") for raw in list_at(document, "ports"))}


def ending_from_json(document: dict[str, Any]) -> Ending:
    return valid(_ENDING, document.get("ending", {}), "ending")  # type: ignore[no-any-return]
