"""The model of route tables: all prefixes are tried, the longest one wins."""

from __future__ import annotations

from typing import Generic, TypeVar

from wirespeed.seam.addresses import Address, Network

Prefix = TypeVar("Prefix", bound=Network)


class NaiveTable(Generic[Prefix]):
    """Prefixes of one family, each with the numbers of its next hops."""

    def __init__(self) -> None:
        self.routes: dict[Prefix, set[int]] = {}

    def add(self, prefix: Prefix, number: int) -> None:
        self.routes.setdefault(prefix, set()).add(number)

    def replace(self, prefix: Prefix, number: int) -> None:
        self.routes[prefix] = {number}

    def delete(self, prefix: Prefix) -> bool:
        return self.routes.pop(prefix, None) is not None

    def delete_path(self, prefix: Prefix, number: int) -> bool:
        """False if the prefix has no such next hop; a prefix without next hops is deleted."""
        if number not in self.routes.get(prefix, ()):
            return False
        self.routes[prefix].remove(number)
        if not self.routes[prefix]:
            self.delete(prefix)
        return True

    def match(self, address: Address) -> Prefix | None:
        covering = [prefix for prefix in self.routes if address in prefix]
        return max(covering, key=lambda prefix: prefix.prefixlen, default=None)
