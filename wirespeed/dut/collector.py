"""A collector on the device: a shell script that keeps samples in a directory there, fetched when the load is off.

A DUT at line rate does not answer. Nothing is asked of it during the load, and each sample has the DUT's own time.
The script ends by itself after as many samples as it keeps, when its file is full, or when it is told to; what a tester
that died has left goes at the next start.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from dataclasses import dataclass, field

from wirespeed.dut.reach.reach import Reach
from wirespeed.errors import EnvironmentFault

MOST_S, LEAST_INTERVAL_S = 4 * 3600.0, 1.0
"""So long a sample is kept each second; of a longer time they are further apart."""
_MOST_BLOCKS = 524288  # of 512 bytes
_DIRECTORY = "/tmp/wirespeed-collect"
_SAMPLE = re.compile(r"(?ms)^=~=~= (\d+)(?:\.(\d*))?[^\n]*\n(.*?)^=~=~=$")
_NOW = "=~=~= now\n"
_CLOCK = "date +%s.%N"

_ONE = f"""\
echo "=~=~= $({_CLOCK})"
{{{{
{{sample}}
}}}} 2>/dev/null
echo "=~=~="
"""
"""One sample between its head, which bears the time, and its end."""

_SPACE = "readlink /proc/$$/ns/pid 2>/dev/null"
"""The space of process numbers; nothing where there is only one. Containers may share /tmp, and none sees the processes
of another."""

_SCRIPT = """\
cd "$1" || exit 1
{space} > space
echo $$ > pid
ulimit -f {blocks}
n=0
while [ $n -lt {most} ] && [ ! -e stop ]; do
{one}
sleep {interval}
n=$((n+1))
done >> samples
"""
_START = """\
for d in {directory}.*; do
[ -e $d/pid ] && [ "$(cat $d/space)" = "$({space})" ] && ! kill -0 "$(cat $d/pid)" && rm -rf $d
done 2>/dev/null
d=$(mktemp -d {directory}.XXXXXXXX) || exit 1
cat > $d/script
nohup sh $d/script $d > /dev/null 2>&1 < /dev/null &
echo $d
"""
_STOP = """\
cd {directory} || exit 0
touch stop
p=$(cat pid) && {{ cat /proc/$p/stat 2>/dev/null; kill $p; }}
rm -rf {directory}
"""


@dataclass(frozen=True)
class KeptSample:
    """One sample: when, by this machine's monotonic clock, and its text."""

    at_s: float
    text: str


@dataclass
class DutCollector:
    """`sample` is a command of the device. Between `start` and `stop` the device keeps its output each `interval_s`."""

    reach: Reach
    sample: str
    interval_s: float = 1.0
    samples: list[KeptSample] = field(default_factory=list)
    cost_percent: float | None = None
    _directory: str = ""
    _offset_s: float = 0.0
    _fetched_bytes: int = 0
    _began_s: float = 0.0

    def start(self) -> None:
        """EnvironmentFault when the device cannot run it."""
        self._offset_s = self._clock_offset()
        script = _SCRIPT.format(
            space=_SPACE,
            blocks=_MOST_BLOCKS,
            most=round(MOST_S / min(self.interval_s, LEAST_INTERVAL_S)),
            one=_ONE.format(sample=self.sample).rstrip(),
            interval=f"{self.interval_s:g}",
        )
        ran = self.reach.run(_START.format(directory=_DIRECTORY, space=_SPACE), stdin=script)
        if ran.code:
            raise EnvironmentFault(f"{self.reach.name} cannot record its counters: {ran.why}")
        self._directory = ran.out.split()[-1]
        self._began_s = time.monotonic()

    def fetch(self, patience_s: float) -> None:
        """Fetch new samples, and take one now, which ends the current interval. ConnectionFault if the device does not
        answer."""
        kept = f"tail -c +{self._fetched_bytes + 1} {self._directory}/samples"
        command = f"{kept}\nprintf '{_NOW.rstrip()}\\n'\n{_ONE.format(sample=self.sample)}"
        file, _, now = self.reach.run(command, timeout_s=patience_s).out.rpartition(_NOW)
        self._fetched_bytes += len(file.encode())
        # A sample that is not whole yet would overlap the one of now: its rest, which comes later, has no head.
        for found in (*_SAMPLE.finditer(file), *_SAMPLE.finditer(now)):
            at_s = int(found[1]) + (float(f"0.{found[2]}") if (found[2] or "").isdigit() else 0.0)
            self.samples.append(KeptSample(at_s - self._offset_s, found[3]))

    def stop(self, patience_s: float) -> None:
        """End it, and take its directory away; asked once. Harmless when it is not on. ConnectionFault when the device
        does not answer: it ends by itself then, and its directory goes when the next one begins."""
        if not self._directory:
            return
        command, self._directory = _STOP.format(directory=self._directory), ""
        ran = self.reach.run(command, timeout_s=patience_s)
        ticks = ran.out.rpartition(")")[2].split()[11:15]
        elapsed_s = time.monotonic() - self._began_s
        if len(ticks) == 4 and elapsed_s > 0:
            self.cost_percent = sum(map(int, ticks)) / elapsed_s

    def between(self, began_s: float, ended_s: float) -> list[KeptSample]:
        """Telemetry between the samples that are nearest to the two times."""
        return self.samples[self._nearest(began_s) : self._nearest(ended_s) + 1]

    def _nearest(self, at_s: float) -> int:
        after = bisect_left(self.samples, at_s, key=lambda kept: kept.at_s)
        around = range(max(0, after - 1), min(after + 1, len(self.samples)))
        return min(around, key=lambda place: abs(self.samples[place].at_s - at_s), default=0)

    def _clock_offset(self) -> float:
        """The offset of the device's clock from the local one, by the quickest of a few answers."""
        offsets = []
        for _ in range(3):
            asked_s = time.monotonic()
            said = re.match(r"(\d+)(\.\d+)?", self.reach.run(_CLOCK).out)
            told_s = time.monotonic()
            if said:
                offsets.append((told_s - asked_s, float(said[0]) - (asked_s + told_s) / 2))
        if not offsets:
            raise EnvironmentFault(f"{self.reach.name} does not report its clock with `{_CLOCK}`")
        return min(offsets)[1]
