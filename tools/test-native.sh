#!/bin/sh
# Run the C tests with the address and undefined-behaviour sanitizers.
#   tools/test-native.sh [short | long] [build]
# `short` (default) compiles all code for the highest x86-64 level that this CPU has, in build-asan-best. `long` runs the
# tests of the suite `long`, and those of nodes once for each level, in build-asan-levels; levels that the CPU lacks are
# skipped with a message. With `build`, the tests are only compiled.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"

has() {
	grep -qwm1 "$1" /proc/cpuinfo
}

best=
levels=
if [ "$(uname -m)" = x86_64 ]; then
	for level in 2:popcnt 3:avx2 4:avx512vl; do
		if has "${level#*:}"; then
			best=", '-march=x86-64-v${level%:*}', '-mprefer-vector-width=256'"
			levels="$levels --suite v${level%:*}"
		elif [ "${1:-short}" = long ]; then
			echo "test-native: NOT RUN: the tests of x86-64-v${level%:*}; this CPU lacks ${level#*:}" >&2
		fi
	done
fi
only=${2:-}
case "${1:-short}" in
short)
	tree=build-asan-best
	set -- -Dlevels=false "-Dc_args=['-g1', '-Wno-maybe-uninitialized'$best]"
	tests="--no-suite long"
	;;
long)
	tree=build-asan-levels
	set -- "-Dc_args=['-g1', '-Wno-maybe-uninitialized']"
	tests="--suite long$levels"
	;;
*)
	echo "test-native: $1 is not a tier; give short or long" >&2
	exit 2
	;;
esac
if [ -n "$only" ] && [ "$only" != build ]; then
	echo "test-native: $only is not a step; give build, or nothing to run the tests as well" >&2
	exit 2
fi
# -O1 with line numbers only compiles in half the time of -O2 -g. At -O1 gcc warns of uninitialized values that are not.
[ -f "$tree/build.ninja" ] || rm -rf "$tree" # what an interrupted set-up left
[ -f "$tree/build.ninja" ] || meson setup "$tree" -Dpython=false -Dtests=true -Dbuildtype=plain -Doptimization=1 \
	-Db_ndebug=false -Db_sanitize=address,undefined -Db_lundef=false "$@" >/dev/null
ninja -C "$tree" --quiet
[ -z "$only" ] || exit 0
# shellcheck disable=SC2086 # words
meson test -C "$tree" --no-rebuild --print-errorlogs --timeout-multiplier 4 $tests
