"""A full table on Linux: by `ip -batch`, or by a BIRD that has nothing but the table and ends with it."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.dut.plan import Action, DutStep, Facts, text_of
from wirespeed.dut.setup import DutSetup
from wirespeed.errors import EnvironmentFault

TABLE_PROTOCOL = 185
"""Routes of a table that `ip` loads bear it (`ip route` proto), so that they can be told from all others."""
_LOADING_S = 600.0
_BIRD = "d=/run/wirespeed-bird-$(stat -Lc %i /proc/self/ns/net)"
"""Directory of BIRD's files, one per network namespace, of which a machine may have several."""


def table_questions(setup: DutSetup) -> tuple[str, ...]:
    return (_question(setup),) if setup.table else ()


def table_steps(facts: Facts, setup: DutSetup) -> Iterator[DutStep]:
    """Nothing where as many routes as are asked for are there already."""
    dealt = setup.dealt_table()
    if not dealt:
        return
    ours, *counts = text_of(facts, _question(setup)).split()
    now = sum(map(int, counts))
    if setup.options.table_by == "bird":
        if now and (now != len(dealt) or ours == "no"):
            whose = "restore it (`wirespeed dut restore` as for `prepare`)" if ours == "yes" else "stop that BIRD"
            raise EnvironmentFault(
                f"the DUT has {now} routes from BIRD, which the test's routes would remove; {whose} first"
            )
        if not now:
            yield _by_bird(setup)
        return
    if now != len(dealt):
        yield from _by_ip(setup, now)


def _protocol(setup: DutSetup) -> str:
    return "bird" if setup.options.table_by == "bird" else str(TABLE_PROTOCOL)


def _count(setup: DutSetup) -> str:
    """The command that prints how many routes of the table there are, a family a line."""
    protocol = _protocol(setup)
    return "; ".join(f"ip -o {family} route show proto {protocol} | wc -l" for family in ("-4", "-6"))


def _question(setup: DutSetup) -> str:
    return f"{_BIRD}; test -e $d && echo yes || echo no; {_count(setup)}"


def _family(prefix: str) -> str:
    return "-6" if ":" in prefix else "-4"


def _by_ip(setup: DutSetup, now: int) -> Iterator[DutStep]:
    for family in ("-4", "-6"):
        lines = [
            f"route replace {prefix} via {way.via} dev {way.interface} proto {TABLE_PROTOCOL}"
            for prefix, way in setup.dealt_table()
            if _family(prefix) == family
        ]
        if lines:
            undo = Action(f"ip {family} route flush table main proto {TABLE_PROTOCOL}")
            do = Action(f"ip {family} -batch -", "\n".join(lines) + "\n")
            what = f"table of IPv{family[1]}"
            yield DutStep(what, f"{now} routes", f"{len(lines)} routes", do, undo, must_undo=True, timeout_s=_LOADING_S)


def _by_bird(setup: DutSetup) -> DutStep:
    count = len(setup.dealt_table())
    do = _START.format(directory=_BIRD, count=_count(setup), wanted=count, seconds=round(_LOADING_S) - 60)
    undo = _END.format(directory=_BIRD)
    return DutStep(
        "table by BIRD",
        "",
        f"{count} routes",
        Action(do, bird_configuration(setup)),
        Action(undo),
        must_undo=True,
        timeout_s=_LOADING_S,
    )


def bird_configuration(setup: DutSetup) -> str:
    """BIRD 2's: the table as static routes, all of them told to the kernel and none learnt from it."""
    parts = ["router id 192.0.2.1;\nprotocol device {}\n"]
    for version in ("4", "6"):
        lines = [
            f"route {prefix} via {way.via}%'{way.interface}';\n"
            for prefix, way in setup.dealt_table()
            if _family(prefix) == f"-{version}"
        ]
        if lines:
            channel = f"ipv{version} {{ import none; export all; }};"
            # It reads the kernel's whole table each scan, to find out what nobody changes here.
            parts.append(f"protocol kernel kernel{version} {{ scan time 86400; {channel} }}\n")
            parts += [f"protocol static table{version} {{\nipv{version};\n", *lines, "}\n"]
    return "".join(parts)


_START = """\
command -v bird > /dev/null || {{ echo 'BIRD is not installed (Debian: bird2)' >&2; exit 1; }}
{directory}
grep -qsaF $d/bird.conf /proc/$(cat $d/pid 2>/dev/null)/cmdline || rm -rf $d
mkdir -m 700 $d && cat > $d/bird.conf || exit 1
bird -c $d/bird.conf -s $d/ctl -P $d/pid || exit 1
n=0
while [ $n -lt {seconds} ]; do
s=0
for c in $({count}); do s=$((s+c)); done
[ $s -eq {wanted} ] && exit 0
kill -0 $(cat $d/pid) || exit 1
sleep 1
n=$((n+1))
done
echo "it has $s of the routes in the kernel after {seconds} s" >&2
exit 1"""
_END = """\
{directory}
p=$(cat $d/pid 2>/dev/null)
if [ -n "$p" ] && grep -qsaF $d/bird.conf /proc/$p/cmdline; then
kill -9 $p
while grep -qsaF $d/bird.conf /proc/$p/cmdline; do sleep 0.1; done
fi
ip -4 route flush table main proto bird && ip -6 route flush table main proto bird && rm -rf $d"""
"""Killed, for it has no neighbours to part from, and one flush takes its routes faster than it does one by one."""
