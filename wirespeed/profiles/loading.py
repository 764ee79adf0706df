"""From a profile's name and tunables to the streams that a client adds to a port."""

from __future__ import annotations

import base64
import copy
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from wirespeed.errors import UsageError

BUILTIN_NAMES = ("bench", "imix", "udp_1pkt_simple", "mpls")
_PLAIN_SUFFIXES = (".json", ".yaml", ".yml", ".pcap", ".cap", ".pcapng")

Json = dict[str, Any]


def load_profiles(name_or_path: str, tunables: dict[str, str], ports: Iterable[int]) -> dict[int, list[Json]]:
    """Streams for each port; those with odd numbers send in the reverse direction. Errors as of `load_profile`."""
    return {port: load_profile(name_or_path, tunables, port, port % 2) for port in ports}


def load_profile(name_or_path: str, tunables: dict[str, str], port_id: int, direction: int) -> list[Json]:
    """Streams of a profile for one port, numbered from 1: `[{"stream_id": 1, "stream": {...}}, …]`.

    `stream` is T-Rex's stream JSON with `next_stream_id` resolved, ready for `add_stream`. `name_or_path` is a
    built-in (`bench`, `bench.py` and `stl/bench.py` alike) or a T-Rex profile file (Python, YAML or JSON, or a packet
    file); a file on disk wins over a built-in when it is named with its `.py`. `direction` 0 sends from the clients'
    addresses to the servers', 1 the reverse. UsageError for an unknown profile, tunable or value and for a profile
    file that fails; it names what is allowed.
    """
    path = Path(name_or_path)
    builtin = PurePosixPath(name_or_path).name.removesuffix(".py")
    if path.suffix == ".py" and path.is_file():
        from wirespeed.profiles.script import run_profile_file  # noqa: PLC0415 - scapy takes long to import

        return number_streams(run_profile_file(path, tunables, port_id, direction), str(path))
    if path.suffix in _PLAIN_SUFFIXES:
        from wirespeed.profiles.plain import load_plain  # noqa: PLC0415 - as above

        return number_streams(load_plain(path, tunables), str(path))
    if builtin in BUILTIN_NAMES and _means_builtin(name_or_path):
        from wirespeed.profiles import builtin as profiles  # noqa: PLC0415 - as above

        return number_streams(profiles.streams(builtin, tunables, port_id, direction), builtin)
    what = "is not a file" if path.suffix == ".py" else "is neither built in nor a profile file"
    what = "is a folder" if path.is_dir() else what
    raise UsageError(
        f"profile {name_or_path!r} {what}; built in are {', '.join(BUILTIN_NAMES)}; "
        "or give the path of a T-Rex profile (.py, .yaml, .json) or of a packet file (.pcap)"
    )


def _means_builtin(name: str) -> bool:
    """`bench`, `bench.py`, `stl/bench` and `stl/bench.py`, as T-Rex's users type them."""
    return str(PurePosixPath(name).parent) in (".", "stl")


def number_streams(streams: Iterable[Any], profile: str) -> list[Json]:
    """Give streams their numbers and turn `next`, a stream's name, into the number of that stream."""
    listed = list(streams)
    if not listed:
        raise UsageError(f"profile {profile}: get_streams returned no stream; return at least one")
    numbers: dict[str, int] = {}
    for number, stream in enumerate(listed, start=1):
        name = stream.get_name()
        if name is not None and numbers.setdefault(name, number) != number:
            raise UsageError(f"profile {profile}: two streams are named {name!r}; names tell streams apart")
    loaded = []
    for number, stream in enumerate(listed, start=1):
        fields = copy.deepcopy(stream.to_json())
        following = stream.get_next()
        if following is not None and following not in numbers:
            known = ", ".join(repr(name) for name in numbers) or "none: no stream has a name"
            raise UsageError(f"profile {profile}: next={following!r} names no stream; there is {known}")
        fields["next_stream_id"] = -1 if following is None else numbers[following]
        if isinstance(fields["packet"]["binary"], bytes):
            fields["packet"]["binary"] = base64.b64encode(fields["packet"]["binary"]).decode()
        loaded.append({"stream_id": number, "stream": fields})
    return loaded
