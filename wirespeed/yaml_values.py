"""Values of YAML texts of other programs, such as T-Rex's; `documents` reads wirespeed's own files, with places."""

from __future__ import annotations

from typing import Any


def value_of(text: str, loader: Any) -> Any:
    """The value of a text by PyYAML's `loader`.

    YAMLError for invalid YAML, and for a scalar that does not fit its tag (`!!bool x`, the day 2026-02-30), for which
    PyYAML raises various errors; RecursionError for a document that is nested too deep.
    """
    import yaml  # noqa: PLC0415 - slow, and seldom needed

    try:
        return yaml.load(text, loader)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        why = f": {error}" if isinstance(error, ValueError) else ""
        raise yaml.YAMLError(f"a value does not match its YAML tag{why}") from None
