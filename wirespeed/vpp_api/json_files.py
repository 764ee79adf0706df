"""The table as the `*.api.json` files that clients of VPP read: `core/*.api.json` and `plugins/*.api.json`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from wirespeed.errors import FileFault
from wirespeed.files import write_atomically
from wirespeed.vpp_api.crc import type_name
from wirespeed.vpp_api.declarations import PRIMITIVES, Alias, ApiMessage, ApiModule, Enumeration, MessageField, Record
from wirespeed.vpp_api.table import TABLE

_IN_PACKAGE = Path(__file__).parent / "json"


def api_files() -> Iterator[tuple[str, str]]:
    """Each file's place below the folder, and its text."""
    for module in TABLE.modules.values():
        yield f"{module.kind}/{module.name}.api.json", json.dumps(_document(module), indent=1) + "\n"


def api_json() -> str:
    """All of them as one list, as `get_api_json` answers."""
    return json.dumps([_document(module) for module in TABLE.modules.values()])


def api_directory() -> Path:
    """The folder of these files, written when they are not there as they should be: in this package, or, where that
    may not be written, in the user's cache. FileFault when neither can be."""
    try:
        return _written(_IN_PACKAGE)
    except FileFault:
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return _written(Path(cache) / "wirespeed" / "vpp-api")


def _written(directory: Path) -> Path:
    for name, text in api_files():
        path = directory / name
        try:
            if path.is_file() and path.read_text() == text:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileFault(f"API file {path} cannot be written: {error.strerror}") from None
        write_atomically(path, text, "API file")
    return directory


def _document(module: ApiModule) -> dict[str, Any]:
    types = dict(TABLE.types_of(module))
    enumerations = [made for made in types.values() if isinstance(made, Enumeration)]
    records = [made for made in types.values() if isinstance(made, Record)]
    return {
        "types": [_record(made) for made in records if not made.is_union],
        "messages": [_message(message) for message in module.messages.values()],
        "unions": [_record(made) for made in records if made.is_union],
        "enums": [_enumeration(made) for made in enumerations if not made.is_flags],
        "enumflags": [_enumeration(made) for made in enumerations if made.is_flags],
        "services": dict(_services(module.messages.values())),
        "options": {"version": module.version},
        "aliases": {made.name: _alias(made) for made in types.values() if isinstance(made, Alias)},
        "vl_api_version": f"{TABLE.module_crc(module.name):#010x}",
        "imports": [f"vnet/{name}.api" for name in module.imports],
        "counters": [],
        "paths": [],
    }


def _message(message: ApiMessage) -> list[Any]:
    crc = {"crc": f"{TABLE.crcs[message.name]:#010x}", "options": {}}
    return [message.name, ["u16", "_vl_msg_id"], *(_field(field) for field in message.fields), crc]


def _field(field: MessageField) -> list[Any]:
    words: list[Any] = [type_name(field.type), field.name]
    if field.count is not None:
        words.append(field.count)
    if field.counted_by is not None:
        words.append(field.counted_by)
    if field.default is not None:
        words.append({"default": field.default})
    return words


def _record(record: Record) -> list[Any]:
    return [record.name, *(_field(field) for field in record.fields)]


def _enumeration(made: Enumeration) -> list[Any]:
    return [made.name, *([name, value] for name, value in made.values), {"enumtype": made.type}]


def _alias(alias: Alias) -> dict[str, Any]:
    kind = alias.type if alias.type in PRIMITIVES else type_name(alias.type)
    return {"type": kind} if alias.count is None else {"type": kind, "length": alias.count}


def _services(messages: Iterable[ApiMessage]) -> Iterator[tuple[str, dict[str, Any]]]:
    for message in messages:
        if message.stream and message.reply:
            yield message.name, {"reply": message.reply, "stream": True, "stream_msg": message.stream}
        elif message.stream:
            yield message.name, {"reply": message.stream, "stream": True}
        elif message.event:
            yield message.name, {"reply": message.reply, "events": [message.event]}
        elif message.reply:
            yield message.name, {"reply": message.reply}
