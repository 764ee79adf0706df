"""Every message that is declared, with the types it is made of, its CRC and its number."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wirespeed.vpp_api.crc import message_crc
from wirespeed.vpp_api.declarations import ApiMessage, ApiModule, Declared, Enumeration, read_module

_MODULES = Path(__file__).parent / "modules"
# Clients know these two numbers beforehand; they get the others with the second message.
_FIXED = {"sockclnt_create": 15, "sockclnt_create_reply": 16}
_FIRST_FREE = 17


@dataclass(frozen=True)
class MessageTable:
    """`modules` by their names."""

    modules: Mapping[str, ApiModule]

    @cached_property
    def types(self) -> dict[str, Declared]:
        return {name: made for module in self.modules.values() for name, made in module.types.items()}

    @cached_property
    def messages(self) -> dict[str, ApiMessage]:
        return {name: made for module in self.modules.values() for name, made in module.messages.items()}

    @cached_property
    def values(self) -> dict[str, int]:
        """The numbers of all enumerations, by their names."""
        return {
            name: number
            for made in self.types.values()
            if isinstance(made, Enumeration)
            for name, number in made.values
        }

    @cached_property
    def crcs(self) -> dict[str, int]:
        return {name: message_crc(message, self.types) for name, message in self.messages.items()}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each message by name. Messages of a module are consecutive, except the first two of all."""
        others = (name for name in self.messages if name not in _FIXED)
        return _FIXED | {name: number for number, name in enumerate(others, _FIRST_FREE)}

    @cached_property
    def by_number(self) -> dict[int, ApiMessage]:
        return {number: self.messages[name] for name, number in self.numbers.items()}

    def signature(self, name: str) -> str:
        """A message's name with its CRC, as clients request it: `show_version_51077d14`."""
        return f"{name}_{self.crcs[name]:08x}"

    def module_crc(self, name: str) -> int:
        """CRC of a module; it changes if any of its messages changes."""
        return zlib.crc32(" ".join(self.signature(message) for message in self.modules[name].messages).encode())

    def types_of(self, module: ApiModule) -> Iterator[tuple[str, Declared]]:
        """The types that a module's file declares or imports, each behind those that it is made of."""
        seen: set[str] = set()
        for name in self._import_order(module, seen):
            yield from self.modules[name].types.items()

    def _import_order(self, module: ApiModule, seen: set[str]) -> Iterator[str]:
        for name in module.imports:
            if name not in seen:
                yield from self._import_order(self.modules[name], seen)
        seen.add(module.name)
        yield module.name


def _read_all() -> MessageTable:
    found = (read_module(path.read_text()) for path in sorted(_MODULES.glob("*.txt")))
    return MessageTable({module.name: module for module in found})


TABLE = _read_all()
