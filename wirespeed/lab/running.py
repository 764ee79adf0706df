"""A lab for as long as it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.held_signals import signals_held
from wirespeed.lab.lab import Lab
from wirespeed.trial.links import wait_for_links

_Lab = TypeVar("_Lab", bound=Lab)


@contextmanager
def running(lab: _Lab) -> Iterator[_Lab]:
    """`lab`, up with all its links; it goes down again whatever happens. What it raises itself when it does not come
    up, EnvironmentFault for a link that does not."""
    try:
        lab.start()
        with GeneratorClient(lab.rpc) as client:
            client.connect()
            wait_for_links(client)
        yield lab
    finally:
        with signals_held():
            lab.stop()
