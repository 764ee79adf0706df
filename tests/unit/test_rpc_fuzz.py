"""A short run of the fuzzer that `make fuzz` gives a minute."""

from __future__ import annotations

import pytest
from rpc_fuzz import Fuzzer


@pytest.mark.parametrize("seed", range(4))
def test_mutated_requests_are_answered(seed: int) -> None:
    fuzzer = Fuzzer(seed)
    for _ in range(500):
        fuzzer.step()
    assert {0, -32000, -32602, -32700} <= fuzzer.codes.keys()
