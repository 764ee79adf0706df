"""The checks, in the order in which they are told: memory and rights, NICs, CPUs, time, surroundings."""

from __future__ import annotations

from typing import Final

from wirespeed.doctor.checks.clock import clock, steal
from wirespeed.doctor.checks.cpus import enough, governor, isolation, neighbours, smt
from wirespeed.doctor.checks.drivers import drivers, vfio
from wirespeed.doctor.checks.hugepages import hugepages
from wirespeed.doctor.checks.iommu import iommu
from wirespeed.doctor.checks.surroundings import leftovers, memlock, packages, tcp_ports
from wirespeed.doctor.finding import Check

CHECKS: Final[tuple[Check, ...]] = (
    *(packages, hugepages, memlock, iommu, vfio, drivers),
    *(enough, isolation, governor, smt, neighbours, clock, steal, tcp_ports, leftovers),
)
