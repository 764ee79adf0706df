"""What a command that measures stands on: a generator that answers, and a DUT that may be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.dut.dut import Dut
from wirespeed.dut.spec import parse_dut
from wirespeed.errors import UsageError
from wirespeed.power.metered import metered


@dataclass(frozen=True)
class Bench:
    """`lab` and `device` describe a lab of our own, for the result; they are empty of somebody else's bench. `restart`
    ends the device's process and starts it again, where it is ours to do so."""

    client: GeneratorClient
    dut: Dut | None
    lab: dict[str, Any] = field(default_factory=dict)
    device: dict[str, Any] = field(default_factory=dict)
    restart: Callable[[], None] | None = None


@contextmanager
def bench_of(server: str, dut: str, lab: str, power: str = "") -> Iterator[Bench]:
    """The bench that the options of these names mean together. UsageError for those that contradict each other."""
    if not lab:
        device = parse_dut(dut)
        try:
            device.prepare()
            with GeneratorClient(server) as client:
                client.connect()
                with metered(None if dut == "none" else device, power) as (told, meter):
                    yield Bench(client, told, meter)
        finally:
            device.close()
        return
    if dut != "none":
        raise UsageError(f"--lab {lab} has a device of its own; leave out --dut {dut}")
    from wirespeed.lab.chosen import chosen_lab  # noqa: PLC0415
    from wirespeed.lab.embedded import EmbeddedLab  # noqa: PLC0415

    with ExitStack() as stack:
        up = stack.enter_context(chosen_lab(lab))
        client = stack.enter_context(GeneratorClient(up.rpc))
        client.connect()
        restart = up.restart_router if isinstance(up, EmbeddedLab) else None
        told, meter = stack.enter_context(metered(up.dut, power))
        yield Bench(client, told, {**up.facts.to_json(), **meter}, up.dut.describe().to_json(), restart)
