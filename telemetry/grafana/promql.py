"""PromQL expressions that several dashboards use. Pure text.

`$__rate_interval` is Grafana's: at least four scrapes, so that a rate has two samples in spite of a late scrape.
"""

from __future__ import annotations

INSTANCE = 'target=~"$instance"'
WORKER = f'{INSTANCE}, thread=~"$worker"'
NODE = f'{WORKER}, node=~"$node", node=~"${{class:raw}}"'
INTERFACE = f'{INSTANCE}, interface=~"$interface"'

CLASSES = (
    (
        "input",
        "(ethernet|arp|ip4|ip6|mpls|l2|lldp|bond)-input.*|.*-lookup.*|.*-load-balance|.*-rewrite.*|.*-midchain"
        "|.*-label-.*|ip[46]-local.*|.*handoff.*",
    ),
    ("output", ".*-(output|tx)"),
    (
        "dpdk",
        "(dpdk|memif|avf|rdma|af-packet|af_xdp|virtio|vhost-user|vmxnet3|idpf|ena|netmap|pg|tap)-input",
    ),
    ("epoll or idle", "unix-epoll-input|main-input|recirculate|impairment-release"),
)
"""Classes of a worker's nodes: forwarding, transmission, polling for packets, other polling. A node is in at most one;
the others are the rest: drops and features."""


def rate(metric: str, selector: str) -> str:
    return f"rate({metric}{{{selector}}}[$__rate_interval])"


def total(by: str, inner: str) -> str:
    return f"sum by ({by}) ({inner})"


def by_class(inner: str) -> str:
    """`inner` with a label `class`, derived from its label `node`."""
    for name, pattern in (("rest", ".*"), *CLASSES):
        inner = f'label_replace({inner}, "class", "{name}", "node", "{pattern}")'
    return inner
