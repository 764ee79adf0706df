"""Packets are built without reading the machine's links and routes, of which there may be thousands."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from sandbox import needs

pytestmark = needs()

PAIRS, ROUTES = 50, 2000
# Each of these used to read all links, addresses and routes when first imported or used.
BUILDERS = {
    "profiles": "from wirespeed.profiles import load_profile; load_profile('bench', {}, 0, 0)",
    "T-Rex's profiles": (
        "from wirespeed.profiles import load_profile; load_profile('examples/profiles/many_flows.py', {}, 0, 0)"
    ),
    "the console's layers": "from wirespeed.console.packet_text import layer_names; layer_names()",
    "probes": "import wirespeed.client.probes",
    "OTG": "import wirespeed.otg.packets",
    "bench": "import wirespeed.testbed.neighbours, wirespeed.testbed.links",
}
WATCHED = """
import socket, sys
seen = []
def look(event, arguments):
    if event == "socket.__new__" and arguments[1] == socket.AF_NETLINK:
        seen.append("netlink")
    elif event in ("open", "os.listdir", "os.scandir"):
        seen.extend(place for place in ("/sys/class/net", "/proc/net") if str(arguments[0]).startswith(place))
sys.addaudithook(look)
for name, builder in {builders}.items():
    exec(builder)
    seen += [name] if seen else []
from scapy.config import conf
print(*seen, "interfaces", *conf.ifaces.data, "routes", *conf.route.routes, *conf.route6.routes)
"""


REFUSED = """
from wirespeed._native.port_checks import check_ports
from wirespeed.model import parse_port_spec
try:
    check_ports([parse_port_spec("af_packet:a7"), parse_port_spec("af_packet:none")])
except Exception as error:
    print(error)
"""


def among_links(directory: Path, text: str) -> subprocess.CompletedProcess[str]:
    """A Python program, run to its end in a network namespace with many links and routes."""
    commands, program = directory / "commands", directory / "program.py"
    lines = [f"link add a{number} type veth peer name b{number}" for number in range(PAIRS)] + ["link set lo up"]
    lines += [f"route add 10.{number >> 8}.{number & 255}.0/24 dev lo" for number in range(ROUTES)]
    commands.write_text("\n".join(lines) + "\n")
    program.write_text(text)
    return subprocess.run(
        ["unshare", "--net", "sh", "-c", f"ip -batch {commands} && exec {shlex.quote(sys.executable)} {program}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )


def test_nothing_of_the_machine_is_read_to_build_packets(tmp_path: Path) -> None:
    done = among_links(tmp_path, WATCHED.format(builders=BUILDERS))
    assert (done.returncode, done.stdout) == (0, "interfaces lo routes\n"), done.stderr


def test_a_refused_port_names_few_of_many_links(tmp_path: Path) -> None:
    done = among_links(tmp_path, REFUSED)
    assert "there is no network interface none; there are a0, a1, a10, " in done.stdout, done.stderr
    assert done.stdout.endswith(f" and {2 * PAIRS + 1 - 20} more\n"), done.stdout
