"""Access lists, by number; tests set the sessions."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.errors import UsageError
from wirespeed.router.features.acl.core import (
    Acl,
    AclCount,
    AclRule,
    AclSession,
    AclSessionCounters,
    AclSessionSettings,
)


class FakeAcl:
    def __init__(self) -> None:
        self.table: dict[int, Acl] = {}
        self.interfaces: dict[tuple[int, bool], tuple[int, ...]] = {}
        self.kept_settings = AclSessionSettings()
        self.counters = AclSessionCounters()
        self.live: list[AclSession] = []

    def set(self, index: int | None, tag: str, rules: Sequence[AclRule]) -> int:
        if index is None:
            index = next(number for number in range(len(self.table) + 1) if number not in self.table)
        else:
            self.of(index)
        self.table[index] = Acl(index, tag, tuple(rules), (AclCount(),) * len(rules))
        return index

    def delete(self, index: int) -> None:
        self.of(index)
        if any(index in acls for acls in self.interfaces.values()):
            raise UsageError(f"ACL {index} is in use")
        del self.table[index]

    def all(self) -> list[Acl]:
        return [self.table[index] for index in sorted(self.table)]

    def of(self, index: int) -> Acl:
        if index not in self.table:
            raise UsageError(f"there is no ACL {index}")
        return self.table[index]

    def set_interface(self, index: int, is_output: bool, acls: Sequence[int]) -> None:
        for acl in acls:
            self.of(acl)
        self.interfaces[index, is_output] = tuple(acls)

    def of_interface(self, index: int, is_output: bool) -> tuple[int, ...]:
        return self.interfaces.get((index, is_output), ())

    def set_sessions(self, settings: AclSessionSettings) -> None:
        self.kept_settings = settings

    def session_settings(self) -> AclSessionSettings:
        return self.kept_settings

    def session_counters(self) -> AclSessionCounters:
        return self.counters

    def interface_sessions(self, index: int) -> tuple[int, int]:
        own = sum(session.interface == index for session in self.live)
        return own, 0

    def sessions(self) -> list[AclSession]:
        return self.live

    def clear_sessions(self) -> None:
        self.live = []
