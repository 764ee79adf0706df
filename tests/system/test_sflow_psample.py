"""Samples by generic netlink, read back from the kernel as host-sflow reads them."""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Iterator

import pytest
from pyroute2.netlink import genlmsg
from sandbox import needs

from wirespeed.router.features.sflow.messages import psample_message
from wirespeed.router.features.sflow.netlink import MulticastGroup, family_group
from wirespeed.router.features.sflow.records import SampledPacket

pytestmark = needs()

SAMPLE = SampledPacket(1, 9, 1000, 5000, 2, 1514, 1, 2, True, bytes(range(61)))
CONTROLLER_GROUP = 16
"""Number of the group to which the controller of generic netlink announces families."""


class PsampleMessage(genlmsg):  # type: ignore[misc]
    """Attributes of `linux/psample.h`, read by pyroute2."""

    prefix = "PSAMPLE_ATTR_"
    nla_map = (
        (0, "PSAMPLE_ATTR_IIFINDEX", "uint32"),
        (1, "PSAMPLE_ATTR_OIFINDEX", "uint32"),
        (2, "PSAMPLE_ATTR_ORIGSIZE", "uint32"),
        (3, "PSAMPLE_ATTR_SAMPLE_GROUP", "uint32"),
        (4, "PSAMPLE_ATTR_GROUP_SEQ", "uint32"),
        (5, "PSAMPLE_ATTR_SAMPLE_RATE", "uint32"),
        (6, "PSAMPLE_ATTR_DATA", "cdata"),
        (14, "PSAMPLE_ATTR_PROTO", "uint16"),
    )


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16) as made:
        made.settimeout(20)
        yield made


def assert_read_back(group: MulticastGroup, listener: socket.socket) -> None:
    assert group.send(psample_message(group.family, 7, 3, SAMPLE))
    data = listener.recv(65536)
    length, kind, _, sequence = struct.unpack_from("=IHHI", data)
    assert (length, kind, sequence) == (len(data), group.family, 7)
    told = PsampleMessage(data)
    told.decode()
    assert (told["cmd"], told["version"]) == (0, 1)
    wanted = {"IIFINDEX": 1, "OIFINDEX": 2, "ORIGSIZE": 1514, "SAMPLE_GROUP": 4, "GROUP_SEQ": 3, "SAMPLE_RATE": 1000}
    assert {name: told.get_attr(f"PSAMPLE_ATTR_{name}") for name in wanted} == wanted
    assert bytes(told.get_attr("PSAMPLE_ATTR_DATA")) == SAMPLE.header
    assert told.get_attr("PSAMPLE_ATTR_PROTO") == 1
    group.close()


def test_sample_reaches_who_listens(listener: socket.socket) -> None:
    """Through psample's family; on a kernel without psample through the family that every kernel has: only the number
    differs.
    """
    try:
        group, mask = (found := family_group()), found.mask
    except OSError as error:
        assert error.errno == errno.ENOENT
        group, mask = family_group("nlctrl", "notify"), 1 << (CONTROLLER_GROUP - 1)
    listener.bind((0, mask))
    assert_read_back(group, listener)


def test_a_family_that_is_not_there_is_told() -> None:
    with pytest.raises(OSError) as caught:
        family_group("no-such-family", "packets")
    assert caught.value.errno == errno.ENOENT
    with pytest.raises(OSError):
        family_group("nlctrl", "no-such-group")
