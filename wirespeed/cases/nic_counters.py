"""Names of drivers' counters (`ethtool -S`, DPDK's xstats), by their meaning. Pure.

One table has driver, names, meaning, and the place of the driver's source that defines them. Counters whose names are
not in it count something else, or the same packets again. Names that several drivers share have one meaning; if two
drivers differ, it is the one that both allow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

RING = "no rx descriptor"
"""The RX queue had no free descriptor or buffer: the CPU behind it was too slow, or came too late."""
MISSED = "rx missed"
"""The frame did not get into the host, for lack of a descriptor or of the bus."""
OVERRUN = "nic overrun"
"""The NIC itself had no room, whatever the host did: its packet rate, its buffers, its bus, or what a cloud allows."""
FILTERED = "refused by the nic"
BAD_FRAME = "bad frame"
TX_FULL = "no tx slot"
PAUSE = "pause"


@dataclass(frozen=True)
class DriverCounters:
    """Counters of one driver: a pattern of their names, what they mean, and the file that defines them."""

    driver: str
    names: str
    meaning: str
    source: str


_KERNEL = "drivers/net/ethernet/"
_DEFINED: dict[str, tuple[tuple[str, str, str], ...]] = {
    RING: (
        ("igb", r"rx_queue_\d+_drops|rx_queue_\d+_alloc_failed", _KERNEL + "intel/igb/igb_ethtool.c"),
        ("ixgbe", r"rx_no_dma_resources", _KERNEL + "intel/ixgbe/ixgbe_ethtool.c"),
        ("mlx5", r"rx_out_of_buffer|rx\d*_cache_full", _KERNEL + "mellanox/mlx5/core/en_stats.c"),
        ("virtio_net", r"rx\d*_drops|rx_queue_\d+_drops", "drivers/net/virtio_net.c"),
        (
            "bnxt",
            r"rx_total_discard_pkts|rx_total_ring_discards|\[\d+\]: rx_discards"
            r"|rx_total_(?:oom|buf)_(?:discards|errors)",
            _KERNEL + "broadcom/bnxt/bnxt_ethtool.c",
        ),
        ("ena", r"rx_drops|rx_overruns", _KERNEL + "amazon/ena/ena_ethtool.c"),
        ("vmxnet3", r"pkts rx OOB|drv dropped rx total|rx buf alloc fail", "drivers/net/vmxnet3"),
        ("sfc", r"(?:port_)?rx_nodesc_drops|rx_noskb_drops", _KERNEL + "sfc/ef10.c"),
        ("cxgb4", r"rx_bg\d_frames_dropped|rx_ovflow\d|rx_drops", _KERNEL + "chelsio/cxgb4/cxgb4_ethtool.c"),
        ("atlantic", r"Queue\[\d+\] (?:AllocFails|SkbAllocFails)", _KERNEL + "aquantia/atlantic"),
        (
            "mvpp2",
            r"rx_fullq_drop(?:ped)?|rx_bm_drop(?:ped)?|rx_early_drop(?:ped)?|rxq_\d+_(?:queue_full|packets_early"
            r"|packets_bm)_drops",
            _KERNEL + "marvell/mvpp2/mvpp2_main.c",
        ),
        ("dpaa2", r"\[hw\] rx nobuffer discards", _KERNEL + "freescale/dpaa2/dpaa2-ethtool.c"),
        ("tg3", r"rxbds_empty|rx_discards", _KERNEL + "broadcom/tg3.c"),
        ("qede", r"no_buff_discards|rx_alloc_errors", _KERNEL + "qlogic/qede/qede_ethtool.c"),
        ("enic", r"rx_no_bufs", _KERNEL + "cisco/enic/enic_ethtool.c"),
        (
            "be2net",
            r"rx_drops_no_(?:pbuf|erx_descr|tpre_descr|txpb)|rxq\d+: rx_drops_no_(?:skbs|frags)",
            _KERNEL + "emulex/benet/be_ethtool.c",
        ),
        ("bnx2x", r"(?:\[\d+\]: )?rx_skb_alloc_discard", _KERNEL + "broadcom/bnx2x/bnx2x_ethtool.c"),
        ("macb", r"rx_resource_errors", _KERNEL + "cadence/macb.h"),
        ("stmmac", r"rx_missed_cntr", _KERNEL + "stmicro/stmmac/stmmac_ethtool.c"),
        ("DPDK", r"rx_mbuf_allocation_errors|rx_q\d+_errors|imissed", "lib/ethdev/rte_ethdev.c"),
    ),
    MISSED: (
        (
            "any",
            r"(?:port\.)?rx_(?:missed(?:_errors)?|no_buffer_count|dropped|over_errors)|rx_queue_\d+_alloc_fail|rx\d+_drops",
            "include/uapi/linux/if_link.h",
        ),
        ("i40e", r"port\.rx_discards?", _KERNEL + "intel/i40e/i40e_ethtool.c"),
        ("enic", r"rx_drop", _KERNEL + "cisco/enic/enic_ethtool.c"),
        ("fec", r"IEEE_rx_drop", _KERNEL + "freescale/fec_main.c"),
        ("ionic", r"hw_rx_(?:dropped|over_errors|missed_errors)", _KERNEL + "pensando/ionic/ionic_stats.c"),
    ),
    OVERRUN: (
        ("bnx2x", r"rx_brb_(?:discard|truncate)", _KERNEL + "broadcom/bnx2x/bnx2x_ethtool.c"),
        ("fec", r"IEEE_rx_macerr", _KERNEL + "freescale/fec_main.c"),
        ("stmmac", r"rx_overflow_cntr|mmc_rx_fifo_overflow", _KERNEL + "stmicro/stmmac/stmmac_ethtool.c"),
        ("mlx5", r"rx_discards_phy|rx_prio\d_discards", _KERNEL + "mellanox/mlx5/core/en_stats.c"),
        ("ice", r"rx_dropped\.nic", "Documentation/networking/device_drivers/ethernet/intel/ice.rst"),
        (
            "sfc",
            r"(?:port_)?rx_overflow|(?:port_)?rx_(?:pm_trunc_bb|pm_discard_bb|pm_trunc_vfifo_full|pm_discard_vfifo_full)"
            r"(?:_overflow)?",
            _KERNEL + "sfc/ef10.c",
        ),
        ("atlantic", r"InDroppedDma", _KERNEL + "aquantia/atlantic/aq_ethtool.c"),
        ("mvpp2", r"rx_ppv2_overrun|rx_fifo_overrun_err|rx_fifo_dropped", _KERNEL + "marvell/mvpp2/mvpp2_main.c"),
        ("qede", r"brb_(?:truncates|discards)", _KERNEL + "qlogic/qede/qede_ethtool.c"),
        ("cxgb4", r"rx_bg\d_frames_trunc", _KERNEL + "chelsio/cxgb4/cxgb4_ethtool.c"),
        ("ena", r"(?:bw_(?:in|out)|pps|conntrack)_allowance_exceeded", _KERNEL + "amazon/ena/ena_ethtool.c"),
    ),
    FILTERED: (
        ("be2net", r"rx_drops_mtu", _KERNEL + "emulex/benet/be_ethtool.c"),
        ("bnx2x", r"rx_mf_tag_discard|rx_filtered_packets", _KERNEL + "broadcom/bnx2x/bnx2x_ethtool.c"),
        ("mvpp2", r"rx_cls_drop(?:ped)?", _KERNEL + "marvell/mvpp2/mvpp2_main.c"),
        ("dpaa2", r"\[hw\] rx (?:filtered|discarded) frames", _KERNEL + "freescale/dpaa2/dpaa2-ethtool.c"),
        ("qede", r"(?:mftag|mac)_filter_discards|gft_filter_drop", _KERNEL + "qlogic/qede/qede_ethtool.c"),
    ),
    BAD_FRAME: (
        (
            "any",
            r"(?:port\.)?rx_(?:crc_errors(?:_phy|\.nic)?|align_errors|symbol_err_phy|frame_errors|fcs_errors)|crc_errors",
            "include/uapi/linux/if_link.h",
        ),
        ("bnxt", r"rx_(?:fcs_err|align_err|code_err)_frames", _KERNEL + "broadcom/bnxt/bnxt_ethtool.c"),
        ("macb", r"rx_(?:frame_check_sequence|alignment|symbol)_errors", _KERNEL + "cadence/macb.h"),
        ("fec", r"IEEE_rx_(?:crc|align)", _KERNEL + "freescale/fec_main.c"),
        ("ionic", r"frames_rx_bad_fcs", _KERNEL + "pensando/ionic/ionic_stats.c"),
        ("stmmac", r"mmc_rx_crc_errors?", _KERNEL + "stmicro/stmmac/stmmac_ethtool.c"),
        ("sfc", r"(?:port_)?rx_bad|rx_eth_crc_err", _KERNEL + "sfc/ef10.c"),
        ("mvpp2", r"bad_crc_event", _KERNEL + "marvell/mvpp2/mvpp2_main.c"),
        ("vmxnet3", r"fcs", "drivers/net/vmxnet3/vmxnet3_ethtool.c"),
        ("ena", r"queue_\d+_rx_bad_csum|rx_q\d+_bad_csum", _KERNEL + "amazon/ena/ena_ethtool.c"),
        ("atlantic", r"InErrors", _KERNEL + "aquantia/atlantic/aq_ethtool.c"),
        ("DPDK", r"rx_phy_crc_errors|rx_crc_error_packets", "drivers/net"),
    ),
    TX_FULL: (
        (
            "any",
            r"tx_(?:dropped|queue_\d+_drops|timeout_count)|tx\d+_(?:dropped|drops)",
            "include/uapi/linux/if_link.h",
        ),
        ("bnxt", r"tx_total_discard_pkts|tx_total_ring_discards", _KERNEL + "broadcom/bnxt/bnxt_ethtool.c"),
        ("ionic", r"hw_tx_dropped", _KERNEL + "pensando/ionic/ionic_stats.c"),
        ("vmxnet3", r"ring full|drv dropped tx total|pkts tx discard", "drivers/net/vmxnet3"),
        ("ena", r"tx_drops|queue_\d+_tx_queue_stop", _KERNEL + "amazon/ena/ena_ethtool.c"),
        ("dpaa2", r"\[hw\] tx discarded frames", _KERNEL + "freescale/dpaa2/dpaa2-ethtool.c"),
        ("tg3", r"tx_discards", _KERNEL + "broadcom/tg3.c"),
        ("qede", r"tx_err_drop_pkts", _KERNEL + "qlogic/qede/qede_ethtool.c"),
    ),
    PAUSE: (
        (
            "any",
            r"(?:port\.)?(?:(?:rx|tx)_flow_control_xoff|link_xoff_(?:rx|tx)(?:\.nic)?"
            r"|(?:rx|tx)_pause(?:_ctrl_phy|_frames)?)",
            _KERNEL + "intel",
        ),
        ("sfc", r"port_(?:rx|tx)_pause", _KERNEL + "sfc/ef10.c"),
        ("fec", r"IEEE_[rt]x_fdxfc", _KERNEL + "freescale/fec_main.c"),
        ("ionic", r"frames_[rt]x_pause", _KERNEL + "pensando/ionic/ionic_stats.c"),
        ("mvpp2", r"fc_(?:rcvd|sent)", _KERNEL + "marvell/mvpp2/mvpp2_main.c"),
        ("tg3", r"rx_xoff_pause_rcvd|tx_xoff_sent", _KERNEL + "broadcom/tg3.c"),
    ),
}
"""Driver, names and source, by meaning."""
TABLE = tuple(
    DriverCounters(driver, names, meaning, source)
    for meaning, rows in _DEFINED.items()
    for driver, names, source in rows
)
_KNOWN = tuple((re.compile(row.names), row.meaning) for row in TABLE)
_LOSSES = frozenset({RING, MISSED, OVERRUN, FILTERED, BAD_FRAME, TX_FULL})
_QUEUE_PACKETS = re.compile(
    r"rx[_-]?(?:queue[_-]|q)?(\d+)[_.](?:rx_)?packets"  # most drivers; sfc repeats rx_
    r"|Queue\[(\d+)\] InPackets"  # atlantic
    r"|\[(\d+)\]: rx_ucast_packets"  # bnxt
    r"|queue_(\d+)_rx_cnt"  # ena
    r"|rxq_(\d+)_desc_enqueue"  # mvpp2
    r"|rxq(\d+): rx_pkts"  # be2net
    r"|rx_(\d+)_pkts"  # ionic
    r"|q(\d+)_rx_(?:packets|pkt_n)"  # macb, stmmac
)


@lru_cache(4096)
def meaning_of(counter: str) -> str:
    """Meaning of a counter, by its name or by `interface: name`; empty if it is not in the table."""
    for name in (counter, counter.partition(": ")[2]):
        for pattern, meaning in _KNOWN:
            if name and pattern.fullmatch(name.strip()):
                return meaning
    return ""


def said(reason: str) -> str:
    """The meaning of a counter that is known, else the reason's own words in small letters."""
    return meaning_of(reason) or reason.lower()


def losses(name: str, counters: Mapping[str, int]) -> dict[str, int]:
    """Frames that `name` lost or found broken, as `name: counter`."""
    found = ((key, count) for key, count in counters.items() if meaning_of(key) in _LOSSES)
    return {f"{name}: {key}": count for key, count in found if count > 0}


def pauses(counters: Mapping[str, int]) -> int:
    """Pause frames, either way."""
    return sum(count for key, count in counters.items() if meaning_of(key) == PAUSE)


def queue_packets(counters: Mapping[str, int]) -> dict[str, int]:
    """Packets by RX queue."""
    found = ((_QUEUE_PACKETS.fullmatch(key), count) for key, count in counters.items())
    return {next(filter(None, match.groups())): count for match, count in found if match}
