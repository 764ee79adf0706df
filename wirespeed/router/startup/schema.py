"""The sections and words of VPP's start-up file: which have a meaning here, and which are only understood."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from wirespeed.cpus import MAX_WORKERS
from wirespeed.model import MAX_DEVICE_PORT, MAX_MTU, MAX_QUEUES, MIN_MTU
from wirespeed.router.limits import (
    MOST_NEIGHBORS,
    MOST_PATH_SETS,
    MOST_ROUTES,
    MOST_SEED,
    MOST_SESSIONS,
    MOST_TRANSMITS,
)
from wirespeed.router.startup.syntax import Form, StartupBlock

_SIZE = re.compile(r"(\d{1,15})([kKmMgG]?)[bB]?")
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_CPU_LIST = re.compile(r"\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*")


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(word: str) -> int:
        if not word.isascii() or not word.isdigit() or not least <= int(word[:18]) <= most:
            raise ValueError(f"give a number from {least} to {most}")
        return int(word)

    return read


def _size(word: str) -> int:
    match = _SIZE.fullmatch(word)
    if match is None:
        raise ValueError("give a size in bytes, such as 2048, 128M or 2G")
    return int(match[1]) * _FACTORS[match[2].lower()]


def _cpus(word: str) -> str:
    if not _CPU_LIST.fullmatch(word):
        raise ValueError("give CPU numbers such as 1 or 2-3,18-19")
    return word


def _switch(word: str) -> bool:
    if word not in ("on", "off"):
        raise ValueError("give on or off")
    return word == "on"


def _families(word: str) -> tuple[str, ...]:
    if word not in ("ip4", "ip6", "all"):
        raise ValueError("give ip4, ip6 or all")
    return ("ip4", "ip6") if word == "all" else (word,)


def _page_size(word: str) -> str:
    if word not in ("default", "default-hugepage") and not _SIZE.fullmatch(word):
        raise ValueError("give default, default-hugepage or a size such as 2M")
    return word


def _seconds(word: str) -> float:
    if not re.fullmatch(r"\d{1,6}(\.\d{1,9})?", word) or not 0.01 <= float(word) <= 3600:
        raise ValueError("give seconds from 0.01 to 3600")
    return float(word)


def _value(read: Callable[[str], object]) -> Form:
    return Form(read=read)


def _unused(flags: str = "", values: str = "", blocks: str = "") -> dict[str, Form]:
    """Forms that are understood and do nothing."""
    forms = {key: Form(unused=True) for key in flags.split()}
    forms |= {key: Form(read=str, unused=True) for key in values.split()}
    return forms | {key: Form(skip=True, unused=True) for key in blocks.split()}


_FILE = _value(Path)
_QUEUES = _value(_number(1, MAX_QUEUES))
_DESCRIPTORS = _value(_number(1, 32768))

UNIX = StartupBlock(
    {
        "exec": _FILE,
        "startup-config": _FILE,
        "cli-listen": _value(str),
        "log": _FILE,
        "pidfile": _FILE,
        "runtime-dir": _FILE,
        **_unused(
            "nodaemon interactive full-coredump nosyslog nocolor nobanner cli-no-banner cli-no-pager cli-line-mode "
            "use-current-dir",
            "gid coredump-size cli-prompt cli-history-limit cli-pager-buffer-limit poll-sleep-usec",
        ),
    }
)

CPU = StartupBlock(
    {
        "main-core": _value(_number(0, 65535)),
        "corelist-workers": _value(_cpus),
        "workers": _value(_number(1, MAX_WORKERS)),
        "skip-cores": _value(_number(0, 65535)),
        "relative": Form(),
        **_unused("use-pthreads", "coremask-workers scheduler-policy scheduler-priority thread-prefix numa-heap-size"),
    }
)

BUFFERS = StartupBlock(
    {
        "buffers-per-numa": _value(_number(1, 16_777_216)),
        "default data-size": _value(_number(1, 65_000)),
        "page-size": _value(_page_size),
        "layout": Form(read=str, unused=True),
        "numa": Form(read=str, skip=True, unused=True),
    }
)

DEVICE = StartupBlock(
    {
        "name": _value(str),
        "num-rx-queues": _QUEUES,
        "num-tx-queues": _QUEUES,
        "num-rx-desc": _DESCRIPTORS,
        "num-tx-desc": _DESCRIPTORS,
        "mtu": _value(_number(MIN_MTU, MAX_MTU)),
        "port": _value(_number(0, MAX_DEVICE_PORT)),
        "workers": _value(_cpus),
        "devargs": _value(str),
        **_unused(
            "no-rx-interrupts enable-lro",
            "tag rss-queues tso vlan-strip-offload max-lro-pkt-size",
            "rss hqos",
        ),
    }
)

DPDK = StartupBlock(
    {
        "dev default": Form(block=DEVICE),
        "dev": Form(read=str, block=DEVICE),
        "vdev": Form(read=str, block=DEVICE),
        "decimal-interface-names": Form(),
        "no-multi-seg": Form(),
        "no-hugetlb": Form(),
        "uio-driver": _value(str),
        **_unused(
            "uio-bind-force enable-tcp-udp-checksum enable-outer-checksum-offload no-tx-checksum-offload no-pci "
            "no-vmbus telemetry no-dsa enable-lro enable-mbuf-fast-free af_packet",
            "blacklist blocklist block log-level socket-mem num-mbufs num-crypto-mbufs max-simd-bitwidth proc-type "
            "coremask nchannels iova-mode huge-dir file-prefix base-virtaddr link-state-poll-interval "
            "stats-poll-interval trace trace-bufsz trace-dir",
        ),
    }
)

STATSEG = StartupBlock(
    {
        "socket-name": _FILE,
        "default": Form(),
        "per-node-counters": _value(_switch),
        "per-route-counters": _value(_switch),
        "per-adjacency-counters": _value(_switch),
        "update-interval": _value(_seconds),
        "size": _value(_size),
        **_unused(values="page-size"),
    }
)

SOCKSVR = StartupBlock({"socket-name": _FILE, "default": Form()})

LINUX_CP = StartupBlock(
    {
        "default netns": _value(str),
        "lcp-sync": Form(),
        "lcp-auto-subint": Form(),
        **_unused(
            "lcp-sync-unnumbered del-static-on-link-down del-dynamic-on-link-down", "num-rx-queues num-tx-queues"
        ),
    }
)

PLUGIN = StartupBlock({"enable": Form(), "disable": Form(), **_unused("skip-version-check")})
PLUGINS = StartupBlock(
    {"plugin": Form(read=str, block=PLUGIN), **_unused(values="path add-path name-filter vat-path vat-name-filter")}
)

MEMORY = StartupBlock(
    {
        "main-heap-page-size": _value(_page_size),
        "default-hugepage-size": Form(read=_size, unused=True),
        "main-heap-size": Form(read=_size, unused=True),
    }
)

# `max-routes` is a word of ours: VPP gives its tables a heap instead, ours take memory by the routes that come.
_TABLE = {"max-routes": _value(_number(1, MOST_ROUTES))}
# `max-path-sets` and `flow-hash-seed` too: of both families and of labels.
IP = StartupBlock(
    {
        **_TABLE,
        "max-path-sets": _value(_number(1, MOST_PATH_SETS)),
        "flow-hash-seed": _value(_number(0, MOST_SEED)),
        "heap-size": Form(read=_size, unused=True),
        **_unused(values="mtrie-hugetlb"),
    }
)
IP6 = StartupBlock({**_TABLE, "heap-size": Form(read=_size, unused=True), **_unused(values="hash-buckets")})

# One table for all workers, of which the rest of this section has no word: rules are compiled, not hashed.
ACL_PLUGIN = StartupBlock(
    {
        "connection count max": _value(_number(1, MOST_SESSIONS)),
        "main heap size": Form(read=_size, unused=True),
        "hash lookup heap size": Form(read=_size, unused=True),
        "connection hash memory": Form(read=_size, unused=True),
        "hash lookup hash memory": Form(read=_size, unused=True),
        "connection hash buckets": Form(read=str, unused=True),
        "hash lookup hash buckets": Form(read=str, unused=True),
        "use tuple merge": Form(read=str, unused=True),
        "tuple merge split threshold": Form(read=str, unused=True),
        "reclassify sessions": Form(read=str, unused=True),
    }
)

# A section of ours: both families and all interfaces share one table of bounded size.
_NEIGHBORS = _value(_number(1, MOST_NEIGHBORS))
NEIGHBORS = StartupBlock(
    {
        "max": _NEIGHBORS,
        "max-interface": _NEIGHBORS,
        "announce": _value(_families),
        "dad-transmits": _value(_number(0, MOST_TRANSMITS)),
    }
)

FILE = StartupBlock(
    {
        "unix": Form(block=UNIX),
        "cpu": Form(block=CPU),
        "buffers": Form(block=BUFFERS),
        "dpdk": Form(block=DPDK),
        "statseg": Form(block=STATSEG),
        "socksvr": Form(block=SOCKSVR),
        "linux-cp": Form(block=LINUX_CP),
        "plugins": Form(block=PLUGINS),
        "memory": Form(block=MEMORY),
        "acl-plugin": Form(block=ACL_PLUGIN),
        "ip": Form(block=IP),
        "ip6": Form(block=IP6),
        "neighbors": Form(block=NEIGHBORS),
        "heapsize": Form(read=_size, unused=True),
        # Sections that VPP has or had in any release since 17.04 (its CONFIG_FUNCTIONs).
        **_unused(
            values="plugin_path test_plugin_path",
            blocks="af_xdp api-fuzz api-queue api-segment api-trace avf cj cnat crypto crypto-engines "
            "crypto_sw_scheduler ct6 devices dns dsa dslite ethernet fateshare gbp hs_apps http ikev2 interface "
            "ip4 ipsec l2fib l2learn l2tp l3fib linux-nl logging mactime map mc mpls nat nat44 nat64 node "
            "npol-plugin nsim oam oddbuf perfmon physmem pktgen punt pvti quic rdma selog session sfdp snat ssvm_eth "
            "stats tap tapcli tcp test-proxy tls trace tuntap udp unix-cli vapi-trace vhost-user vlib vmxnet3 "
            "wireguard",
        ),
    }
)
