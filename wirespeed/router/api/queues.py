"""RX mode of interfaces; which worker polls which RX queue and sends by which TX queue."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from wirespeed.errors import UsageError
from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.commands.workers import checked_worker, queues_of
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import InterfaceKind, RxMode
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

_MODES = {
    TABLE.values["RX_MODE_API_POLLING"]: RxMode.POLLING,
    TABLE.values["RX_MODE_API_DEFAULT"]: RxMode.POLLING,
    TABLE.values["RX_MODE_API_INTERRUPT"]: RxMode.INTERRUPT,
    TABLE.values["RX_MODE_API_ADAPTIVE"]: RxMode.ADAPTIVE,
}
_NUMBERS = {mode: TABLE.values[f"RX_MODE_API_{mode.name}"] for mode in RxMode}


@change("sw_interface_set_rx_mode")
def set_rx_mode(client: Client, request: Values) -> Answer:
    index = client.index(request.sw_if_index)
    if request.mode not in _MODES:
        raise Refusal(Retval.INVALID_VALUE)
    for queue in _queues(client, index, request.queue_id if request.queue_id_valid else None):
        client.core.set_rx_mode(index, queue, _MODES[request.mode])
    return None


@change("sw_interface_set_rx_placement")
def set_placement(client: Client, request: Values) -> Answer:
    """The main thread polls no queue."""
    index = client.index(request.sw_if_index)
    (queue,) = _queues(client, index, request.queue_id)
    if request.is_main:
        raise Refusal(Retval.UNIMPLEMENTED)
    client.core.set_placement(index, queue, checked_worker(client.console, request.worker_id))
    return None


def _queues(client: Client, index: int, queue: int | None) -> list[int]:
    try:
        return queues_of(client.console, index, queue)
    except UsageError:
        raise Refusal(Retval.INVALID_QUEUE) from None


@handler("sw_interface_rx_placement_dump")
def dump(client: Client, request: Values) -> Answer:
    return _placements(client, request.sw_if_index)


def _placements(client: Client, sw_if_index: int) -> Iterator[dict[str, Any]]:
    for index, face in client.chosen(sw_if_index):
        for queue in range(client.core.port(index).rx_queues if face.kind is InterfaceKind.PORT else 0):
            yield {
                "sw_if_index": shown_index(index),
                "queue_id": queue,
                "worker_id": client.core.placement(index, queue) + 1,  # threads are counted from the main one
                "mode": _NUMBERS[client.core.rx_mode(index, queue)],
            }


@handler("sw_interface_tx_placement_get")
def tx_placements(client: Client, request: Values) -> Answer:
    if request.sw_if_index != ALL and client.interface(request.sw_if_index)[1].kind is InterfaceKind.SUB:
        raise Refusal(Retval.INVALID_INTERFACE)
    return _tx_placements(client, request.sw_if_index)


def _tx_placements(client: Client, sw_if_index: int) -> Generator[dict[str, Any], None, dict[str, Any]]:
    """All in one part."""
    for index, face in client.chosen(sw_if_index):
        for queue in range(_tx_queues(client, index) if face.kind is InterfaceKind.PORT else 0):
            threads = _tx_threads(client, index, queue)
            place = {"sw_if_index": shown_index(index), "queue_id": queue}
            yield {**place, "shared": len(threads) > 1, "threads": threads}
    return {"cursor": ALL}


def _tx_queues(client: Client, index: int) -> int:
    return max(client.core.port(index).tx_queues, 1)


def _tx_threads(client: Client, index: int, queue: int) -> list[int]:
    """Workers take the TX queues of a port in turn."""
    return [worker + 1 for worker in range(queue, client.core.worker_count(), _tx_queues(client, index))]


@change("sw_interface_set_tx_placement")
def set_tx_placement(client: Client, request: Values) -> Answer:
    """The placement is fixed: a request for another one is refused."""
    index, face = client.interface(request.sw_if_index)
    if face.kind is not InterfaceKind.PORT or not all(0 < one <= client.core.worker_count() for one in request.threads):
        raise Refusal(Retval.INVALID_VALUE)
    if request.queue_id >= _tx_queues(client, index):
        raise Refusal(Retval.INVALID_QUEUE)
    if sorted(set(request.threads)) != _tx_threads(client, index, request.queue_id):
        raise Refusal(Retval.UNIMPLEMENTED)
    return None
