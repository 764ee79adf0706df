"""VPP's numbers of VLAN tag rewrites."""

TAG_REWRITES = ((0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (1, 1), (1, 2), (2, 1), (2, 2))
"""By `vtr_op`: tags taken off and tags put on; operation 0 leaves tags alone."""
