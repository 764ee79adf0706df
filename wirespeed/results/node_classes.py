"""What the nodes of a router's graph do for a packet, in the order in which it meets them. The one place that sorts
them: by the names that VPP gave them and ours bear.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

NodeClass = Literal["input", "lookup", "rewrite", "output", "tx", "other"]

NODE_CLASSES: tuple[NodeClass, ...] = get_args(NodeClass)

_PATTERNS: tuple[tuple[NodeClass, str], ...] = (
    ("tx", r".*-tx(?:-\w+)?"),
    # What takes packets in: from the wire, and from one layer to the next.
    ("input", r"(?:.*-)?input(?:-no-checksum|-not-l2|-l2)?|.*handoff.*"),
    # What looks something up by what is in the packet.
    ("lookup", r".*-lookup(?:-multicast)?|.*-load-balance|lookup-.*|l2-(?:fwd|learn|flood)|.*-classify"),
    # What changes the packet.
    ("rewrite", r".*-rewrite(?:-\w+)?|.*-midchain|.*-label-.*|.*-vtr|.*-frag|.*-encap|.*-decap"),
    ("output", r".*-output"),
)


def class_of(node: str) -> NodeClass:
    """Of a node by its name; drops, punts and features are `other`."""
    return next((name for name, pattern in _PATTERNS if re.fullmatch(pattern, node)), "other")
