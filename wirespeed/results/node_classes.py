"""Classes of graph nodes, by what they do for a packet and in that order. The only table of them, by VPP's names, which
wirespeed's nodes have, too.

VPP's `show runtime` cuts a name at 30 characters. An interface name of 24 letters or more thereby hides which of its
two nodes a row is of: `HundredGigabitEthernet17/0/0-o`, and `TwentyFiveGigabitEthernet3/0/1` twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, get_args

NodeClass = Literal["input", "lookup", "rewrite", "output", "tx", "other"]

NODE_CLASSES: tuple[NodeClass, ...] = get_args(NodeClass)

CUT = 30
"""Characters of a node name that VPP's `show runtime` prints."""
OUTPUT, TX = "-output", "-tx"
_CUT_SUFFIXES = {suffix[:length]: suffix for suffix in (OUTPUT, TX) for length in range(2, len(suffix))}
_PORT = re.compile(r"[A-Z][A-Za-z]*Ethernet[0-9a-f]+(?:/[0-9a-f]+){1,3}(?:\.\d+)?-?")
"""VPP's name of a hardware port or a sub-interface of one, without its node's suffix."""

_PATTERNS: tuple[tuple[NodeClass, str], ...] = (
    ("tx", r".*-tx(?:-\w+)?"),
    # Nodes that take packets in: from the wire, and from one layer to the next.
    ("input", r"(?:.*-)?input(?:-no-checksum|-not-l2|-l2)?|.*handoff.*"),
    # Nodes that look something up by the packet's content.
    ("lookup", r".*-lookup(?:-multicast)?|.*-load-balance|lookup-.*|l2-(?:fwd|learn|flood)|.*-classify"),
    # Nodes that change the packet.
    ("rewrite", r".*-rewrite(?:-\w+)?|.*-midchain|.*-label-.*|.*-vtr|.*-frag|.*-encap|.*-decap"),
    ("output", r".*-output"),
)


def class_of(node: str) -> NodeClass:
    """The class of a node by its name, cut or whole; drops, punts and features are `other`."""
    (whole,) = whole_names([node])
    return next((name for name, pattern in _PATTERNS if re.fullmatch(pattern, whole)), "other")


def whole_names(names: Sequence[str]) -> list[str]:
    """The names of one thread's rows, in their order, with the suffix that a cut took from the nodes of an interface.

    Rows are in alphabetical order. Of two rows whose cut left the same name, the first is the output node and the
    second the tx node. A single row without any part of a suffix stays as it is.
    """
    left = [name for name in names if _is_bare_port(name)]
    seen: set[str] = set()
    whole = []
    for name in names:
        head, dash, tail = name.rpartition("-")
        if len(name) == CUT and (suffix := _CUT_SUFFIXES.get(dash + tail)):
            whole.append(head + suffix)
        elif left.count(name) == 2:
            whole.append(name.removesuffix("-") + (TX if name in seen else OUTPUT))
            seen.add(name)
        else:
            whole.append(name)
    return whole


def port_of(node: str) -> str | None:
    """The interface of an output or tx node; None for any other node."""
    return next((node.removesuffix(suffix) for suffix in (OUTPUT, TX) if node.endswith(suffix)), None)


def takes_in(node: str) -> bool:
    """True for the first node after a polling node: of Ethernet, or of the layer to which a port without Ethernet or an
    old release passes packets."""
    return re.fullmatch(r"ethernet-input(?:-not-l2)?|(?:ip4|ip6|mpls|l2)-input(?:-no-checksum)?", node) is not None


def _is_bare_port(name: str) -> bool:
    return len(name) == CUT and _PORT.fullmatch(name) is not None
