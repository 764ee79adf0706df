"""The setup of a device from a command's options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from wirespeed.cpus import cpu_list
from wirespeed.dut.setup import (
    DutInterface,
    DutLabel,
    DutOptions,
    DutRoute,
    DutSetup,
    FilterOptions,
    Mode,
    Neighbour,
    check_setup,
    default_setup,
)
from wirespeed.dut.tables import prefixes_of
from wirespeed.errors import UsageError

_KEYS = ("mac", "address", "tester", "pci")


def options_of(
    queues: int | None,
    rx_desc: int | None,
    tx_desc: int | None,
    workers: int | None,
    cpus: str,
    driver: str,
    devargs: str,
    packet_filter: FilterOptions,
    governor: str,
    turbo: str,
    table_by: Literal["", "bird"],
) -> DutOptions:
    """UsageError for a number below 0 or a switch that is neither on nor off."""
    for name, value in (("queues", queues), ("rx-desc", rx_desc), ("tx-desc", tx_desc), ("workers", workers)):
        if value is not None and value < 0:
            raise UsageError(f"--{name} {value}: give a number above 0")
    if turbo not in ("", "on", "off"):
        raise UsageError(f"--turbo {turbo}: give on or off")
    return DutOptions(
        queues=queues or None,
        rx_descriptors=rx_desc or None,
        tx_descriptors=tx_desc or None,
        workers=workers or None,
        cpus=cpu_list("--cpus", cpus) if cpus else (),
        driver=driver,
        devargs=devargs,
        filter=packet_filter,
        governor=governor,
        turbo=None if not turbo else turbo == "on",
        table_by=table_by,
    )


def setup_of(
    mode: str, interfaces: Sequence[str], routes: Sequence[str], labels: Sequence[str], table: str, options: DutOptions
) -> DutSetup:
    """UsageError says which option is wrong, FileFault that the table cannot be read."""
    chosen = next((one for one in get_args(Mode) if one == mode), None)
    if chosen is None:
        raise UsageError(f"--mode {mode}: give one of {', '.join(get_args(Mode))}")
    if options.table_by and not table:
        raise UsageError(
            f"--routes-by {options.table_by} says how a full table is loaded; give --routes FILE or internet"
        )
    base = default_setup(chosen, tuple(interface_of(text) for text in interfaces), options)
    ways = {near.address: one.name for one in base.interfaces for near in one.neighbours}
    given_routes = tuple(
        DutRoute(prefix, via, way) for prefix, via, way in (_way("--route", one, ways) for one in routes)
    )
    given_labels = tuple(
        DutLabel(_label(number), via, way) for number, via, way in (_way("--label", one, ways) for one in labels)
    )
    setup = DutSetup(
        chosen,
        base.interfaces,
        given_routes or base.routes,
        given_labels or base.labels,
        options,
        prefixes_of(table) if table else (),
    )
    check_setup(setup)
    return setup


def interface_of(text: str) -> DutInterface:
    """`e0,mac=02:ee:00:00:01:00,address=100.64.1.1/30,tester=100.64.1.2`; several addresses and testers are allowed."""
    name, *rest = text.split(",")
    settings: dict[str, list[str]] = {key: [] for key in _KEYS}
    for part in rest:
        key, equals, value = part.partition("=")
        if key not in settings or not equals or not value:
            raise UsageError(
                f"--interface {text}: unknown setting {part}; give {', '.join(f'{one}=…' for one in _KEYS)}"
            )
        settings[key].append(value)
    mac = settings["mac"][0] if settings["mac"] else ""
    testers = settings["tester"] or ([""] if mac else [])
    neighbours = tuple(Neighbour(address, mac) for address in testers)
    return DutInterface(name, tuple(settings["address"]), neighbours, settings["pci"][0] if settings["pci"] else "")


def _way(option: str, text: str, ways: dict[str, str]) -> tuple[str, str, str]:
    what, equals, via = text.partition("=")
    if not equals or via not in ways:
        raise UsageError(
            f"{option} {text}: give WHAT=ADDRESS, with an address of the tester: {', '.join(ways) or 'none'}"
        )
    return what, via, ways[via]


def _label(text: str) -> int:
    if not text.isdigit() or not 16 <= int(text) < 1 << 20:
        raise UsageError(f"--label {text}: labels are numbers from 16 to 1048575")
    return int(text)
