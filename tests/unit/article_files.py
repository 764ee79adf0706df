"""Files made again from the percentages of published tables: trex-loadtest's own format, and evidence as YAML.

`python tests/unit/article_files.py FOLDER` writes all of them, as the articles' shell scripts name them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wirespeed.units import L1_OVERHEAD_BYTES, line_rate_pps

IMIX_BYTES = (28 * 68 + 16 * 590 + 4 * 1514) / 48
SIZES = {"1514b": 1514.0, "imix": IMIX_BYTES, "64b": 64.0, "64b 1-flow": 64.0}
TESTER_PERCENT = 97.0
NETGATE_BPS = 10e9


@dataclass(frozen=True)
class System:
    """A system on the Netgate 6100, and its percentages of a 10G link by load, in one direction and in both."""

    name: str
    system: str
    queues: int | None
    one_way: tuple[float, ...]
    both_ways: tuple[float, ...]


NETGATE = (
    System("pfSense", "freebsd", None, (97, 61, 15, 4.4), (192, 63, 15, 8.6)),
    System("Ubuntu", "linux", None, (97, 75, 17, 4.7), (193, 71, 16, 9.0)),
    System("VPP 1Q", "vpp", 1, (97, 96, 33, 33), (193, 190, 61, 61)),
    System("VPP 2Q", "vpp", 2, (97, 95, 66, 33), (193, 190, 63, 61)),
    System("VPP 3Q", "vpp", 3, (97, 95, 96, 33), (194, 191, 81, 33)),
)


@dataclass(frozen=True)
class Ramp:
    """A load test as stored by trex-loadtest, one sample per second: `warmup_s` of warm-up, none by default, `ramp_s`
    up to `top` of line rate, and `hold_s` there. The device forwards at most `cap_pps` per direction, less
    `lost_share`.
    """

    size: float
    line_bps: float
    directions: int
    cap_pps: float
    top: float = 1.0
    ramp_s: int = 600
    hold_s: int = 32
    warmup_s: int = 0
    lost_share: float = 0.0
    dut: dict[str, Any] = field(default_factory=dict)
    flows: str = "many"

    def document(self) -> dict[str, Any]:
        line_pps = line_rate_pps(self.size, self.line_bps)
        target = self.top * line_pps
        loads = [1_000.0] * self.warmup_s
        loads += [target * (second + 0.6) / self.ramp_s for second in range(self.ramp_s)] + [target] * self.hold_s
        tunables = f"size={self.size:.0f}" + (",vm=var2" if self.flows == "many" else "")
        return {
            "vars": {
                **{"warmup_mult": "1kpps", "warmup_duration": 30, "rampup_target": "100%"},
                **{"rampup_duration": self.ramp_s, "hold_duration": self.hold_s},
                **{"profile_file": "stl/bench.py", "tunables": tunables, "unidirectional": self.directions == 1},
            },
            **({"dut": self.dut} if self.dut else {}),
            "stats": {str(index): self._sample(load) for index, load in enumerate(loads)},
        }

    def _sample(self, load: float) -> dict[str, Any]:
        back = min(load, self.cap_pps) * (1 - self.lost_share)
        sent = (load, load if self.directions == 2 else 0.0)
        came = (back if self.directions == 2 else 0.0, back)
        return {str(port): self._port(sent[port], came[port]) for port in (0, 1)} | {"global": {}}

    def _port(self, tx_pps: float, rx_pps: float) -> dict[str, float]:
        found = {}
        for way, pps in (("tx", tx_pps), ("rx", rx_pps)):
            found[f"{way}_pps"] = float(pps)
            found[f"{way}_bps"] = pps * self.size * 8
            found[f"{way}_util"] = pps * (self.size + L1_OVERHEAD_BYTES) * 8 / self.line_bps * 100
        return found


def netgate_files(*, named: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """The 40 load tests of the Netgate 6100 by file name; files contain the device's name if `named`."""
    for system in NETGATE:
        for way, shares in ((1, system.one_way), (2, system.both_ways)):
            for load, percent in zip(SIZES, shares, strict=True):
                ramp = Ramp(
                    SIZES[load],
                    NETGATE_BPS,
                    way,
                    # From 95 % of line rate on, it forwarded what the tester sent.
                    cap_pps=(percent / way if percent / way < 95 else 100)
                    / 100
                    * line_rate_pps(SIZES[load], NETGATE_BPS),
                    top=TESTER_PERCENT / 100,
                    ramp_s=60,
                    hold_s=10,
                    dut=_dut(system) if named else {},
                    flows="one" if load == "64b 1-flow" else "many",
                )
                stem = f"{system.name}-{load}-{'uni' if way == 1 else 'bi'}dir".lower().replace(" ", "-")
                yield f"{stem}.json", ramp.document()


def _dut(system: System) -> dict[str, Any]:
    """The head of a result that names its device, as `loadtest --dut` writes it."""
    head: dict[str, Any] = {"name": f"Netgate 6100 {system.name}", "kind": system.system, "cpus": [0, 1, 2, 3]}
    if system.queues:
        placed = [f"{port} queue {queue}" for port in ("ix0", "ix1") for queue in range(system.queues)]
        head |= {"cpus": [1, 2, 3], "details": {"rx_placement": "; ".join(placed)}}
    return head


def netgate_evidence() -> str:
    """One evidence file of the 40 tests, with the figures of the article's table."""
    rows = ["schema: wirespeed-evidence/1", "tests:"]
    for system in NETGATE:
        dut = f"name: Netgate 6100 {system.name}, system: {system.system}, cores: 4"
        dut += f", workers: 3, queues: {system.queues}, hz: 2.2e9" if system.queues else ""
        for way, shares in ((1, system.one_way), (2, system.both_ways)):
            for load, percent in zip(SIZES, shares, strict=True):
                flows = "one" if load == "64b 1-flow" else "many"
                size = "imix" if load == "imix" else f"{SIZES[load]:.0f}"
                rows.append(
                    f"  - {{name: {system.name} {load} {'uni' if way == 1 else 'bi'}, size: {size}, line: 10G, "
                    f"directions: {way}, flows: {flows}, percent: {percent}, percent_of: one, "
                    f"tester_percent: 97, box: {{{dut}}}}}"
                )
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for named in (False, True):
        (folder / ("named" if named else "plain")).mkdir(exist_ok=True)
        for name, document in netgate_files(named=named):
            (folder / ("named" if named else "plain") / name).write_text(json.dumps(document))
    (folder / "netgate.yaml").write_text(netgate_evidence())
