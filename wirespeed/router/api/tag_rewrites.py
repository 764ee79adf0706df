"""Rewrites of VLAN tags, by VPP's numbers."""

from __future__ import annotations

from typing import Any

from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.commands.subinterfaces import checked_vlan
from wirespeed.seam.interfaces import TagRewrite
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.tag_rewrites import TAG_REWRITES


def words_of(rewrite: TagRewrite) -> dict[str, Any]:
    tags = (*rewrite.tags, 0, 0)
    operation = TAG_REWRITES.index((rewrite.pop, len(rewrite.tags)))
    is_dot1q = bool(rewrite.tags) and not rewrite.dot1ad
    return {"vtr_op": operation, "vtr_push_dot1q": int(is_dot1q), "vtr_tag1": tags[0], "vtr_tag2": tags[1]}


def rewrite_of(request: Values) -> TagRewrite:
    """The rewrite of a request; Refusal for an unknown operation, UsageError for a wrong tag."""
    if request.vtr_op >= len(TAG_REWRITES):
        raise Refusal(Retval.INVALID_VALUE)
    pop, push = TAG_REWRITES[request.vtr_op]
    tags = tuple(checked_vlan(tag) for tag in (request.tag1, request.tag2)[:push])
    return TagRewrite(pop, tags, bool(tags) and not request.push_dot1q)
