"""VPP's binary API: its messages, how they are packed, and the way to a router that speaks it, here or on a DUT.

`TABLE` (`wirespeed.vpp_api.table`) holds every message, `Codec` packs and unpacks them, `wirespeed.vpp_api.papi`
connects VPP's own Python client. What answers on our router is `wirespeed.router.api`.
"""

__all__ = ["codec", "declarations", "json_files", "papi", "retvals", "table", "tag_rewrites", "values"]
