"""A generator, wirespeed's or a T-Rex, by its RPC. It takes no port, so whoever has them keeps them."""

from __future__ import annotations

from functools import cached_property, partial

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.client.readings import RUNNING_STATES, PortStats, ServerInfo
from wirespeed.errors import WirespeedError
from wirespeed.exporter.told import TargetValues

_COUNTERS = {
    "tx_packets": "opackets",
    "rx_packets": "ipackets",
    "tx_bytes": "obytes",
    "rx_bytes": "ibytes",
    "tx_errors": "oerrors",
    "rx_errors": "ierrors",
    "intended_packets": "intended",
    "rx_missed_packets": "rx_missed",
}
_UNSENT = ("refused", "no_buffer", "late")


class GeneratorTarget:
    """The generator that listens at `server`, HOST[:PORT]."""

    kind = "generator"

    def __init__(self, name: str, server: str, timeout_s: float) -> None:
        self.name = name
        self._connect = partial(GeneratorClient, server, timeout_s=timeout_s, attempts=1)
        self._info: ServerInfo | None = None
        self._before: dict[int, PortStats] = {}
        self._began = 0

    @cached_property
    def _client(self) -> GeneratorClient:
        """With its sockets, once it is asked."""
        return self._connect()

    def read(self) -> TargetValues:
        try:
            return self._read()
        except WirespeedError:
            self._info = None  # it may be another one that answers next
            raise

    def _read(self) -> TargetValues:
        if self._info is None:
            self._client.connect()
            self._info = self._client.server_info()
        ports = list(range(self._info.port_count))
        stats = self._client.snapshot(ports).ports
        status = self._client.port_status(ports)
        if any(port in self._before and now.went_back(self._before[port]) for port, now in stats.items()):
            self._began += 1
        self._before = stats
        values = TargetValues(began=self._began)
        values.add("generator_info", [((self.name, self._info.program), 1)])
        for port, port_status in status.items():
            labels = (self.name, str(port))
            values.add("generator_port_up", [(labels, float(port_status.link_up))])
            values.add("generator_port_sending", [(labels, float(port_status.state in RUNNING_STATES))])
            if port_status.speed_bps is not None:
                values.add("generator_port_line_bytes_per_second", [(labels, port_status.speed_bps / 8)])
        for port, counted in stats.items():
            labels = (self.name, str(port))
            for family, counter in _COUNTERS.items():
                if (value := getattr(counted, counter)) is not None:
                    values.add(f"generator_{family}_total", [(labels, value)])
            for reason in _UNSENT:
                if (value := getattr(counted, reason)) is not None:
                    values.add("generator_unsent_packets_total", [((*labels, reason), value)])
        return values
