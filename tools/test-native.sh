#!/bin/sh
# Run the C tests, address and undefined-behaviour sanitizers on. Tests of nodes run once for each x86-64 level; on a CPU
# without a level one line says so and its tests are left out.
#   tools/test-native.sh [short | long | all]     `short` (default) leaves out the suite `long`, and on a CPU that has all
#                                                 three levels the tests of the middle one; `long` has just these
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
middle=
! grep -qwm1 avx512vl /proc/cpuinfo || middle=v3
case "${1:-short}" in
short) set -- --no-suite long ${middle:+--no-suite "$middle"} ;;
long) set -- --suite long ${middle:+--suite "$middle"} ;;
all) set -- ;;
*)
	echo "test-native: $1 is not a tier; give short, long or all" >&2
	exit 2
	;;
esac
if [ "$(uname -m)" = x86_64 ]; then
	for level in 3:avx2 4:avx512vl; do
		if ! grep -qwm1 "${level#*:}" /proc/cpuinfo; then
			echo "test-native: NOT RUN: the tests of x86-64-v${level%:*}; this CPU lacks ${level#*:}" >&2
			set -- "$@" --no-suite "v${level%:*}"
		fi
	done
fi
# -O1 and line numbers alone compile in half the time of -O2 -g; at -O1 gcc sees uninitialized values that are none.
[ -f build-asan/build.ninja ] || meson setup build-asan -Dpython=false -Dtests=true -Dbuildtype=plain -Doptimization=1 \
	"-Dc_args=['-g1', '-Wno-maybe-uninitialized']" -Db_ndebug=false -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
ninja -C build-asan --quiet
meson test -C build-asan --no-rebuild --print-errorlogs --timeout-multiplier 4 "$@"
