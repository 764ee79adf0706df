"""The library's functions (docs/ci.md): a testbed to measure on, and result files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from wirespeed.client.generator_client import DEFAULT_SERVER, GeneratorClient
from wirespeed.dut.dut import Dut
from wirespeed.dut.router import RouterDut
from wirespeed.dut.spec import parse_dut
from wirespeed.errors import MeasurementError, UsageError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.lab.chosen import chosen_lab
from wirespeed.measurement.driver import measured
from wirespeed.measurement.file import read_file, write_file
from wirespeed.measurement.option import check_values
from wirespeed.measurement.output import STDOUT, Unprinted
from wirespeed.measurement.registry import measurement_of
from wirespeed.results.measurement import MeasurementResult
from wirespeed.testbed.options import device_spec
from wirespeed.watching import NoView

if TYPE_CHECKING:
    from wirespeed.lab.lab import Lab
    from wirespeed.measurement.options import AResult, MeasurementOptions

_ELSEWHERE = {
    **dict.fromkeys(("server", "dut", "lab", "testbed"), "is the testbed's: give it to connect() or bring_up()"),
    **dict.fromkeys(("recover", "web"), "belongs to the command line"),
}


class Testbed:
    """A tester whose ports are cabled to a DUT; `connect`, `bring_up` and `embedded_lab` make one.

    Its methods may be called in any thread, one at a time. They install no signal handlers.
    """

    __test__ = False  # no class of tests, though pytest would take it for one by its name

    def __init__(self, place: Mapping[str, Any], dut: Dut | None = None, lab: Lab | None = None) -> None:
        self._place, self._dut, self._lab = place, dut, lab

    def run(self, test: MeasurementOptions[AResult], stop: Event | None = None) -> AResult:
        """Run `test` (a LoadTest, Search, Soak, Rfc2544, Stateful or Burst) until its end, or until `stop` is set.
        Returns its result.

        The result is also written to the file `output` of the test, if it has one. An interrupted test returns the
        samples so far, with `ending.status` "interrupted".

        Raises UsageError for invalid fields, before anything is sent; EnvironmentFault for a link that is down;
        RemoteError for a port of another user; ConnectionFault for a tester that does not answer; MeasurementError if
        no packet was received; FileFault for an output that cannot be written; KeyboardInterrupt after Ctrl-C. In any
        case, ports are stopped and released.
        """
        for name, why in _ELSEWHERE.items():
            if getattr(test, name):
                raise UsageError(f"{name}={getattr(test, name)!r} of a test {why}")
        check_values(test)
        measurement = measurement_of(replace(test, **self._place))
        stop = stop or Event()
        out = Unprinted(measurement.options.output or STDOUT)
        try:
            result, _ = measured(measurement, out, NoView(), stop, verdict_of, lab=self._lab)
        except BaseException as error:
            kept = out.abandon()
            if isinstance(error, KeyboardInterrupt) and stop.is_set():
                raise MeasurementError("the event ended the test before anything was measured") from None
            if kept is not None:
                error.add_note(kept)
            raise
        measurement.raise_for(result)
        if result.ending.status == "interrupted" and not stop.is_set():
            raise KeyboardInterrupt
        return result

    def ask(self, line: str) -> str:
        """The answer of the DUT, a wirespeed router, to one line of its command language, such as "show runtime".

        UsageError for an invalid line or another type of DUT, ConnectionFault for a router that does not answer.
        """
        if not isinstance(self._dut, RouterDut):
            raise UsageError(
                "the DUT has no control socket of a wirespeed router on this machine; give connect() "
                "dut='router:SOCKET', or a testbed file with `dut: {kind: wirespeed, reach: local, socket: SOCKET}`"
            )
        return self._dut.ask(line)


@contextmanager
def connect(
    server: str | None = None, *, dut: str | None = None, testbed: str | PathLike[str] | None = None
) -> Iterator[Testbed]:
    """An existing testbed: the tester at `server` (HOST or HOST:PORT, 127.0.0.1:4501 by default), a wirespeed or T-Rex
    generator, and the DUT to read counters of, in the form of `--dut`. `testbed` is a testbed file (docs/testbed.md)
    that names both.

    Raises ConnectionFault if no tester answers, UsageError for an unknown DUT, FileFault for an invalid testbed file.
    """
    file = None if testbed is None else Path(testbed)
    device = parse_dut(dut) if dut else None if file is None else _router_of(file)
    if file is None:
        with GeneratorClient(server or DEFAULT_SERVER) as client:
            client.connect()
    yield Testbed({"server": server, "dut": dut, "testbed": file}, device)


def _router_of(file: Path) -> Dut | None:
    """The wirespeed router of a testbed file, if its control socket is on this machine."""
    from wirespeed.testbed.file import read_bench  # noqa: PLC0415 - pydantic, needed with a testbed alone

    spec = device_spec(read_bench(file))
    return parse_dut(spec) if spec.startswith("router:") else None


@contextmanager
def bring_up(lab: str = "embedded") -> Iterator[Testbed]:
    """A lab on this machine, in the form of `--lab` ("embedded", "linux", "linux:af_xdp", "vm:IMAGE"), while the block
    runs. The calling thread is bound to the lab's control CPUs during the block.

    Raises UsageError for an unknown lab, EnvironmentFault if this machine cannot bring it up.
    """
    with chosen_lab(lab) as up:
        yield Testbed({"lab": lab}, up.dut, up)


@contextmanager
def embedded_lab(
    *,
    mtu: int | None = None,
    queues: int | None = None,
    descriptors: int | None = None,
    program: str | PathLike[str] | None = None,
    config: str | PathLike[str] | None = None,
    exec: str | PathLike[str] | None = None,
) -> Iterator[Testbed]:
    """The lab without requirements: a generator and a wirespeed router on this machine, connected by two memifs.

    `mtu` is the largest layer 3 packet in bytes (1500), `queues` the queues of a link per direction (1), `descriptors`
    the packets that wait in a queue (up to 32768, by the free memory). `program` is the `wirespeed` of another build
    for the router, `config` a vppcfg file, `exec` a file of router commands. Raises as `bring_up` does.
    """
    given: dict[str, object] = {"mtu": mtu, "queues": queues, "descriptors": descriptors}
    given |= {"program": program, "config": config, "exec": exec}
    words = [f"{name}={value}" for name, value in given.items() if value is not None]
    with bring_up(",".join(["embedded", *words])) as testbed:
        yield testbed


def read_result(file: str | PathLike[str]) -> MeasurementResult:
    """The result in a file of any kind, also of trex-loadtest, or in the journal of an unfinished test. FileFault for
    an invalid file, with the reason."""
    return read_file(Path(file))


def write_result(result: MeasurementResult, file: str | PathLike[str]) -> None:
    """Write a result file, atomically. FileFault if it cannot be written."""
    write_file(result, Path(file))
