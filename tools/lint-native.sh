#!/bin/sh
# clang-tidy over the C sources that the build compiles, or over those of FILE… that it compiles.
#   tools/lint-native.sh [FILE…]
set -eu
cd "$(dirname "$0")/.."
report=$(mktemp)
trap 'rm -f "$report"' EXIT
compiled() {
	for folder in graph wire dev router generator linux bench; do
		git ls-files --cached --others --exclude-standard "native/$folder/*.c"
	done | if [ $# -eq 0 ]; then cat; else grep -Fx "$(printf '%s\n' "$@")"; fi
}
if ! compiled "$@" | xargs -r -P "$(nproc)" -n 4 clang-tidy --quiet -p build >"$report" 2>/dev/null; then
	grep 'error:' "$report"
	echo "clang-tidy: see above" >&2
	exit 1
fi
echo "clang-tidy: clean"
