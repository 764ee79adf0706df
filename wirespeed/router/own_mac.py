"""MAC addresses of ports whose device has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirespeed.router.native import NativeRouter

_NO_MAC = "00:00:00:00:00:00"


def give_mac(core: NativeRouter, index: int) -> None:
    """An address by its number, for a port such as a ring's."""
    if core.interface(index).mac == _NO_MAC:
        core.set_mac(index, f"02:fe:00:00:00:{index:02x}")
