"""The router survives any well-formed messages: its own core refuses invalid ones."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from api_by_hand import ByHand
from api_values import fields_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from router_run import router

from wirespeed.router.api import HANDLERS
from wirespeed.vpp_api.codec import Values, coder
from wirespeed.vpp_api.table import TABLE

# Messages with effects outside of the router: commands, Linux, the session itself.
_ELSEWHERE = (
    *("cli_inband", "sockclnt_create", "sockclnt_delete", "tap_create_v2", "tap_create_v3", "memif_create"),
    *("memif_create_v2", "lcp_itf_pair_add_del", "lcp_itf_pair_add_del_v2", "lcp_itf_pair_add_del_v3"),
)
_MESSAGES = st.sampled_from(sorted(HANDLERS.keys() - set(_ELSEWHERE))).flatmap(
    lambda name: st.tuples(st.just(name), fields_of(TABLE.messages[name].fields))
)
_LAST = 0xFEEDBEEF


def _read(reply: bytes) -> Values:
    return coder(TABLE.by_number[struct.unpack_from(">H", reply)[0]].name).unpack(reply)


@pytest.mark.parametrize("messages", [50, pytest.param(200, marks=pytest.mark.long("hypothesis at full depth"))])
def test_no_message_ends_or_confuses_the_router(tmp_path: Path, messages: int) -> None:
    with router(tmp_path, ["e0=ring:a", "e1=ring:a"]) as running, ByHand(tmp_path / "api.sock") as client:

        @settings(max_examples=messages, deadline=None, suppress_health_check=list(HealthCheck))
        @given(_MESSAGES)
        def try_one(message: tuple[str, dict[str, object]]) -> None:
            name, values = message
            client.send_raw(coder(name).pack({**values, "context": 1}))
            client.send("control_ping_51077d14", context=_LAST)
            while (answer := _read(client.receive())).get("context") != _LAST:
                assert answer.get("context", 1) == 1

        try_one()
        assert running.ask("show version").startswith("wirespeed")
        running.process.terminate()
        _, errors = running.process.communicate()
        assert "Traceback" not in errors, errors
