"""sw_bond_interface_dump, sw_member_interface_dump: there are no bonds."""

from __future__ import annotations

from wirespeed.router.api.client import Client
from wirespeed.router.api.registry import Answer, handler
from wirespeed.vpp_api.codec import Values


@handler("sw_bond_interface_dump")
@handler("sw_member_interface_dump")
def dump(client: Client, request: Values) -> Answer:
    return iter(())
