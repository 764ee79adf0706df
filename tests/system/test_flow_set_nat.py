"""Flow sets through the filters of the Linux kernel: opened, validated and used, each flow with its own state."""

from __future__ import annotations

import subprocess

import pytest
from shared_labs import connected

from wirespeed.client.flow_sets import FlowAddresses, FlowPorts, FlowProtocol, FlowSet
from wirespeed.dut.setup import FilterOptions, Rules
from wirespeed.lab.linux import LinuxLab, unavailable
from wirespeed.lab.running import running
from wirespeed.machine.placement import choose_cpus
from wirespeed.trial.flow_session import FlowSession
from wirespeed.trial.links import wait_for_links

FLOWS = 600
"""Fewer than a socket's ring holds: none is lost while the tester waits for a CPU."""

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=f"no Linux lab: {unavailable()}")


@pytest.mark.parametrize(
    ("rules", "source", "destination", "untranslated", "redirected"),
    [
        ("nat", "16.0.0.1", "48.0.0.1", 0, 0),
        ("nat66", "2001:2::1", "2001:2:0:8000::1", 0, 0),
        ("stateful", "16.0.0.1", "48.0.0.1", FLOWS, 0),
        ("forward", "16.0.0.1", "100.64.1.1", FLOWS, FLOWS),
    ],
)
@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_each_flow_is_established_and_proved(
    no_linux_lab: None,
    protocol: FlowProtocol,
    rules: Rules,
    source: str,
    destination: str,
    untranslated: int,
    redirected: int,
) -> None:
    ranges = FlowAddresses(source), FlowAddresses(destination), FlowPorts(1024, 50_000), FlowPorts(1, 10)
    flows = FlowSet(*ranges, flows=FLOWS, protocol=protocol)
    with running(LinuxLab(choose_cpus(), filter=FilterOptions(rules))) as lab, connected(lab.rpc) as client:
        wait_for_links(client)
        client.acquire([0, 1])
        with FlowSession(client, flows) as session:
            opened = session.establish(10_000)
            if protocol == "tcp":
                assert established(lab) == FLOWS
            proved = session.validate(10_000)
            used = session.exchange(0.1, initiator_fps=5_000, responder_fps=5_000)
        if protocol == "tcp":
            assert established(lab) == FLOWS
        client.release([0, 1])
    assert (opened.sending.sent, opened.established, opened.merged, opened.remapped) == (FLOWS, FLOWS, 0, 0)
    assert (opened.untranslated, opened.destination_changed) == (untranslated, redirected)
    assert (proved.learnt, proved.established, proved.wrong_destination) == (FLOWS, FLOWS, 0)
    for direction in (used.to_responder, used.to_initiator):
        assert direction is not None
        assert (direction.missing, direction.remapped, direction.wrong_destination) == (0, 0, 0)


def established(lab: LinuxLab) -> int:
    """Connections of the device that are ESTABLISHED and assured."""
    command = ["ip", "netns", "exec", lab.netns, "cat", "/proc/net/nf_conntrack"]
    entries = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return sum(" ESTABLISHED " in entry and "[ASSURED]" in entry for entry in entries)
