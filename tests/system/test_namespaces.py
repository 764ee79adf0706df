"""Namespaces made by a process whose SIGTERM handler raises an exception, like the demo's."""

from __future__ import annotations

import subprocess
import sys

from sandbox import needs

pytestmark = needs()

PROGRAM = """
import os, signal, time
from pyroute2 import IPRoute, netns, process
from wirespeed.lab.namespaces import create_namespace, namespace_links

def interrupt(number, frame):
    raise KeyboardInterrupt

def answer_and_stay(*arguments):
    answer(*arguments)
    time.sleep(0.2)

# A race that is lost once in a hundred times, made certain: the fork is still there when it is told to end.
answer, process.wrapper = process.wrapper, answer_and_stay
signal.signal(signal.SIGTERM, interrupt)
name, this = f"wt{os.getpid()}", os.getpid()
create_namespace(name)
try:
    with IPRoute() as host, namespace_links(name) as inside:
        host.link("add", ifname=f"{name}a", kind="veth", peer={"ifname": f"{name}b"})
        host.link("set", index=host.link_lookup(ifname=f"{name}b")[0], net_ns_fd=name)
        print("moved", len(inside.link_lookup(ifname=f"{name}b")))
        host.link("del", ifname=f"{name}a")
finally:
    if os.getpid() == this:
        netns.remove(name)
    else:
        print("the fork left through its parent's stack", flush=True)
print("blocked", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
"""


def test_a_fork_that_is_told_to_end_leaves_the_lab_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False, start_new_session=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "moved 1\nblocked []\n", "")


def test_a_namespace_that_is_there_is_not_made_again() -> None:
    program = (
        "import os\nfrom pyroute2 import netns\nfrom wirespeed.lab.namespaces import create_namespace\n"
        "name = f'wt{os.getpid()}'\ncreate_namespace(name)\n"
        "try:\n    create_namespace(name)\nexcept OSError as error:\n    print(error)\n"
        "finally:\n    netns.remove(name)\n"
    )
    said = subprocess.check_output([sys.executable, "-W", "error", "-c", program], text=True, timeout=60)
    assert "exists" in said
