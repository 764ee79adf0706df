"""Fields of a T-Rex request, read like its server does: each must have its type, and errors have T-Rex's texts."""

from __future__ import annotations

from typing import Any

FAILED = -32000
BAD = -32602
MESSAGES = {FAILED: "Failed To Execute Method", BAD: "Bad parameters for method", -32003: "No results for request"}

REQUIRED: Any = object()
_LARGEST = {"byte": 0xFF, "uint16": 0xFFFF, "uint32": 0xFFFFFFFF, "uint64": 0xFFFF_FFFF_FFFF_FFFF}
_SIZES = {"byte": "uint8"}


class Refused(Exception):
    """An error answer; `text` is T-Rex's."""

    def __init__(self, text: str | None, code: int = FAILED, message: str | None = None) -> None:
        super().__init__(text)
        self.text, self.code = text, code
        self.message = MESSAGES[code] if message is None else message


class Dead(BaseException):
    """A fault that ends a T-Rex. The simulation's own `except Exception` must not catch it."""


class Fields:
    """An object of a request. Errors in a stream have another code than errors elsewhere."""

    def __init__(self, raw: dict[str, Any], code: int = BAD) -> None:
        self.raw, self._code = raw, code

    def refuse(self, text: str) -> Refused:
        return Refused(text, self._code)

    def _get(self, name: str, default: Any) -> Any:
        value = self.raw.get(name)
        if value is None:
            if default is REQUIRED:
                raise self.refuse(f"field '{name}' value is null")
            return default
        return value

    def _mistyped(self, name: str, value: Any, wanted: str) -> Refused:
        return self.refuse(f"error at offset: 0 - '{name}' is '{_kind(value)}', expecting '{wanted}'")

    def whole(self, name: str, kind: str = "uint32", default: Any = REQUIRED) -> int:
        value = self._get(name, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or (value < 0 and kind in _LARGEST):
            raise self._mistyped(name, value, kind)
        if kind in _LARGEST and value > _LARGEST[kind]:
            raise self.refuse(f"error at offset: 0 - '{name}' has size bigger than {_SIZES.get(kind, kind)}.")
        return value

    def real(self, name: str, default: Any = REQUIRED, *, positive: bool = False) -> float:
        value = self._get(name, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._mistyped(name, value, "unsigned double" if positive else "double")
        if positive and value < 0:
            raise self.refuse(f"error at offset: 0 - '{name}' has negative value.")
        return float(value)

    def text(self, name: str, default: Any = REQUIRED) -> str:
        value = self._get(name, default)
        if not isinstance(value, str):
            raise self._mistyped(name, value, "string")
        return value

    def truth(self, name: str, default: Any = REQUIRED) -> bool:
        value = self._get(name, default)
        if not isinstance(value, bool):
            raise self._mistyped(name, value, "bool")
        return value

    def listed(self, name: str, default: Any = REQUIRED) -> list[Any]:
        value = self._get(name, default)
        if not isinstance(value, list):
            raise self._mistyped(name, value, "array")
        return value

    def inner(self, name: str) -> Fields:
        value = self._get(name, REQUIRED)
        if not isinstance(value, dict):
            raise self._mistyped(name, value, "object")
        return Fields(value, self._code)

    def one_of(self, name: str, *choices: str, missing: str | None = None) -> str:
        if missing is not None and self.raw.get(name) is None:
            raise self.refuse(missing)
        value = self._get(name, REQUIRED)
        if value not in choices:
            listed = " ,".join(f"'{one}'" for one in choices)
            raise self.refuse(f"field '{name}' can only be one of [{listed}]")
        return str(value)


def _kind(value: Any) -> str:
    kinds = {str: "string", bool: "bool", int: "int", float: "double", list: "array", dict: "object"}
    return kinds.get(type(value), "null")
