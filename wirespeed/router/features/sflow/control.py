"""Takes samples and counters from the data plane, and sends them to psample and the collector."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from wirespeed.later import Later
from wirespeed.router.features.control import Control
from wirespeed.router.features.sflow.core import SflowSample
from wirespeed.router.interface_numbers import shown_index

if TYPE_CHECKING:
    from wirespeed.router.console import Console
    from wirespeed.router.features.sflow import collector, datagrams, messages, netlink, records
else:
    collector = Later("wirespeed.router.features.sflow.collector")
    datagrams = Later("wirespeed.router.features.sflow.datagrams")
    messages = Later("wirespeed.router.features.sflow.messages")
    netlink = Later("wirespeed.router.features.sflow.netlink")
    records = Later("wirespeed.router.features.sflow.records")

_TAKE_EVERY_S = 0.05
"""So that what a worker keeps of samples does not fill up: 40 000 a second."""
_IDLE_S = 1.0
_MOST_AT_ONCE = 16
"""Times that samples are taken before others have their turn."""
_STATUS_EVERY_S = 1.0


@dataclass
class SflowTotals:
    """Samples of packets and of counters, each sent or dropped, on every way that there was."""

    packets: int = 0
    packets_dropped: int = 0
    counters: int = 0
    counters_dropped: int = 0


class SflowAgent(Control):
    """`ports` are those that are enabled."""

    def __init__(self, console: Console) -> None:
        self._console, self._core = console, console.core
        self.polling_interval_s = 20
        self.sent = SflowTotals()
        self.collector: collector.SflowCollector | None = None
        self._psample: netlink.MulticastGroup | None = None
        self._counters: netlink.MulticastGroup | None = None
        self.psample_lacks = ""
        """Why samples do not go to Linux' psample, where they do not."""
        self._started = time.monotonic()
        self._numbers = {is_output: count(1) for is_output in (False, True)}
        self._messages = count(1)
        self._of_port: Counter[int] = Counter()
        self._polls: Counter[int] = Counter()
        self._polled: dict[int, float] = {}
        self._status_at = 0.0

    @property
    def ports(self) -> list[int]:
        return [index for index in self._core.interface_names().values() if self._core.sflow.is_enabled(index)]

    def interval_s(self) -> float:
        return _TAKE_EVERY_S if self._psample or self._counters else _IDLE_S

    def follow_ports(self) -> None:
        """Open the receivers with the first enabled port, and close them with the last."""
        ports = self.ports
        self._polled = {index: at for index, at in self._polled.items() if index in ports}
        if ports and self._counters is None:
            self._counters = netlink.counters_group()
            self._open_psample()
        elif not ports:
            self._close_groups()

    def _open_psample(self) -> None:
        try:
            self._psample, self.psample_lacks = netlink.family_group(), ""
        except OSError as error:
            self._psample, self.psample_lacks = None, error.strerror or str(error)

    def set_collector(self, place: collector.CollectorPlace | None) -> None:
        made = None if place is None else collector.SflowCollector(place)
        if self.collector is not None:
            self.collector.close()
        self.collector = made

    def close(self) -> None:
        self._close_groups()
        self.set_collector(None)

    def _close_groups(self) -> None:
        for group in (self._psample, self._counters):
            if group is not None:
                group.close()
        self._psample = self._counters = None

    def tick(self) -> None:
        """Send pending samples, and counters that are due."""
        if self._counters is None:
            return
        self.follow_ports()  # one may be gone with its interface
        for _ in range(_MOST_AT_ONCE):
            taken = self._core.sflow.take()
            self._send_samples(self._of_ports_there(taken))
            if not taken:
                break
        now = time.monotonic()
        for index in self.ports:
            if now - self._polled.get(index, -self.polling_interval_s) >= self.polling_interval_s:
                self._polled[index] = now
                self._send_counters(index)
        if self._counters is not None and now >= self._status_at:
            self._status_at = now + _STATUS_EVERY_S
            number = next(self._messages)
            self._counters.send(messages.status_message(number, int(now - self._started), self.dropped))

    @property
    def dropped(self) -> int:
        """Samples of packets that were lost, in the router and behind it."""
        return self._core.sflow.get()[1].dropped + self.sent.packets_dropped

    def _of_ports_there(self, taken: Sequence[SflowSample]) -> list[records.SampledPacket]:
        """Without samples of ports that were deleted since; those count as dropped."""
        there = {None, *self._core.interface_names().values()}
        samples = [self._sample(one) for one in taken if one.input in there and one.output in there]
        self.sent.packets_dropped += len(taken) - len(samples)
        return samples

    def _sample(self, taken: SflowSample) -> records.SampledPacket:
        ports = [0 if port is None else shown_index(port) for port in (taken.input, taken.output)]
        source = taken.output if taken.is_output else taken.input
        assert source is not None
        self._of_port[source] += 1
        counts = self._core.interface_counters(source)
        return records.SampledPacket(
            source=shown_index(source),
            sequence=self._of_port[source],
            sampling_rate=taken.sampling_rate,
            pool=counts.rx_packets + counts.tx_packets,
            dropped=self.dropped,
            packet_bytes=taken.packet_bytes,
            input=ports[0],
            output=ports[1],
            is_output=taken.is_output,
            header=taken.header,
        )

    def _send_samples(self, samples: Sequence[records.SampledPacket]) -> None:
        if self._psample is not None:
            for sample in samples:
                number = next(self._numbers[sample.is_output])
                kept = self._psample.send(
                    messages.psample_message(self._psample.family, next(self._messages), number, sample)
                )
                self._count_samples(1, 0 if kept else 1)
        if self.collector is not None and samples:
            refused = self.collector.send(map(datagrams.flow_record, samples), self._uptime_ms())
            self._count_samples(len(samples), refused)
        elif self._psample is None:
            self._count_samples(len(samples), len(samples))

    def _count_samples(self, total: int, refused: int) -> None:
        self.sent.packets += total - refused
        self.sent.packets_dropped += refused

    def _send_counters(self, index: int) -> None:
        port = self._port(index)
        self._polls[index] += 1
        if self._counters is not None:
            self._count_counters(not self._counters.send(messages.counters_message(next(self._messages), port)))
        if self.collector is not None:
            self._count_counters(
                bool(self.collector.send([datagrams.counters_record(self._polls[index], port)], self._uptime_ms()))
            )

    def _count_counters(self, is_refused: bool) -> None:
        self.sent.counters += not is_refused
        self.sent.counters_dropped += is_refused

    def _uptime_ms(self) -> int:
        return int((time.monotonic() - self._started) * 1000)

    def _os_index(self, index: int) -> int | None:
        """Linux's number of a port's other side."""
        pair = self._console.lcp.pairs.get(index) if hasattr(self._console, "lcp") else None
        return None if pair is None else pair.link

    def _port(self, index: int) -> records.PortCounts:
        face, counts = self._core.interface(index), self._core.interface_counters(index)
        return records.PortCounts(
            index=shown_index(index),
            name=face.name,
            mac=face.mac,
            speed_bps=self._core.port(index).speed_bps,
            is_up=face.admin_up,
            has_link=face.link_up,
            rx_packets=counts.rx_packets,
            rx_bytes=counts.rx_bytes,
            rx_errors=counts.rx_errors,
            rx_discards=counts.rx_missed + counts.rx_no_buffer,
            tx_packets=counts.tx_packets,
            tx_bytes=counts.tx_bytes,
            tx_errors=counts.tx_errors,
            tx_discards=counts.drops,
            os_index=self._os_index(index),
        )


CONTROL = SflowAgent
