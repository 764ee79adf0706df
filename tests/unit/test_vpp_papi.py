"""Connections of vpp_papi: with the router's own description of its messages, or with files if there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.programs import run_wirespeed
from router_process import RouterProcess

from wirespeed.dut.reach.api_socket import connected_api
from wirespeed.errors import ConnectionFault
from wirespeed.vpp_api import papi
from wirespeed.vpp_api.codec import coder
from wirespeed.vpp_api.declarations import PRIMITIVES
from wirespeed.vpp_api.json_files import api_directory, api_files
from wirespeed.vpp_api.papi import connected
from wirespeed.vpp_api.table import TABLE

pytestmark = pytest.mark.filterwarnings("ignore:open_text is deprecated:DeprecationWarning")


@contextmanager
def served(directory: Path, *, older: bool = False) -> Iterator[Path]:
    api = directory / "api.sock"
    with RouterProcess(directory / "router.sock", api, older=older):
        yield api


def test_the_router_says_what_messages_there_are(tmp_path: Path) -> None:
    with served(tmp_path) as socket, connected_api(str(socket)) as client:
        assert client.api.show_version().program == "wirespeed"
        assert set(client.messages) == set(TABLE.messages)


def test_of_an_older_one_they_are_read_from_files(tmp_path: Path) -> None:
    with served(tmp_path, older=True) as socket, connected(socket, definitions=api_directory) as client:
        assert client.api.show_version().program == "wirespeed"


def test_where_nobody_listens_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The control socket takes the request for one of its own and waits for the rest.
    monkeypatch.setattr(papi, "PATIENCE_S", 1)
    with pytest.raises(ConnectionFault, match=r"there is no VPP API at .*none\.sock: No such file"):
        connected(tmp_path / "none.sock").__enter__()
    with served(tmp_path) as socket, pytest.raises(ConnectionFault, match="there is no VPP API at"):
        connected(socket.with_name("router.sock")).__enter__()


def test_the_folder_of_definitions_is_printed_and_whole() -> None:
    directory = Path(run_wirespeed("router", "--print-api-dir", check=True).stdout.strip())
    assert {str(path.relative_to(directory)): path.read_text() for path in directory.rglob("*.json")} == dict(
        api_files()
    )


def test_vpp_papi_packs_every_message_as_we_do() -> None:
    from vpp_papi import VPPApiClient  # noqa: PLC0415

    client = VPPApiClient(apidir=str(api_directory()), testmode=True)
    assert set(client.messages) == set(TABLE.messages)
    for name, message in client.messages.items():
        fields = TABLE.messages[name].fields
        # A text of no length is more bytes than vpp_papi counts when it unpacks.
        text = fields[-1].name if fields and fields[-1].type == "string" and not fields[-1].count else None
        ours = coder(name).pack({text: "x"} if text else {})
        unpacked, length = message.unpack(ours)
        assert length == len(ours), name
        assert type(unpacked).__name__ == name
        if any(field.type not in PRIMITIVES for field in fields):
            continue  # vpp_papi takes the default of one field for that of all fields of the type
        values = {
            field: value
            for field, value in coder(name).unpack(ours).items()
            if isinstance(value, int | str | bytes | list)
        }
        assert message.pack({"_vl_msg_id": TABLE.numbers[name], **values}) == ours, name
