"""The IOMMU, without which vfio allows no DMA, and its cost."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.doctor.finding import HostFinding, HostPurpose
from wirespeed.inspect.known_nics import keeps_driver
from wirespeed.inspect.pci import parse_sysfs
from wirespeed.inspect.transcript import Transcript, text

_GRUB = "/etc/default/grub"


def iommu(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    groups, cmdline = text(answers, "iommu").split(), text(answers, "cmdline")
    if groups:
        if re.search(r"(intel_iommu|amd_iommu)=on", cmdline) and "iommu=pt" not in cmdline.split():
            yield HostFinding(
                "iommu",
                "costs",
                f"on, {len(groups)} groups, without iommu=pt",
                "the kernel's own drivers are translated too, up to a fifth of their speed at 200G",
                (_words("iommu=pt"), "update-grub && reboot"),
            )
        else:
            yield HostFinding("iommu", "ok", f"on, {len(groups)} groups")
        return
    devices = parse_sysfs(text(answers, "pci"))
    needing = [nic for nic in wanted.nics if not (nic in devices and keeps_driver(devices[nic].ids))]
    amd = "AuthenticAMD" in text(answers, "cpuinfo")
    yield HostFinding(
        "iommu",
        "blocks" if needing else "note",
        "off: no device has a group",
        "vfio-pci binds nothing without one; ports on memif, veth and the kernel's drivers do",
        (
            "# switch VT-d or AMD-Vi on in the firmware",
            _words("iommu=pt" if amd else "intel_iommu=on iommu=pt"),
            "update-grub && reboot",
        ),
    )


def _words(words: str) -> str:
    """The command that gives the kernel more words at its next start."""
    return f"sed -i 's/^GRUB_CMDLINE_LINUX=\"/&{words} /' {_GRUB}"
