"""Profiles that are data: T-Rex's stream JSON in a list, as JSON or YAML, and packet files."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wirespeed.errors import FileFault, UsageError
from wirespeed.generator.pcap import read_packets
from wirespeed.generator.profiles.instructions import Json
from wirespeed.generator.profiles.packet_files import load_pcap
from wirespeed.generator.profiles.streams import STLStream
from wirespeed.generator.rpc import RpcError
from wirespeed.generator.stream_json import parse_stream

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
        try:
            return yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ValueError(" ".join(str(error).split())) from None

    return _from_data(path, parse)


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
            raise UsageError(f"profile {path}: tunable {name}={text} is no number") from None
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
        data = parse(path.read_text())
    except OSError as error:
        raise FileFault(f"profile {path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise FileFault(f"profile {path} cannot be read: {error}") from None
    listed = data if isinstance(data, list) else [data]
    return [PlainStream(_checked(path, number, fields)) for number, fields in enumerate(listed, start=1)]


def _checked(path: Path, number: int, fields: Any) -> Json:
    """A stream with what it left out filled in; what is wrong is named with the stream's number."""
    if not isinstance(fields, dict):
        raise UsageError(f"profile {path}, stream {number}: is no mapping of a stream's fields")
    inner = fields.get("stream")  # an older form wraps the stream beside its name
    if isinstance(inner, dict):
        fields = inner | {key: fields[key] for key in ("name", "next") if key in fields}
    complete: Json = _DEFAULTS | fields
    packet = complete.get("packet")
    if isinstance(packet, dict) and isinstance(packet.get("binary"), str):
        complete["packet"] = {"meta": ""} | packet | {"binary": _binary(path, packet["binary"])}
    try:
        parse_stream(complete)
    except RpcError as error:
        raise UsageError(f"profile {path}, stream {number}: {error.specific}") from None
    return complete


def _binary(path: Path, text: str) -> str:
    """The packet in base64: as it is, or the first of a packet file beside the profile."""
    if not text.endswith((".pcap", ".cap", ".pcapng")):
        return text
    try:
        _, packet = next(read_packets(path.parent / text))
    except StopIteration:
        raise FileFault(f"packet file {path.parent / text} holds no packet") from None
    return base64.b64encode(packet).decode()
