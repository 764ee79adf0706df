"""DUT and setup of a testbed file."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from wirespeed.cpus import cpu_list
from wirespeed.dut.device import DutDevice, parse_device
from wirespeed.dut.setup import DutInterface, DutLabel, DutOptions, DutRoute, DutSetup, FilterOptions, Neighbour
from wirespeed.dut.tables import prefixes_of
from wirespeed.errors import UsageError


def read_dut(path: Path) -> tuple[DutDevice, DutSetup]:
    """UsageError or FileFault for an invalid or incomplete file."""
    bench = import_module("wirespeed.testbed.file").read_bench(path)
    if bench.dut.kind == "none":
        raise UsageError(f"{path} names no DUT: `dut:` needs `kind` and `reach`")
    socket = f",socket={bench.dut.socket}" if bench.dut.socket else ""
    return parse_device(f"{bench.dut.kind}:{bench.dut.reach}{socket}"), setup_of_bench(bench.filled(), str(path))


def setup_of_bench(bench: Any, file: str) -> DutSetup:
    """The setup of a bench that is filled in."""
    for link in bench.links:
        if link.interface is None:
            raise UsageError(
                f"{file} does not say which DUT interface port {link.port} is connected to: give `interface`; "
                f"`wirespeed testbed check {file}` finds it"
            )
    names = {link.port: link.interface for link in bench.links}
    theirs = {link.port: link.tester_address for link in bench.links}
    routes = tuple(DutRoute(one.prefix, theirs[one.port], names[one.port]) for one in bench.routes)
    labels = tuple(DutLabel(one.label, theirs[one.port], names[one.port]) for one in bench.labels)
    return DutSetup(
        mode=bench.mode,
        interfaces=tuple(_interface(link) for link in bench.links),
        routes=() if bench.mode == "l2xc" else routes,
        labels=labels if bench.mode == "mpls" else (),
        options=_options(bench.dut.options),
        table=prefixes_of(bench.table) if bench.table else (),
    )


def _interface(link: Any) -> DutInterface:
    addresses = (link.dut_address,) if link.dut_address else ()
    neighbours = (Neighbour(link.tester_address, link.tester_mac or ""),) if link.tester_address else ()
    return DutInterface(link.interface, addresses, neighbours, link.pci)


def _options(section: Any) -> DutOptions:
    return DutOptions(
        queues=section.queues,
        rx_descriptors=section.rx_descriptors,
        tx_descriptors=section.tx_descriptors,
        workers=section.workers,
        cpus=cpu_list("cpus", section.cpus) if section.cpus else (),
        driver=section.driver,
        devargs=section.devargs,
        filter=FilterOptions(
            "off" if section.filter_off else section.filter, section.states, section.buckets, section.state_timeout
        ),
        governor=section.governor,
        turbo=section.turbo,
        sysctls=dict(section.sysctls),
        table_by=section.table_by,
    )
