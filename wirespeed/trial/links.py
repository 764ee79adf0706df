"""Links of a generator's ports."""

from __future__ import annotations

import time
from collections.abc import Sequence

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import EnvironmentFault
from wirespeed.trial.directions import PAIR

_LINK_WAIT_S = 15.0


def wait_for_links(client: GeneratorClient, ports: Sequence[int] = PAIR) -> None:
    """Wait until all `ports` have a link. EnvironmentFault after `_LINK_WAIT_S`."""
    deadline = time.monotonic() + _LINK_WAIT_S
    while down := [port for port, status in client.port_status(ports).items() if not status.link_up]:
        if time.monotonic() > deadline:
            raise EnvironmentFault(
                f"port {down[0]} of the generator has no link after {_LINK_WAIT_S:.0f} s: check its cable and the port "
                "at the other end"
            )
        time.sleep(0.05)
