"""Mounting of the host's root in the guest: over 9p, read-only, with a tmpfs over it, so that the guest runs the
programs of this checkout.
"""

from __future__ import annotations

from wirespeed.vm.initramfs import Way

# Without drivers of NICs, so that these are free for vfio-pci.
_MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_console", "vfio_pci", "vfio_iommu_type1")

_INIT = """#!/bin/busybox sh
b=/bin/busybox
$b mkdir -p /proc /lower /tmpfs /root
$b mount -t proc proc /proc
for module in @MODULES@; do $b insmod /modules/$module || echo "no module $module"; done
$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose hostroot /lower || echo "no root"
$b mount -t tmpfs -o size=1g tmpfs /tmpfs
$b mkdir /tmpfs/upper /tmpfs/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/tmpfs/upper,workdir=/tmpfs/work overlay /root
for place in proc sys dev run; do $b mkdir -p /root/$place; done
$b mount -t proc proc /root/proc
$b mount -t sysfs sysfs /root/sys
$b mount -t devtmpfs devtmpfs /root/dev
$b mount -t tmpfs tmpfs /root/run
$b mkdir -p /root/dev/shm /root/dev/hugepages
$b mount -t tmpfs tmpfs /root/dev/shm
$b mount -t hugetlbfs hugetlbfs /root/dev/hugepages
set -- $($b cat /proc/cmdline)
for word; do case $word in program=*) program=${word#program=} ;; esac; done
exec $b switch_root /root /bin/sh "$program"
"""

HOST_ROOT = Way("host-root", _MODULES, _INIT)
