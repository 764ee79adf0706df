"""Error codes of the API, by VPP's numbers."""

from __future__ import annotations

import errno
from enum import IntEnum

from wirespeed.errors import EnvironmentFault, WirespeedError


class Retval(IntEnum):
    UNSPECIFIED = -1
    INVALID_SW_IF_INDEX = -2
    NO_SUCH_FIB = -3
    NO_SUCH_ENTRY = -6
    INVALID_VALUE = -7
    UNIMPLEMENTED = -9
    INVALID_SW_IF_INDEX_2 = -10
    VLAN_ALREADY_EXISTS = -56
    SUBIF_ALREADY_EXISTS = -68
    INVALID_INTERFACE = -71
    INVALID_ARGUMENT = -73
    TUNNEL_EXIST = -75
    INVALID_DECAP_NEXT = -76
    IF_ALREADY_EXISTS = -79
    VALUE_EXIST = -81
    SAME_SRC_DST = -82
    ADDRESS_NOT_IN_USE = -106
    ENTRY_ALREADY_EXISTS = -116
    BD_ALREADY_EXISTS = -119
    BD_IN_USE = -120
    BD_ID_EXCEED_MAX = -122
    INVALID_QUEUE = -125
    ACL_IN_USE_INBOUND = -142
    ACL_IN_USE_OUTBOUND = -143


class Refusal(Exception):
    """A request is answered with this number."""

    def __init__(self, retval: Retval) -> None:
        super().__init__(retval.name)
        self.retval = retval


_BY_ERRNO = {
    errno.EINVAL: Retval.INVALID_VALUE,
    errno.ERANGE: Retval.INVALID_VALUE,
    errno.ENOENT: Retval.NO_SUCH_ENTRY,
    errno.EEXIST: Retval.VALUE_EXIST,
}


def retval_of(error: WirespeedError) -> Retval:
    """By the number that the core gave it; what the core never saw is an argument that no command takes either."""
    if isinstance(error, EnvironmentFault):
        return Retval.UNSPECIFIED
    return _BY_ERRNO.get(error.errno, Retval.INVALID_ARGUMENT)
