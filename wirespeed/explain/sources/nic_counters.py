"""What drivers call their counters (`ethtool -S`, DPDK's xstats), sorted by what they mean. Pure.

Names differ by driver and version; what is in no group counts something else, or the same once more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_QUEUE_PACKETS = re.compile(r"rx[_-]?(?:queue[_-]|q)?(\d+)[_.]packets")
_LOST = re.compile(
    r"(?:port\.)?(?:"
    r"rx_(?:missed(?:_errors)?|no_buffer_count|no_dma_resources|out_of_buffer|discards_phy|dropped|over_errors)"
    r"|rx_queue_\d+_(?:drops|alloc_fail)|rx\d+_(?:drops|cache_full)"
    r"|tx_(?:dropped|queue_\d+_drops|timeout_count)|tx\d+_(?:dropped|drops))"
)
_CHECKSUMS = re.compile(
    r"(?:port\.)?(?:rx_(?:crc_errors(?:_phy)?|align_errors|symbol_err_phy|frame_errors)|crc_errors)"
)
_PAUSES = re.compile(
    r"(?:port\.)?(?:(?:rx|tx)_flow_control_xoff|link_xoff_(?:rx|tx)|(?:rx|tx)_pause(?:_ctrl_phy|_frames)?)"
)


def losses(name: str, counters: Mapping[str, int]) -> dict[str, int]:
    """Frames that `name` lost or found broken, as `name: counter`."""
    found = ((key, count) for key, count in counters.items() if _LOST.fullmatch(key) or _CHECKSUMS.fullmatch(key))
    return {f"{name}: {key}": count for key, count in found if count > 0}


def pauses(counters: Mapping[str, int]) -> int:
    """Pause frames, either way."""
    return sum(count for key, count in counters.items() if _PAUSES.fullmatch(key))


def queue_packets(counters: Mapping[str, int]) -> dict[str, int]:
    """Packets by RX queue."""
    found = ((_QUEUE_PACKETS.fullmatch(key), count) for key, count in counters.items())
    return {match[1]: count for match, count in found if match}
