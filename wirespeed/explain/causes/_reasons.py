"""Words in counters' names, by what they tell: reasons of VPP and our router, counters of kernels and drivers."""

from __future__ import annotations

from wirespeed.cases import nic_counters

NO_NEXT_HOP = (
    "no route",
    "noroutes",
    "unreach",
    "prohibit",
    "neighbor",
    "arp",
    "path says",
    "path is gone",
    "unknown label",
)
BLACKHOLE = ("blackholed",)
MTU = ("mtu", "too big", "too long", "fragmentation needed", "fragfails", "fragcreates", "toobig", "df bit", "df set")
ICMP_ERRORS = ("icmp4 error rate", "icmp6 error rate")
SLOW_PATH = (
    *(" ttl", "ttl ", "hop limit <=", "hop limit exceeded", "inhdrerrors", "time exceeded"),
    *("punt", *ICMP_ERRORS),
)
ON_PURPOSE = ("on purpose",)
TX_FULL = (
    "tx failure",
    "no free tx",
    "tx ring",
    "tx_dropped",
    "tx full",
    "tx drop",
    "tx_ring",
    "tx_hwq",
    nic_counters.TX_FULL,
)
RX_MISSED = (
    *("rx-miss", "rx miss", "imissed", "rx_miss", "missed", "no_buf", "nobuf", "no buf", "no dma", "no_dma"),
    *("out_of_buffer", "rx drop", "rx_no_desc", "rx_ovflow", "rx_fifo", "idrops", nic_counters.RING),
    nic_counters.MISSED,
)
NIC_ITSELF = ("rx_discards_phy", "rx_prio0_discards", "pci_stalled", nic_counters.OVERRUN)
CHECKSUM = ("crc", "alignment", "align_err", "frame error", "frame_error", "fcs", "symbol_err", nic_counters.BAD_FRAME)
FIREWALL = ("pf congestion", "state limit", "nf_conntrack", "table full", "nft", "acl deny", "acl drop", "filter")
NETISR = ("qdrops", "netisr")
BACKLOG = ("softnet", "backlog")

SUMS = ("tx err", "rx err", "rx drop", "tx drop", "indiscards", "outdiscards")
"""Sums of an interface or a stack: they show the place and not the reason."""

ALL = (
    *(
        *NO_NEXT_HOP,
        *BLACKHOLE,
        *MTU,
        *SLOW_PATH,
        *ON_PURPOSE,
        *TX_FULL,
        *RX_MISSED,
        *NIC_ITSELF,
        *CHECKSUM,
        *FIREWALL,
        *NETISR,
        *BACKLOG,
    ),
    *SUMS,
)
