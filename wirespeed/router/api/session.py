"""sockclnt_create, control_ping, get_api_json …: what a session begins with, is kept up by, and ends with."""

from __future__ import annotations

import os

from wirespeed.router.api.client import Client
from wirespeed.router.api.registry import Answer, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.json_files import api_json
from wirespeed.vpp_api.table import TABLE


@handler("sockclnt_create")
def create(client: Client, request: Values) -> Answer:
    client.name, client.is_greeted = request.name, True
    table = [{"index": number, "name": TABLE.signature(name)} for name, number in TABLE.numbers.items()]
    return {"client_index": client.number, "index": client.number, "message_table": table}


@handler("sockclnt_delete")
def delete(client: Client, request: Values) -> Answer:
    client.is_leaving = True
    return None


@handler("control_ping")
def ping(client: Client, request: Values) -> Answer:
    return {"client_index": client.number, "vpe_pid": os.getpid()}


@handler("memclnt_keepalive")
def keepalive(client: Client, request: Values) -> Answer:
    return None


@handler("get_api_json")
def definitions(client: Client, request: Values) -> Answer:
    return {"json": api_json()}


@handler("api_versions")
def versions(client: Client, request: Values) -> Answer:
    rows = []
    for module in TABLE.modules.values():
        major, minor, patch = (int(number) for number in module.version.split("."))
        rows.append({"major": major, "minor": minor, "patch": patch, "name": f"{module.name}.api"})
    return {"api_versions": rows}


@handler("get_first_msg_id")
def first_number(client: Client, request: Values) -> Answer:
    for module in TABLE.modules.values():
        if request.name == f"{module.name}_{TABLE.module_crc(module.name):08x}" and module.messages:
            return {"first_msg_id": min(TABLE.numbers[name] for name in module.messages)}
    raise Refusal(Retval.INVALID_VALUE)


@handler("want_interface_events")
def want_events(client: Client, request: Values) -> Answer:
    client.events_pid = request.pid if request.enable_disable else None
    return None
