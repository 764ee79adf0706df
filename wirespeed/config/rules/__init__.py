"""Rules for a configuration beyond its schema: one function per rule, one file per subject.

A rule takes a `Lookup` and yields findings without line and name, which are added by its caller."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wirespeed.config.lookup import Lookup
from wirespeed.config.rules import (
    acls,
    addresses,
    bonds,
    bridges,
    interfaces,
    lcps,
    subinterfaces,
    taps,
    tunnels,
    unnumbered,
    xconnects,
)
from wirespeed.findings import FileFinding

Rule = Callable[[Lookup], Iterator[FileFinding]]

RULES: tuple[Rule, ...] = (
    *bonds.RULES,
    *interfaces.RULES,
    *subinterfaces.RULES,
    *lcps.RULES,
    *xconnects.RULES,
    *unnumbered.RULES,
    *addresses.RULES,
    *bridges.RULES,
    *tunnels.RULES,
    *taps.RULES,
    *acls.RULES,
)
