"""Profiles that are data: T-Rex's stream JSON in a list, as JSON or YAML, and packet files."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from wirespeed._native.pcap import read_packets
from wirespeed.errors import FileFault, UsageError
from wirespeed.profiles.instructions import Json
from wirespeed.profiles.packet_files import load_pcap
from wirespeed.profiles.reading import read_profile
from wirespeed.profiles.stream_json import parse_stream
from wirespeed.profiles.streams import STLStream
from wirespeed.yaml_values import value_of

PCAP_GAP_US = 1e6
"""Between the packets of a file that is named without `ipg_usec`, as T-Rex has it."""

_DEFAULTS: Json = {
    "enabled": True,
    "self_start": True,
    "isg": 0.0,
    "flags": 0,
    "action_count": 0,
    "next_stream_id": -1,
    "flow_stats": {"enabled": False},
    "vm": {"instructions": []},
}


MAX_YAML_CHARS = 8 << 20
"""Its parser is a hundred times slower than that of JSON."""

MAX_YAML_VALUES = 4_000_000
"""Most values of all streams together; a value that aliases repeat counts each time."""

_PYTHON_TAGS = {"unicode": "str", "str": "str", "int": "int", "long": "int", "float": "float", "bool": "bool"}
"""Tags `!!python/…` of T-Rex's own files, and the YAML scalar that replaces each."""


class PlainStream(STLStream):
    """A stream that was written down as T-Rex's JSON."""

    def __init__(self, fields: Json) -> None:
        self._json = fields
        self._name, self._next = fields.get("name"), fields.get("next")


def load_json(path: Path) -> list[STLStream]:
    return _from_data(path, json.loads)


def load_yaml(path: Path) -> list[STLStream]:
    import yaml  # noqa: PLC0415 - few profiles are YAML

    def parse(text: str) -> Any:
        if len(text) > MAX_YAML_CHARS:
            raise ValueError(f"it has more than {MAX_YAML_CHARS >> 20} MB, the most for YAML; write it as JSON")
        try:
            data = value_of(text, _yaml_loader())
        except (yaml.YAMLError, RecursionError) as error:
            raise ValueError(" ".join(str(error).split())) from None
        _check_size(data)
        return data

    return _from_data(path, parse)


@cache
def _yaml_loader() -> Any:
    """PyYAML's safe loader, which also reads the tags that Python 2 wrote before plain scalars."""
    import yaml  # noqa: PLC0415 - few profiles are YAML

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        pass

    for tag, kind in _PYTHON_TAGS.items():
        constructor = Loader.yaml_constructors[f"tag:yaml.org,2002:{kind}"]
        Loader.add_constructor(f"tag:yaml.org,2002:python/{tag}", constructor)
    return Loader


def _check_size(data: Any) -> None:
    """ValueError when aliases make more of the text than a profile can be, or something that holds itself."""
    waiting, count = [data], 0
    while waiting:
        value = waiting.pop()
        inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        count += len(inner)
        if count > MAX_YAML_VALUES:
            raise ValueError(f"its aliases expand to more than {MAX_YAML_VALUES} values")
        waiting += inner


def load_plain(path: Path, tunables: dict[str, str]) -> list[STLStream]:
    """Streams of a file by its suffix; packet files take `ipg_usec`, `min_ipg_usec`, `speedup` and `count`."""
    packet_file = path.suffix not in (".json", ".yaml", ".yml")
    known = ("ipg_usec", "min_ipg_usec", "speedup", "count") if packet_file else ()
    for name, text in tunables.items():
        if name not in known:
            raise UsageError(f"profile {path}: no tunable {name!r}; it takes {', '.join(known) or 'none'}")
        try:
            float(text)
        except ValueError:
            raise UsageError(f"profile {path}: tunable {name}={text} is not a number; give one") from None
    if not packet_file:
        return load_json(path) if path.suffix == ".json" else load_yaml(path)
    numbers = {name: float(text) for name, text in tunables.items()}
    loaded = load_pcap(
        path,
        ipg_usec=numbers.get("ipg_usec", PCAP_GAP_US),
        min_ipg_usec=numbers.get("min_ipg_usec", 0.0),
        speedup=numbers.get("speedup", 1.0),
        loop_count=int(numbers.get("count", 1)),
    )
    assert isinstance(loaded, list)
    return loaded


def _from_data(path: Path, parse: Callable[[str], Any]) -> list[STLStream]:
    try:
        data = parse(read_profile(path).decode())
    except (ValueError, RecursionError) as error:
        raise FileFault(f"profile {path} cannot be read: {error}") from None
    listed = data if isinstance(data, list) else [data]
    return [PlainStream(_checked(path, number, fields)) for number, fields in enumerate(listed, start=1)]


def _checked(path: Path, number: int, fields: Any) -> Json:
    """A stream completed by defaults; errors name the number of the stream."""
    if not isinstance(fields, dict):
        raise UsageError(f"profile {path}, stream {number}: not a mapping; give the stream's fields")
    inner = fields.get("stream")  # an older form wraps the stream beside its name
    if isinstance(inner, dict):
        fields = inner | {key: fields[key] for key in ("name", "next") if key in fields}
    complete: Json = _DEFAULTS | fields
    packet = complete.get("packet")
    if isinstance(packet, dict) and isinstance(packet.get("binary"), str):
        complete["packet"] = {"meta": ""} | packet | {"binary": _binary(path, packet["binary"])}
    try:
        parse_stream(complete)
    except UsageError as error:
        raise UsageError(f"profile {path}, stream {number}: {error}") from None
    return complete


def _binary(path: Path, text: str) -> str:
    """The packet in base64: given in the profile, or the first one of a packet file next to it."""
    if not text.endswith((".pcap", ".cap", ".pcapng")):
        return text
    try:
        _, packet = next(read_packets(path.parent / text))
    except StopIteration:
        raise FileFault(f"packet file {path.parent / text} holds no packet; give another") from None
    return base64.b64encode(packet).decode()
