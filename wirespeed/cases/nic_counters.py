"""Names of drivers' counters (`ethtool -S`, DPDK's xstats), by their meaning. Pure.

One table has driver, names, meaning, and the place of the driver's source that defines them. Counters whose names are
not in it count something else, or the same packets again. Names that several drivers share have one meaning; if two
drivers differ, it is the one that both allow."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

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
TABLE: tuple[DriverCounters, ...] = (
    DriverCounters("igb", r"rx_queue_\d+_drops|rx_queue_\d+_alloc_failed", RING, _KERNEL + "intel/igb/igb_ethtool.c"),
    DriverCounters("ixgbe", r"rx_no_dma_resources", RING, _KERNEL + "intel/ixgbe/ixgbe_ethtool.c"),
    DriverCounters("mlx5", r"rx_out_of_buffer|rx\d*_cache_full", RING, _KERNEL + "mellanox/mlx5/core/en_stats.c"),
    DriverCounters("virtio_net", r"rx\d*_drops|rx_queue_\d+_drops", RING, "drivers/net/virtio_net.c"),
    DriverCounters(
        "bnxt",
        r"rx_total_discard_pkts|rx_total_ring_discards|\[\d+\]: rx_discards|rx_total_(?:oom|buf)_(?:discards|errors)",
        RING,
        _KERNEL + "broadcom/bnxt/bnxt_ethtool.c",
    ),
    DriverCounters("ena", r"rx_drops|rx_overruns", RING, _KERNEL + "amazon/ena/ena_ethtool.c"),
    DriverCounters("vmxnet3", r"pkts rx OOB|drv dropped rx total|rx buf alloc fail", RING, "drivers/net/vmxnet3"),
    DriverCounters("sfc", r"(?:port_)?rx_nodesc_drops|rx_noskb_drops", RING, _KERNEL + "sfc/ef10.c"),
    DriverCounters(
        "cxgb4", r"rx_bg\d_frames_dropped|rx_ovflow\d|rx_drops", RING, _KERNEL + "chelsio/cxgb4/cxgb4_ethtool.c"
    ),
    DriverCounters("atlantic", r"Queue\[\d+\] (?:AllocFails|SkbAllocFails)", RING, _KERNEL + "aquantia/atlantic"),
    DriverCounters(
        "mvpp2",
        r"rx_fullq_drop(?:ped)?|rx_bm_drop(?:ped)?|rx_early_drop(?:ped)?|rxq_\d+_(?:queue_full|packets_early"
        r"|packets_bm)_drops",
        RING,
        _KERNEL + "marvell/mvpp2/mvpp2_main.c",
    ),
    DriverCounters("dpaa2", r"\[hw\] rx nobuffer discards", RING, _KERNEL + "freescale/dpaa2/dpaa2-ethtool.c"),
    DriverCounters("tg3", r"rxbds_empty|rx_discards", RING, _KERNEL + "broadcom/tg3.c"),
    DriverCounters("qede", r"no_buff_discards|rx_alloc_errors", RING, _KERNEL + "qlogic/qede/qede_ethtool.c"),
    DriverCounters("enic", r"rx_no_bufs", RING, _KERNEL + "cisco/enic/enic_ethtool.c"),
    DriverCounters(
        "be2net",
        r"rx_drops_no_(?:pbuf|erx_descr|tpre_descr|txpb)|rxq\d+: rx_drops_no_(?:skbs|frags)",
        RING,
        _KERNEL + "emulex/benet/be_ethtool.c",
    ),
    DriverCounters("bnx2x", r"(?:\[\d+\]: )?rx_skb_alloc_discard", RING, _KERNEL + "broadcom/bnx2x/bnx2x_ethtool.c"),
    DriverCounters("macb", r"rx_resource_errors", RING, _KERNEL + "cadence/macb.h"),
    DriverCounters("stmmac", r"rx_missed_cntr", RING, _KERNEL + "stmicro/stmmac/stmmac_ethtool.c"),
    DriverCounters("DPDK", r"rx_mbuf_allocation_errors|rx_q\d+_errors|imissed", RING, "lib/ethdev/rte_ethdev.c"),
    DriverCounters(
        "any",
        r"(?:port\.)?rx_(?:missed(?:_errors)?|no_buffer_count|dropped|over_errors)|rx_queue_\d+_alloc_fail|rx\d+_drops",
        MISSED,
        "include/uapi/linux/if_link.h",
    ),
    DriverCounters("i40e", r"port\.rx_discards?", MISSED, _KERNEL + "intel/i40e/i40e_ethtool.c"),
    DriverCounters("enic", r"rx_drop", MISSED, _KERNEL + "cisco/enic/enic_ethtool.c"),
    DriverCounters("fec", r"IEEE_rx_drop", MISSED, _KERNEL + "freescale/fec_main.c"),
    DriverCounters(
        "ionic", r"hw_rx_(?:dropped|over_errors|missed_errors)", MISSED, _KERNEL + "pensando/ionic/ionic_stats.c"
    ),
    DriverCounters("bnx2x", r"rx_brb_(?:discard|truncate)", OVERRUN, _KERNEL + "broadcom/bnx2x/bnx2x_ethtool.c"),
    DriverCounters("fec", r"IEEE_rx_macerr", OVERRUN, _KERNEL + "freescale/fec_main.c"),
    DriverCounters(
        "stmmac", r"rx_overflow_cntr|mmc_rx_fifo_overflow", OVERRUN, _KERNEL + "stmicro/stmmac/stmmac_ethtool.c"
    ),
    DriverCounters("mlx5", r"rx_discards_phy|rx_prio\d_discards", OVERRUN, _KERNEL + "mellanox/mlx5/core/en_stats.c"),
    DriverCounters(
        "ice", r"rx_dropped\.nic", OVERRUN, "Documentation/networking/device_drivers/ethernet/intel/ice.rst"
    ),
    DriverCounters(
        "sfc",
        r"(?:port_)?rx_overflow|(?:port_)?rx_(?:pm_trunc_bb|pm_discard_bb|pm_trunc_vfifo_full|pm_discard_vfifo_full)"
        r"(?:_overflow)?",
        OVERRUN,
        _KERNEL + "sfc/ef10.c",
    ),
    DriverCounters("atlantic", r"InDroppedDma", OVERRUN, _KERNEL + "aquantia/atlantic/aq_ethtool.c"),
    DriverCounters(
        "mvpp2",
        r"rx_ppv2_overrun|rx_fifo_overrun_err|rx_fifo_dropped",
        OVERRUN,
        _KERNEL + "marvell/mvpp2/mvpp2_main.c",
    ),
    DriverCounters("qede", r"brb_(?:truncates|discards)", OVERRUN, _KERNEL + "qlogic/qede/qede_ethtool.c"),
    DriverCounters("cxgb4", r"rx_bg\d_frames_trunc", OVERRUN, _KERNEL + "chelsio/cxgb4/cxgb4_ethtool.c"),
    DriverCounters(
        "ena", r"(?:bw_(?:in|out)|pps|conntrack)_allowance_exceeded", OVERRUN, _KERNEL + "amazon/ena/ena_ethtool.c"
    ),
    DriverCounters("be2net", r"rx_drops_mtu", FILTERED, _KERNEL + "emulex/benet/be_ethtool.c"),
    DriverCounters(
        "bnx2x", r"rx_mf_tag_discard|rx_filtered_packets", FILTERED, _KERNEL + "broadcom/bnx2x/bnx2x_ethtool.c"
    ),
    DriverCounters("mvpp2", r"rx_cls_drop(?:ped)?", FILTERED, _KERNEL + "marvell/mvpp2/mvpp2_main.c"),
    DriverCounters(
        "dpaa2", r"\[hw\] rx (?:filtered|discarded) frames", FILTERED, _KERNEL + "freescale/dpaa2/dpaa2-ethtool.c"
    ),
    DriverCounters(
        "qede", r"(?:mftag|mac)_filter_discards|gft_filter_drop", FILTERED, _KERNEL + "qlogic/qede/qede_ethtool.c"
    ),
    DriverCounters(
        "any",
        r"(?:port\.)?rx_(?:crc_errors(?:_phy|\.nic)?|align_errors|symbol_err_phy|frame_errors|fcs_errors)|crc_errors",
        BAD_FRAME,
        "include/uapi/linux/if_link.h",
    ),
    DriverCounters(
        "bnxt", r"rx_(?:fcs_err|align_err|code_err)_frames", BAD_FRAME, _KERNEL + "broadcom/bnxt/bnxt_ethtool.c"
    ),
    DriverCounters(
        "macb", r"rx_(?:frame_check_sequence|alignment|symbol)_errors", BAD_FRAME, _KERNEL + "cadence/macb.h"
    ),
    DriverCounters("fec", r"IEEE_rx_(?:crc|align)", BAD_FRAME, _KERNEL + "freescale/fec_main.c"),
    DriverCounters("ionic", r"frames_rx_bad_fcs", BAD_FRAME, _KERNEL + "pensando/ionic/ionic_stats.c"),
    DriverCounters("stmmac", r"mmc_rx_crc_errors?", BAD_FRAME, _KERNEL + "stmicro/stmmac/stmmac_ethtool.c"),
    DriverCounters("sfc", r"(?:port_)?rx_bad|rx_eth_crc_err", BAD_FRAME, _KERNEL + "sfc/ef10.c"),
    DriverCounters("mvpp2", r"bad_crc_event", BAD_FRAME, _KERNEL + "marvell/mvpp2/mvpp2_main.c"),
    DriverCounters("vmxnet3", r"fcs", BAD_FRAME, "drivers/net/vmxnet3/vmxnet3_ethtool.c"),
    DriverCounters("ena", r"queue_\d+_rx_bad_csum|rx_q\d+_bad_csum", BAD_FRAME, _KERNEL + "amazon/ena/ena_ethtool.c"),
    DriverCounters("atlantic", r"InErrors", BAD_FRAME, _KERNEL + "aquantia/atlantic/aq_ethtool.c"),
    DriverCounters("DPDK", r"rx_phy_crc_errors|rx_crc_error_packets", BAD_FRAME, "drivers/net"),
    DriverCounters(
        "any",
        r"tx_(?:dropped|queue_\d+_drops|timeout_count)|tx\d+_(?:dropped|drops)",
        TX_FULL,
        "include/uapi/linux/if_link.h",
    ),
    DriverCounters(
        "bnxt", r"tx_total_discard_pkts|tx_total_ring_discards", TX_FULL, _KERNEL + "broadcom/bnxt/bnxt_ethtool.c"
    ),
    DriverCounters("ionic", r"hw_tx_dropped", TX_FULL, _KERNEL + "pensando/ionic/ionic_stats.c"),
    DriverCounters("vmxnet3", r"ring full|drv dropped tx total|pkts tx discard", TX_FULL, "drivers/net/vmxnet3"),
    DriverCounters("ena", r"tx_drops|queue_\d+_tx_queue_stop", TX_FULL, _KERNEL + "amazon/ena/ena_ethtool.c"),
    DriverCounters("dpaa2", r"\[hw\] tx discarded frames", TX_FULL, _KERNEL + "freescale/dpaa2/dpaa2-ethtool.c"),
    DriverCounters("tg3", r"tx_discards", TX_FULL, _KERNEL + "broadcom/tg3.c"),
    DriverCounters("qede", r"tx_err_drop_pkts", TX_FULL, _KERNEL + "qlogic/qede/qede_ethtool.c"),
    DriverCounters(
        "any",
        r"(?:port\.)?(?:(?:rx|tx)_flow_control_xoff|link_xoff_(?:rx|tx)(?:\.nic)?"
        r"|(?:rx|tx)_pause(?:_ctrl_phy|_frames)?)",
        PAUSE,
        _KERNEL + "intel",
    ),
    DriverCounters("sfc", r"port_(?:rx|tx)_pause", PAUSE, _KERNEL + "sfc/ef10.c"),
    DriverCounters("fec", r"IEEE_[rt]x_fdxfc", PAUSE, _KERNEL + "freescale/fec_main.c"),
    DriverCounters("ionic", r"frames_[rt]x_pause", PAUSE, _KERNEL + "pensando/ionic/ionic_stats.c"),
    DriverCounters("mvpp2", r"fc_(?:rcvd|sent)", PAUSE, _KERNEL + "marvell/mvpp2/mvpp2_main.c"),
    DriverCounters("tg3", r"rx_xoff_pause_rcvd|tx_xoff_sent", PAUSE, _KERNEL + "broadcom/tg3.c"),
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
