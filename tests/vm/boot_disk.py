"""A disk image that boots by its own boot loader, like a user's router: the guests' Debian in an initramfs.

Usage: boot_disk.py FILE [configured]. The key next to the packages (`~/.cache/wirespeed-vm/id_ed25519`) logs in as
root. With `configured`, it boots as the router that `--lab vm:FILE,kind=none` needs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import asyncssh

from wirespeed.vm.debian import debian_disk, lay_root
from wirespeed.vm.initramfs import modules_of
from wirespeed.vm.packages import KERNEL, SYSTEM, Bundle, cache_folder, fetch

LOADER = Bundle("loader", "bookworm", ("syslinux", "syslinux-common", "mtools"), ("gcc-12", "libgcc", "libc6"))
_CONFIG = """\
SERIAL 0
DEFAULT router
LABEL router
KERNEL vmlinuz
APPEND initrd=initrd console=ttyS0 quiet panic=-1 no_timer_check
"""
# The root of an initramfs has no switch_root in front of it; its NIC drivers are modules in it.
_INIT = "#!/bin/sh\n/bin/busybox mount -t devtmpfs devtmpfs /dev\nexec /sbin/init </dev/console >/dev/console 2>&1\n"
# MAC addresses of the generator's ports in `--lab vm`.
_ROUTER = """\
#!/bin/sh
echo 1 >/proc/sys/net/ipv4/ip_forward
for wire in 1 2; do
	ip link set eth$wire up
	ip address add 100.64.$wire.1/30 dev eth$wire
	ip neighbor add 100.64.$wire.2 lladdr 02:ee:00:00:02:0$((wire - 1)) dev eth$wire nud permanent
done
ip route add 16.0.0.0/8 via 100.64.1.2
ip route add 48.0.0.0/8 via 100.64.2.2
"""
_DISK_MB = 128


def make(image: Path, configured: bool = False) -> None:
    """EnvironmentFault if Debian's packages are not available."""
    folder = cache_folder()
    fetch(folder, LOADER, say=print)
    key = asyncssh.read_private_key(debian_disk(folder, print).key)
    kernel = folder / KERNEL.name
    with tempfile.TemporaryDirectory(prefix="wirespeed-vm-") as made:
        root, initrd, config = Path(made, "root"), Path(made, "initrd"), Path(made, "syslinux.cfg")
        host_key = asyncssh.generate_private_key("ssh-ed25519").export_private_key()
        lay_root(folder, root, host_key, key.export_public_key())
        (root / "init").write_text(_INIT)
        (root / "init").chmod(0o755)
        if configured:
            (root / "etc/rc.local").write_text(_ROUTER)
            (root / "etc/rc.local").chmod(0o755)
        archive = "find . | busybox cpio -o -H newc | gzip -1"
        path = {"PATH": f"{folder / SYSTEM.name / 'bin'}:{os.environ['PATH']}"}
        with initrd.open("wb") as packed:
            subprocess.run(["sh", "-c", archive], cwd=root, stdout=packed, env={**os.environ, **path}, check=True)
        config.write_text(_CONFIG)
        version = modules_of(kernel).name
        shutil.copy(kernel / f"boot/vmlinuz-{version}", Path(made, "vmlinuz"))
        image.unlink(missing_ok=True)
        with image.open("wb") as disk:
            disk.truncate(_DISK_MB << 20)
        tools = folder / LOADER.name / "usr/bin"
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "MTOOLS_SKIP_CHECK": "1"}
        for words in (
            ["mformat", "-i", str(image), "-F", "::"],
            ["syslinux", "--install", str(image)],
            ["mcopy", "-i", str(image), str(config), str(initrd), str(Path(made, "vmlinuz")), "::"],
        ):
            subprocess.run(words, env=environment, check=True)


if __name__ == "__main__":
    make(Path(sys.argv[1]), configured=sys.argv[2:] == ["configured"])
