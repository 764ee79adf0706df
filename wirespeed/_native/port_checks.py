"""Checks of a port before DPDK opens it, since DPDK's own errors name no cause."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Collection, Sequence
from pathlib import Path

from wirespeed.errors import EnvironmentFault, FileFault, UsageError
from wirespeed.model import PortSpec

_CAP_NET_ADMIN, _CAP_NET_RAW = 12, 13
_NAMED = 20
_INTERFACE_NAME_BYTES = 15
_PCI_DEVICES = Path("/sys/bus/pci/devices")
_USER_DRIVERS = {"vfio-pci", "uio_pci_generic", "igb_uio"}
# These stay with their kernel driver; DPDK reaches them through verbs.
_SHARED_DRIVERS = {"mlx4_core", "mlx5_core", "mana"}


def check_ports(specs: Sequence[PortSpec], ours: Collection[str] = ()) -> None:
    """Raise the first reason why a port cannot be opened. Stale memif sockets are removed, except `ours`."""
    servers = set(ours)
    _check_memif_ends(specs)
    for spec in specs:
        match spec.kind:
            case "memif":
                if spec.options.get("role") == "server" and spec.target not in servers:
                    servers.add(spec.target)
                    if spec.target.startswith("@"):
                        continue
                    claim_socket(Path(spec.target), socket.SOCK_SEQPACKET, f"port {spec}")
            case "vhost" | "virtio":
                _check_vhost(spec, specs)
            case "af_packet" | "af_xdp":
                _check_interface(spec)
            case "tap":
                _check_tap(spec)
            case "pcap":
                _check_pcap(spec)
            case "pci":
                _check_pci(spec)


def _check_memif_ends(specs: Sequence[PortSpec]) -> None:
    """Both ends in one process would be a detour through shared memory."""
    roles: dict[tuple[str, str], PortSpec] = {}
    for spec in specs:
        if spec.kind == "memif":
            end = spec.target, spec.options.get("id", "0")
            other = roles.setdefault(end, spec)
            if other.options.get("role", "client") != spec.options.get("role", "client"):
                raise UsageError(
                    f"ports {other} and {spec} are the two ends of one memif, which is for two processes; "
                    "wire two ports of one process with ring:NAME"
                )


def _check_vhost(spec: PortSpec, specs: Sequence[PortSpec]) -> None:
    """One that connects may come before the other side: DPDK tries again each second."""
    if sum(other.kind == spec.kind and other.target == spec.target for other in specs) > 1:
        raise UsageError(f"two ports use {spec.target}: a vhost-user socket belongs to one port; give another path")
    path = Path(spec.target)
    if spec.options.get("role", "client") == "server":
        claim_socket(path, socket.SOCK_STREAM, f"port {spec}")
    elif path.exists() and not path.is_socket():
        raise EnvironmentFault(f"port {spec}: {path} exists and is not a socket; give QEMU's (-chardev socket,path=…)")


def claim_socket(path: Path, kind: socket.SocketKind, who: str) -> None:
    """Make way for a listening unix socket at `path`: remove a stale one, refuse a live one."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise EnvironmentFault(f"{who}: directory {path.parent} may not be written") from None
        return
    except OSError as error:
        raise EnvironmentFault(f"{who}: {path}: {error.strerror}") from None
    if not stat.S_ISSOCK(mode):
        raise EnvironmentFault(f"{who}: {path} exists and is not a socket; give another path")
    if listens(path, kind):
        raise EnvironmentFault(f"{who}: {path} is in use by another process; give another path or end that one")
    try:
        path.unlink()
    except OSError as error:
        raise EnvironmentFault(f"{who}: stale socket {path} cannot be removed: {error.strerror}") from None


def listens(path: Path, kind: socket.SocketKind) -> bool:
    """True if a process listens on the unix socket, or if the socket may not be opened."""
    with socket.socket(socket.AF_UNIX, kind) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            return True
    return True


def _check_interface(spec: PortSpec) -> None:
    try:
        socket.if_nametoindex(spec.target)  # in constant time, however many links there are
    except (OSError, ValueError):
        names = sorted(name for _, name in socket.if_nameindex())
        there = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
        raise EnvironmentFault(f"port {spec}: there is no network interface {spec.target}; there are {there}") from None
    if not _may(_CAP_NET_RAW) or (spec.kind == "af_xdp" and not _may(_CAP_NET_ADMIN)):
        raise EnvironmentFault(f"port {spec}: {spec.kind} needs root (or CAP_NET_RAW and CAP_NET_ADMIN)")


def _check_tap(spec: PortSpec) -> None:
    if len(spec.target.encode()) > _INTERFACE_NAME_BYTES:
        raise UsageError(f"port {spec}: an interface name has at most {_INTERFACE_NAME_BYTES} bytes")
    if not Path("/dev/net/tun").exists():
        raise EnvironmentFault(f"port {spec}: /dev/net/tun is missing; as root: modprobe tun")
    if not _may(_CAP_NET_ADMIN):
        raise EnvironmentFault(f"port {spec}: tap needs root (or CAP_NET_ADMIN)")


def _check_pcap(spec: PortSpec) -> None:
    if spec.target and not os.access(spec.target, os.R_OK):
        raise FileFault(f"port {spec}: {spec.target} cannot be read")
    out = spec.options.get("out")
    if out and not os.access(Path(out).parent, os.W_OK | os.X_OK):
        raise FileFault(f"port {spec}: directory {Path(out).parent} may not be written")


def _check_pci(spec: PortSpec) -> None:
    device = _PCI_DEVICES / spec.target
    if not device.exists():
        raise EnvironmentFault(f"port {spec}: there is no PCI device {spec.target}; lspci -D lists them")
    link = device / "driver"
    driver = link.resolve().name if link.exists() else ""
    if driver not in _USER_DRIVERS | _SHARED_DRIVERS:
        holder = f"is held by kernel driver {driver}" if driver else "has no driver"
        raise EnvironmentFault(
            f"port {spec}: it {holder}; as root: dpdk-devbind.py --bind=vfio-pci {spec.target} (its links go down)"
        )


def _may(capability: int) -> bool:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> capability & 1)
    return os.geteuid() == 0
