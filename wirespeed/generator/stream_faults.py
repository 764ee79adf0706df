"""T-Rex's texts for errors in a stream's JSON."""

from __future__ import annotations

from pydantic import ValidationError

from wirespeed.generator.parameters import type_name

_ZERO = {
    "value": "Rate value should be positive.",
    "total_pkts": "single_burst: 'total_pkts' cannot be zero.",
    "pkts_per_burst": "multi_burst: 'pkts_per_burst' cannot be zero.",
    "limit": "VM: request random flow var variable with limit of zero '",
}
"""T-Rex's messages for fields that must be above zero."""

_EXPECTED = {
    "int_type": "uint32",
    "float_type": "double",
    "bool_type": "bool",
    "string_type": "string",
    "list_type": "array",
    "model_type": "object",
}
_UNSIGNED = {0xFFFF: "uint16", 0xFFFF_FFFF: "uint32", 0xFFFF_FFFF_FFFF_FFFF: "uint64"}


def first_fault(error: ValidationError) -> str:
    """T-Rex's message for the first error; if T-Rex has none, a message with the place."""
    fault = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in fault["loc"]) or "stream"
    name, value, kind = where.rpartition(".")[2], fault["input"], fault["type"]
    limits = fault.get("ctx", {})
    if kind == "missing":
        return f"field '{limits.get('field', name)}' value is null"
    if kind == "union_tag_not_found":
        return "field 'type' value is null"
    if kind == "union_tag_invalid":
        if where == "mode":
            return f"bad stream type provided: '{limits['tag']}'"
        return _can_only_be("type", str(limits["expected_tags"]))
    if kind == "literal_error":
        return _can_only_be(name, str(limits["expected"]))
    if kind in _EXPECTED:
        return f"'{name}' is '{'null' if value is None else type_name(value)}', expecting '{_EXPECTED[kind]}'"
    if kind in ("greater_than_equal", "less_than") and name in ("add_value", "shift"):
        return f"'{name}' is 'int', expecting 'int'"
    if kind in ("greater_than", "greater_than_equal") and isinstance(value, float | int):
        if value == 0 and name in _ZERO:
            return _ZERO[name]
        unsigned = f"'{name}' is 'int', expecting 'uint32'"
        return unsigned if isinstance(value, int) else f"'{name}' has negative value."
    if kind == "less_than_equal" and limits.get("le") in _UNSIGNED:
        return f"'{name}' has size bigger than {_UNSIGNED[limits['le']]}."
    return f"field '{where}': {fault['msg'].removeprefix('Value error, ')[:200]}"


def _can_only_be(name: str, expected: str) -> str:
    """`'inc', 'dec' or 'random'`: pydantic's list of allowed values in T-Rex's words."""
    words = [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]
    listed = " ,".join(f"'{word}'" for word in words)
    return f"field '{name}' can only be one of [{listed}]"
