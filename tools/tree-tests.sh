#!/bin/sh
# The second step of tools/try-in.sh in a tree, with an empty network: the tests.
#   tools/tree-tests.sh ARCHITECTURE [PYTEST ARGUMENT…]
set -eu
cd "$(dirname "$0")/.."
architecture=$1
shift
step() { echo "== $(date +%T) $*"; }
PATH="$PWD/.venv/bin:$PATH"

step "C tests"
meson test -C build --no-rebuild --print-errorlogs --timeout-multiplier 20 >/tmp/c-tests || failed=yes
tail -n 12 /tmp/c-tests
[ -z "${failed:-}" ] || exit 1

step "Python tests"
if [ $# -eq 0 ]; then
	# Golden packets through the real core on ring and pcap ports.
	set -- tests/dataplane/test_router_packets.py tests/dataplane/test_router_ip6_packets.py \
		tests/dataplane/test_router_mpls.py tests/dataplane/test_router_l2.py tests/dataplane/test_generator_core.py
	units=tests/unit
	if [ "$architecture" = arm64 ]; then # the emulator is slow: only unit tests that use C
		units=$(grep -l _native tests/unit/test_*.py)
		set -- "$@" --timeout=3000
	fi
	# shellcheck disable=SC2086  # words
	pytest -q -n auto --timeout=3000 $units
fi
pytest -q "$@"
