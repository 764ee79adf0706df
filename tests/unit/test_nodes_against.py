"""`bench/nodes_against.py`: its parser of bench_nodes' output, its comparison, and refusals."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from bench.nodes_against import ROOT, VECTORS, Sample, compare, parse, sample

PRINTED = """\
200000 routes added in 0.31 s
x86-64-v4, TSC 2.596 GHz; ticks per packet by vector size
machine: the fixed work took 0.47 ticks a step at its fastest, 0.49 in the middle, 0.49 at its slowest tenth; 360 of 400
path     routes order             1       4      32     256  samples   by node at 256
ip4          10 sequential    278.2    99.8    29.1    26.5       95   ethernet-input 6.9 ip4-input 6.8
ip4     1000000 random        401.0   140.5    60.2    40.1       95   ethernet-input 6.9 ip4-input 6.8
vx-in        10 –             498.7   152.3    42.1    36.3       83   ethernet-input 8.8 ip4-local 3.8
"""


def test_rows_are_read_by_path_and_routes_in_all_vectors():
    assert sample(PRINTED, "vx-in", 10) == Sample({1: 498.7, 4: 152.3, 32: 42.1, 256: 36.3}, 0.47)
    assert sample(PRINTED, "ip4", 1_000_000) == Sample({1: 401.0, 4: 140.5, 32: 60.2, 256: 40.1}, 0.47)
    assert sample(PRINTED, "ip4", 1000) is None
    assert sample(PRINTED.replace("machine", ""), "ip4", 10) == sample(PRINTED, "ip4", 10)
    assert sample(PRINTED.replace("fixed work", "work"), "ip4", 10) is None
    assert sample(PRINTED.replace("order   ", "list    "), "ip4", 10) is None
    two = re.sub(r"(?m)^(path .* order|ip4 .*(?:sequential|random))((?: +\S+){2})((?: +\S+){2})", r"\1\2", PRINTED)
    assert sample(two, "ip4", 10) == Sample({1: 278.2, 4: 99.8}, 0.47)


def test_every_vector_of_the_bench_is_compared():
    bench = ROOT / "native" / "bench"
    vectors = re.search(r"uint16_t vectors\[\] = {([^}]+)}", (bench / "bench_nodes.c").read_text())
    assert vectors and tuple(map(int, vectors[1].split(","))) == VECTORS


def test_rounds_count_in_which_the_machine_was_equally_fast():
    def taken(alone: float, fixed: float) -> Sample:
        return Sample(dict.fromkeys(VECTORS, 10.0) | {1: alone}, fixed)

    pairs = [
        (taken(100, 1.0), taken(110, 1.0)),
        (taken(200, 1.0), taken(200, 1.04)),
        (taken(100, 1.0), taken(90, 1.0)),
        (taken(100, 1.0), taken(900, 1.06)),
    ]
    row = compare("ip4", 10, 1, pairs)
    assert (row.ratio, row.least, row.most, row.rounds) == (1.0, 0.9, 1.1, 3)
    assert (row.before, row.now) == (100, 110)
    assert compare("ip4", 10, 256, pairs).ratio == 1.0
    nothing = compare("ip4", 10, 1, pairs[3:])
    assert nothing.rounds == 0 and math.isnan(nothing.ratio)


def test_arguments_name_paths_that_the_program_lists_and_vectors(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr("bench.nodes_against.ROOT", tmp_path)
    program = tmp_path / "build" / "native" / "bench" / "bench_nodes"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho ip4 10; echo vx-in 10; echo bond-2 10; echo ip4 1000000\n")
    program.chmod(0o755)
    assert parse(["HEAD"]).rows == [("ip4", 10), ("vx-in", 10), ("bond-2", 10), ("ip4", 1_000_000)]
    options = parse(["--path", "vx-in", "--path", "bond-2", "--vector", "1", "--vector", "256", "HEAD"])
    assert (options.revision, options.rows, options.vector) == ("HEAD", [("vx-in", 10), ("bond-2", 10)], [1, 256])
    for wrong, said in (
        ([], "either a REVISION or --against"),
        (["HEAD", "--path", "vxin"], "--path vxin: give one of ip4, vx-in, bond-2"),
        (["HEAD", "--vector", "3"], "invalid choice: 3"),
        (["HEAD", "--rounds", "0"], "give at least 1"),
        (["--against", str(tmp_path / "gone")], "is missing; build it: ninja"),
    ):
        with pytest.raises(SystemExit) as ended:
            parse(wrong)
        assert ended.value.code == 2
        assert said in capsys.readouterr().err
