"""The binding to the native core: `_core` is generated from native/include/wirespeed.h."""

__all__ = [
    "addresses",
    "counting",
    "flow_records",
    "flow_sets",
    "generator",
    "ip6",
    "paths",
    "pcap",
    "port_checks",
    "runtime",
    "stream_records",
    "tables",
]
