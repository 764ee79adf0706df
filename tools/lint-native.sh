#!/bin/sh
# clang-tidy over the C sources that the build compiles.
set -eu
cd "$(dirname "$0")/.."
report=$(mktemp)
trap 'rm -f "$report"' EXIT
if ! git ls-files 'native/graph/*.c' 'native/wire/*.c' 'native/dev/*.c' 'native/router/*.c' 'native/generator/*.c' 'native/linux/*.c' \
	'native/bench/*.c' |
	xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build >"$report" 2>/dev/null; then
	grep 'error:' "$report"
	echo "clang-tidy: see above" >&2
	exit 1
fi
echo "clang-tidy: clean"
