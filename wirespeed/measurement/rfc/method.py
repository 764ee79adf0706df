"""Conformance of a test's method to its RFC, as reports state it beside each figure. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

APPLICABILITY = (
    "RFC 6815: these are tests of a device in an isolated laboratory; in a network in use they do harm, and their "
    "numbers mean nothing."
)


class Conforming:
    """A method of tests: the `sections` that each test follows, and its `exceptions`, the deviations from them."""

    sections: ClassVar[Mapping[Any, str]]
    exceptions: Mapping[Any, tuple[str, ...]]
    tests: tuple[Any, ...]
    trial_s: float

    @property
    def outside(self) -> str:
        """The reason why the tests claim no conformance with the RFC; empty if they claim it."""
        return ""

    @property
    def common_exceptions(self) -> tuple[str, ...]:
        """Exceptions that all tests share, if there are several tests."""
        first, *others = self.exceptions.values() if len(self.exceptions) > 1 else ((),)
        return tuple(one for one in first if all(one in other for other in others))

    def conformance(self, test: str, *, all_of_them: bool = True) -> str:
        """`RFC 2544 §26.1 except: trials of 2 s, not 60 s` or the section alone; with or without the exceptions of all
        tests. Empty outside the RFC."""
        if self.outside:
            return ""
        section, common = self.sections[test], () if all_of_them else self.common_exceptions
        exceptions = [one for one in self.exceptions.get(test, ()) if one not in common]
        return f"{section} except: {'; '.join(exceptions)}" if exceptions else section
