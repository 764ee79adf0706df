"""sflow_enable_disable, settings of sampling, sflow_interface_dump."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from wirespeed.router.api.client import Client, refused_as
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Retval
from wirespeed.router.features.sflow.commands import enable_port, set_polling_interval
from wirespeed.router.interface_numbers import shown_index
from wirespeed.vpp_api.codec import Values


@change("sflow_enable_disable")
def enable(client: Client, request: Values) -> Answer:
    with refused_as(Retval.INVALID_SW_IF_INDEX, errno.EINVAL):
        enable_port(client.console, client.index(request.hw_if_index), request.enable_disable)
    return None


@change("sflow_sampling_rate_set")
def set_rate(client: Client, request: Values) -> Answer:
    settings, _ = client.core.sflow.get()
    client.core.sflow.set(replace(settings, sampling_rate=request.sampling_N))
    return None


@handler("sflow_sampling_rate_get")
def rate(client: Client, request: Values) -> Answer:
    return {"sampling_N": client.core.sflow.get()[0].sampling_rate}


@change("sflow_header_bytes_set")
def set_header(client: Client, request: Values) -> Answer:
    settings, _ = client.core.sflow.get()
    client.core.sflow.set(replace(settings, header_bytes=request.header_B))
    return None


@handler("sflow_header_bytes_get")
def header(client: Client, request: Values) -> Answer:
    return {"header_B": client.core.sflow.get()[0].header_bytes}


@change("sflow_polling_interval_set")
def set_interval(client: Client, request: Values) -> Answer:
    set_polling_interval(client.console, request.polling_S)
    return None


@handler("sflow_polling_interval_get")
def interval(client: Client, request: Values) -> Answer:
    return {"polling_S": client.console.sflow.polling_interval_s}


@handler("sflow_interface_dump")
def dump(client: Client, request: Values) -> Answer:
    return _interfaces(client, request.hw_if_index)


def _interfaces(client: Client, chosen: int) -> Iterator[dict[str, Any]]:
    for index, _ in client.chosen(chosen):
        if client.core.sflow.is_enabled(index):
            yield {"hw_if_index": shown_index(index)}
