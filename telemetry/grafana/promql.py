"""Shapes of PromQL that more than one board asks for, each written once. Pure text.

`$__rate_interval` is Grafana's: at least four scrapes, so that a rate has two samples whatever is late.
"""

from __future__ import annotations

INSTANCE = 'target=~"$instance"'
WORKER = f'{INSTANCE}, thread=~"$worker"'
NODE = f'{WORKER}, node=~"$node"'
INTERFACE = f'{INSTANCE}, interface=~"$interface"'

CLASSES = (
    # Later ones win, as a router's polling nodes are called inputs too.
    ("rest", ".*"),
    ("input", ".*-input.*|.*-lookup.*|.*-load-balance|.*-rewrite.*|.*-midchain|.*-label-.*|.*-local|.*-handoff.*"),
    ("output", ".*-output|.*-tx"),
    (
        "dpdk",
        "(dpdk|memif|avf|rdma|af-packet|af_xdp|virtio|vhost-user|vmxnet3|idpf|ena|netmap|pg|tap)-input",
    ),
    ("epoll or idle", "unix-epoll-input|main-input|recirculate|impairment-release"),
)
"""What the R86S article sorts a worker's nodes by: what forwards, what transmits, and those that poll in vain."""


def rate(metric: str, selector: str) -> str:
    return f"rate({metric}{{{selector}}}[$__rate_interval])"


def total(by: str, inner: str) -> str:
    return f"sum by ({by}) ({inner})"


def by_class(inner: str) -> str:
    """`inner` has a label `node`; it gets one more, `class`."""
    for name, pattern in CLASSES:
        inner = f'label_replace({inner}, "class", "{name}", "node", "{pattern}")'
    return inner
