"""vfio, and what drives the NICs that are to be tested with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.doctor.finding import HostFinding, HostPurpose, HostStep, fixable
from wirespeed.inspect.known_nics import CONNECTX_3, keeps_driver
from wirespeed.inspect.pci import PciDevice, parse_sysfs
from wirespeed.inspect.transcript import Transcript, text, tree

USER_SPACE = ("vfio-pci", "uio_pci_generic", "igb_uio")
_STEERING = "/sys/module/mlx4_core/parameters/log_num_mgm_entry_size"
_LOADED = {"/sys/module/vfio_pci", "/sys/bus/pci/drivers/vfio-pci"}
_DEVICES = "/sys/bus/pci/devices"


def vfio(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """The module itself. It binds nothing before it is loaded."""
    printed, devices = text(answers, "modules"), parse_sysfs(text(answers, "pci"))
    if _LOADED & set(printed.splitlines()):
        yield HostFinding("vfio", "ok", "vfio-pci is there")
        return
    needed = [nic for nic in wanted.nics if nic in devices and not keeps_driver(devices[nic].ids)]
    if "modprobe" not in printed.split():
        yield HostFinding(
            "vfio",
            "blocks" if needed else "note",
            "this kernel has no vfio-pci",
            "NICs can be given to DPDK by it only; Debian's cloud kernel leaves it out",
            ("apt-get install linux-image-amd64",),
        )
        return
    yield fixable(
        "vfio",
        "blocks" if needed else "note",
        "vfio-pci is not loaded",
        "NICs are given to DPDK by it",
        [HostStep("modprobe vfio-pci", "modprobe -r vfio-pci")],
    )


def drivers(answers: Transcript, wanted: HostPurpose) -> Iterator[HostFinding]:
    """Check each named NIC; a NIC in use is never rebound."""
    devices = parse_sysfs(text(answers, "pci"))
    if not wanted.nics:
        free = [one for one in devices.values() if one.is_ethernet]
        told = ", ".join(f"{one.address} ({one.driver or 'no driver'})" for one in free) or "none"
        yield HostFinding(
            "drivers", "note", f"no NIC was named; there are: {told}", "name the test ports by --nic to check"
        )
    for nic in wanted.nics:
        device = devices.get(nic)
        if device is None:
            yield HostFinding(
                "drivers",
                "blocks",
                f"{nic} is not a PCI device here",
                "test ports are named by their address",
                ("lspci -D",),
            )
        elif keeps_driver(device.ids):
            yield from _mellanox(device, answers)
        elif device.driver in USER_SPACE:
            yield HostFinding("drivers", "ok", f"{nic} is held by {device.driver}")
        else:
            yield _bound_elsewhere(device, answers)


def _mellanox(device: PciDevice, answers: Transcript) -> Iterator[HostFinding]:
    """Their kernel driver stays: DPDK goes through it."""
    if not device.driver.startswith("mlx"):
        driver = "mlx4_core" if device.ids in CONNECTX_3 else "mlx5_core"
        yield fixable(
            "drivers",
            "blocks",
            f"{device.address} is held by {device.driver or 'no driver'}",
            "DPDK drives this NIC through its kernel driver, which has to stay bound",
            bind_steps(device, driver),
        )
        return
    yield HostFinding("drivers", "ok", f"{device.address} keeps {device.driver}, as DPDK wants it")
    if device.ids in CONNECTX_3:
        steering = tree(text(answers, "modules")).get(_STEERING, "")
        if steering not in ("-1", "-7"):
            yield HostFinding(
                "drivers",
                "blocks",
                f"log_num_mgm_entry_size of mlx4_core is {steering or 'unknown'}",
                "a ConnectX-3 gives DPDK no packets without device-managed steering: -1, or -7 without a VLAN filter",
                (
                    "echo 'options mlx4_core log_num_mgm_entry_size=-1' >/etc/modprobe.d/mlx4.conf",
                    "modprobe -r mlx4_en mlx4_ib mlx4_core; modprobe mlx4_core",
                ),
            )


def _bound_elsewhere(device: PciDevice, answers: Transcript) -> HostFinding:
    is_ = f"{device.address} is held by {device.driver or 'no driver'}"
    why = "DPDK reaches a NIC that vfio-pci holds, and the kernel then does not"
    used = _use(device, answers)
    steps = bind_steps(device, "vfio-pci")
    if used:
        fix = tuple(step.do for step in steps)
        return HostFinding("drivers", "blocks", f"{is_}, and {used}", f"{why}; --fix takes none that is in use", fix)
    return fixable("drivers", "blocks", is_, why, steps)


def _use(device: PciDevice, answers: Transcript) -> str:
    """Use that the kernel makes of the device; empty if nothing would be lost."""
    for name in device.interfaces:
        own = re.findall(rf"^\d+: {re.escape(name)}\s+inet6? (\S+)", text(answers, "addresses"), re.MULTILINE)
        addresses = [one for one in own if not one.startswith("fe80:")]
        if addresses:
            return f"{name} has the address {addresses[0]}"
        if re.search(rf"\bdev {re.escape(name)}\b", text(answers, "routes")):
            return f"the default route goes through {name}"
        if master := re.search(rf"(?m)^\d+: {re.escape(name)}:.* master (\S+)", text(answers, "links")):
            return f"{name} belongs to {master[1]}"
    return ""


def bind_steps(device: PciDevice, driver: str) -> list[HostStep]:
    """Give the device to `driver`, and back to who had it."""
    at = f"{_DEVICES}/{device.address}"
    unbind = f"[ ! -e {at}/driver ] || echo {device.address} >{at}/driver/unbind"
    probe = f"echo {device.address} >/sys/bus/pci/drivers_probe"
    do = f"{unbind}; echo {driver} >{at}/driver_override; {probe}; readlink {at}/driver | grep -q '/{driver}$'"
    back = f"; {probe}" if device.driver else ""
    return [HostStep(do, f"{unbind}; echo >{at}/driver_override{back}")]
