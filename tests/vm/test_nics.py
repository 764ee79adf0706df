"""The shortest part of `make vm`: router and generator on two links of e1000e NICs in a guest, forwarding."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from nic_bench import SHORTEST, run, table

from wirespeed.errors import EnvironmentFault
from wirespeed.vm.packages import KERNEL, QEMU, cache_folder, fetch

pytestmark = pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="guests are made of Debian packages")


@pytest.mark.timeout(900)
def test_real_nics_forward_hear_groups_and_lose_links(tmp_path: Path) -> None:
    try:
        fetch(cache_folder(), QEMU, KERNEL)
    except EnvironmentFault as reason:
        pytest.skip(f"no guests: {reason}")
    outcomes = list(run("e1000e", SHORTEST, cache_folder(), tmp_path / "console.log"))
    sys.stdout.write("\n".join(table(outcomes)))
    assert [f"{one.check}: {one.saw}" for one in outcomes if not one.ok] == []
