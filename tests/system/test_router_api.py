"""The binary API with Linux's side of a router, and remotely through a real sshd."""

from __future__ import annotations

import contextlib
import json
import sys

import pytest
from sandbox import PORTS, UP, needs, router
from ssh_dut import HOST, SshDut

from wirespeed.vpp_api.json_files import api_directory
from wirespeed.vpp_api.papi import connected

pytestmark = [needs("sshd"), pytest.mark.filterwarnings("ignore:open_text is deprecated:DeprecationWarning")]

AFAR = """
import json, sys
from wirespeed.dut.reach.api_socket import connected_api
with connected_api(sys.argv[1]) as client:
    names = [face.interface_name for face in client.api.sw_interface_dump()]
    print(json.dumps([client.api.show_version().program, names, len(client.messages)]))
"""
FETCH = """
import sys
from contextlib import closing
from pathlib import Path
from wirespeed.dut.reach.spec import parse_reach
with closing(parse_reach(sys.argv[1])) as reach:
    reach.fetch(sys.argv[2], Path(sys.argv[3]))
"""


def test_pairs_with_linux_are_made_told_and_ended(box):
    with contextlib.ExitStack() as stack:
        stack.enter_context(router(box, PORTS, UP))
        box.hosts()
        client = stack.enter_context(connected(box.directory / "api.sock"))
        api = client.api
        assert api.lcp_default_ns_set(netns="dataplane").retval == 0
        assert api.lcp_default_ns_get().netns == "dataplane"
        made = {}
        for number, index in ((1, 1), (2, 2)):
            prefix = f"10.{number}.0.1/24"
            assert api.sw_interface_add_del_address(sw_if_index=index, is_add=True, prefix=prefix).retval == 0
            made[index] = api.lcp_itf_pair_add_del_v3(
                is_add=True, sw_if_index=index, host_if_name=f"e{number}", host_if_type=0, netns=""
            )
            assert made[index].retval == 0
            box.run("ip", "addr", "add", prefix, "dev", f"e{number}", netns="dataplane")
        reply, pairs = api.lcp_itf_pair_get()
        assert reply.retval == 0
        assert [(pair.phy_sw_if_index, pair.host_sw_if_index, pair.host_if_name, pair.netns) for pair in pairs] == [
            (1, made[1].host_sw_if_index, "e1", "dataplane"),
            (2, made[2].host_sw_if_index, "e2", "dataplane"),
        ]
        assert f"{pairs[0].vif_index}: e1:" in box.run("ip", "-o", "link", netns="dataplane")
        taps = {tap.sw_if_index: tap for tap in api.sw_interface_tap_v2_dump()}
        assert taps[made[1].host_sw_if_index].host_if_name == "e1"
        # Linux's replies come back through the API, and packets for Linux go there.
        box.wait_ping("h1", "10.2.0.2")
        box.wait_ping("dataplane", "10.1.0.2")
        assert api.lcp_itf_pair_add_del_v3(is_add=False, sw_if_index=1).retval == 0
        assert api.lcp_itf_pair_add_del_v3(is_add=False, sw_if_index=1).retval == -6
        assert [pair.phy_sw_if_index for pair in api.lcp_itf_pair_get_v2(sw_if_index=0xFFFFFFFF)[1]] == [2]
        assert " e1:" not in box.run("ip", "-o", "link", netns="dataplane")
        tap = api.tap_create_v3(id=9, host_if_name_set=True, host_if_name="linux9")
        assert tap.retval == 0 and "linux9:" in box.run("ip", "-o", "link")
        assert api.tap_delete_v2(sw_if_index=tap.sw_if_index).retval == 0
        assert api.tap_delete_v2(sw_if_index=1).retval == -2


@pytest.mark.long("a router over SSH; test_dut_router.py has one")
def test_a_box_behind_ssh_is_spoken_to_without_anything_of_ours_there(box):
    with router(box, ("e0=ring:a", "e1=ring:a"), UP):
        dut = SshDut(box)
        python = [*dut.words[:-3], sys.executable]
        where = f"ssh://root@{HOST}{box.directory}/api.sock"
        program, names, messages = json.loads(box.run(*python, "-c", AFAR, where))
        assert (program, names) == ("wirespeed", ["local0", "e0", "e1"])
        assert messages > 100
        box.run(*python, "-c", FETCH, f"ssh://root@{HOST}", str(api_directory()), str(box.directory / "fetched"))
        fetched = box.directory / "fetched/core/vpe.api.json"
        assert fetched.read_text() == (api_directory() / "core/vpe.api.json").read_text()
        for wrong, why in (
            (f"ssh://root@{HOST}/nowhere/api.sock", "there is no VPP API at ssh://"),
            (f"ssh://nobody@{HOST}/run/vpp/api.sock", "accepts none of your keys"),
            (f"ssh://root@{HOST}", "is not an API socket; give PATH or ssh://"),
        ):
            code, said = box.try_run(*python, "-c", AFAR, wrong)
            assert code != 0 and why in said.splitlines()[-1]
