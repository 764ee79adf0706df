"""The examples of docs/vpp-tools.md are run unchanged."""

import re

from sandbox import needs
from test_documented_examples import empty, examples, shell

pytestmark = needs()

__all__ = ["empty"]

START, FOLDER, PROGRAM, RUN, _VPPCTL, COUNTERS, _VPPCFG, AFAR = examples("vpp-tools.md")


def test_a_client_of_vpp_configures_the_router(empty):
    (empty.directory / "configure.py").write_text(PROGRAM)
    (empty.directory / "counters.py").write_text(COUNTERS)
    started = f"{START.rstrip()} --max-routes 20000 &\nuntil [ -S /run/wirespeed/api.sock ]; do sleep 1; done\n"
    waited = "until wirespeed ctl show version >/dev/null 2>&1; do sleep 1; done\n"
    said = shell(empty, f"{started}{waited}{FOLDER}{RUN}python3 counters.py\nwirespeed ctl show interface address")
    assert "wirespeed/vpp_api/json\n" in said or "wirespeed/vpp-api\n" in said
    assert re.search(r"^e0\.100 is \d+ retval 0$", said, re.MULTILINE)
    assert said.count("  L3 100.64.1.1/30") == 2
    assert re.search(r"^\['local0', 'e0', .*'e0\.100'\] \d+ \{.*\}$", said, re.MULTILINE)
    compile(AFAR, "afar", "exec")
