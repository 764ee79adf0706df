"""A small Debian 12 system as the disk of a guest: a router that is reached over SSH.

Its files are those of Debian's packages, unpacked and configured by what stands here, which needs no root; its first
process is a script in place of systemd, whose start takes longer than the rest of the boot.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wirespeed.errors import EnvironmentFault
from wirespeed.vm.initramfs import Boot, Way, load_order, modules_of
from wirespeed.vm.packages import KERNEL, SYSTEM, fetch

MANAGEMENT_MAC = "02:dd:00:00:00:ff"
"""Address of the NIC by which a guest is reached; the guest recognises the NIC by it."""

_DISK_MB = 512
_VERSION = "3"
"""Raised when the disk is made otherwise than before."""

_DISK_ROOT = Way(
    "disk",
    ("virtio_pci", "virtio_blk", "crc32c_generic", "ext4"),
    """#!/bin/busybox sh
b=/bin/busybox
$b mkdir -p /proc /root /dev
$b mount -t proc proc /proc
$b mount -t devtmpfs devtmpfs /dev
for module in @MODULES@; do $b insmod /modules/$module || echo "no module $module"; done
$b mount -t ext4 /dev/vda /root || echo "no root"
for place in proc sys dev run tmp; do $b mkdir -p /root/$place; done
$b mount --move /dev /root/dev
exec $b switch_root /root /sbin/init
""",
)

# The drivers and networking of a router; the rest of the kernel's 300 MB stays out.
_MODULES = (
    *("virtio_pci", "virtio_net", "virtio_rng", "e1000", "e1000e", "igb", "vmxnet3"),
    *("bridge", "8021q", "bonding", "veth", "dummy", "mpls_router", "mpls_iptunnel", "mpls_gso"),
    *("nf_tables", "nft_counter", "nft_ct", "nft_chain_nat", "nft_limit", "nft_log", "nft_masq", "nft_reject_inet"),
    *("nft_nat", "nft_fib_inet", "nf_conntrack_netlink"),
    *("sch_fq_codel", "sch_htb", "cls_u32", "act_mirred", "sch_ingress", "nls_ascii"),
)

_INIT = f"""#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
mkdir -p /dev/pts /dev/shm /run/sshd
mount -t devpts devpts /dev/pts
hostname -F /etc/hostname
for module in virtio_pci virtio_rng virtio_net e1000e e1000 igb vmxnet3; do modprobe $module; done
ip link set lo up
for nic in /sys/class/net/*; do
	if [ "$(cat $nic/address)" = {MANAGEMENT_MAC} ]; then
		ip link set ${{nic##*/}} name mgmt
		# As QEMU's user network has it.
		ip address add 10.0.2.15/24 dev mgmt
		ip link set mgmt up
		ip route add default via 10.0.2.2
	fi
done
[ ! -x /etc/rc.local ] || /etc/rc.local
/usr/sbin/sshd -D &
while [ ! -e /run/sshd.pid ]; do sleep 0.2; done
echo "the guest is ready"
setsid -c sh -l </dev/console >/dev/console 2>&1 &
while :; do wait; sleep 1; done
"""

_ETC = {
    "hostname": "dut\n",
    "hosts": "127.0.0.1 localhost dut\n",
    "passwd": "root:x:0:0:root:/root:/bin/sh\nsshd:x:101:65534::/run/sshd:/usr/sbin/nologin\n"
    "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
    "group": "root:x:0:\ntty:x:5:\nnogroup:x:65534:\n",
    "shadow": "root:*:19000::::::\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files\n",
    "ssh/sshd_config": "HostKey /etc/ssh/host_key\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n"
    "KbdInteractiveAuthentication no\nUsePAM no\nUseDNS no\nStrictModes no\nSubsystem sftp internal-sftp\n",
}


@dataclass(frozen=True)
class DebianDisk:
    """The disk and what boots it, and the keys that are this machine's alone: `key` lets its user in, `host_key` is the
    guest's public one."""

    boot: Boot
    disk: Path
    key: Path
    host_key: str


def debian_disk(folder: Path, say: Callable[[str], None] = lambda _: None) -> DebianDisk:
    """The disk in `folder`, which is made the first time: in a minute or two. EnvironmentFault when it cannot be."""
    fetch(folder, KERNEL, SYSTEM, say=say)
    disk, key = folder / "debian.img", folder / "id_ed25519"
    with (folder / "lock").open("w") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        stamp, wanted = folder / "debian.stamp", f"{_VERSION} {_made_of(folder)}"
        if not disk.exists() or not stamp.exists() or stamp.read_text() != wanted:
            say(f"making the guest's disk {disk}")
            _make(folder, disk, key)
            stamp.write_text(wanted)
        boot = Boot(folder, folder / KERNEL.name, _DISK_ROOT)
    return DebianDisk(boot, disk, key, (folder / "host_key.pub").read_text().strip())


def _made_of(folder: Path) -> str:
    """Another text once other packages were fetched."""
    return " ".join(str((folder / f"{one.name}.stamp").stat().st_mtime_ns) for one in (KERNEL, SYSTEM))


def _make(folder: Path, disk: Path, key: Path) -> None:
    root = folder / "root"
    host_key = folder / "host_key"
    host_public = _key_pair(host_key)
    lay_root(folder, root, host_key.read_bytes(), _key_pair(key))
    (folder / "host_key.pub").write_bytes(host_public)
    new = disk.with_suffix(".new")
    new.unlink(missing_ok=True)
    words = ["-q", "-F", "-t", "ext4", "-O", "^metadata_csum", "-E", "root_owner=0:0", "-d", root, new, f"{_DISK_MB}M"]
    _run(["/usr/sbin/mke2fs", *map(str, words)], "mke2fs (of e2fsprogs)")
    new.replace(disk)
    shutil.rmtree(root)


def _key_pair(path: Path) -> bytes:
    """The public key to the private one at `path`, which is made if there is none: guests that run know it."""
    import asyncssh  # noqa: PLC0415 - slow, and needed once

    if not path.exists():
        _secret(path, asyncssh.generate_private_key("ssh-ed25519").export_private_key())
    return asyncssh.read_private_key(path).export_public_key()


def lay_root(folder: Path, root: Path, host_key: bytes, authorized_key: bytes) -> None:
    """Lay out the guest's files at `root`, out of the packages in `folder`: it has the private `host_key`, and lets the
    user of `authorized_key` in as root."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(folder / SYSTEM.name, root, symlinks=True, ignore=_not_of_a_router)
    _copy_modules(folder / KERNEL.name, root, folder / SYSTEM.name)
    for name, text in _ETC.items():
        (root / "etc" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "etc" / name).write_text(text)
    for link, to in (("bin/sh", "dash"), ("usr/bin/awk", "mawk")):
        (root / link).unlink(missing_ok=True)
        (root / link).symlink_to(to)
    _script(root / "sbin/init", _INIT)
    _secret(root / "etc/ssh/host_key", host_key)
    (root / "root/.ssh").mkdir(parents=True, mode=0o700)
    (root / "root/.ssh/authorized_keys").write_bytes(authorized_key)


def _not_of_a_router(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name in ("doc", "man", "locale", "info", "i18n", "gconv") and "usr/" in folder]


def _copy_modules(kernel: Path, root: Path, system: Path) -> None:
    modules = modules_of(kernel)
    for path in load_order(modules, _MODULES):
        to = root / "lib/modules" / modules.name / path.relative_to(modules)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        if (modules / name).exists():
            shutil.copy(modules / name, root / "lib/modules" / modules.name)
    # kmod does what it is called; this one needs no installation.
    libraries = ":".join(str(system / place / "x86_64-linux-gnu") for place in ("usr/lib", "lib"))
    _run(["depmod", "-b", str(root), modules.name], "depmod", system / "bin/kmod", {"LD_LIBRARY_PATH": libraries})


def _run(words: list[str], what: str, program: Path | None = None, environment: dict[str, str] | None = None) -> None:
    try:
        done = subprocess.run(
            words,
            executable=program,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        raise EnvironmentFault(f"the guest's disk needs {what}, which does not start: {error.strerror}") from None
    if done.returncode:
        raise EnvironmentFault(f"the guest's disk cannot be made: {what}: {done.stderr.strip()[-300:]}")


def _script(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def _secret(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(content)
