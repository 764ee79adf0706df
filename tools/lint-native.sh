#!/bin/sh
# clang-tidy over the C sources, by the compile commands of the build.
set -eu
cd "$(dirname "$0")/.."
git ls-files 'native/*.c' | xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p build \
	--extra-arg=-Wno-unknown-warning-option 2>&1 | grep -v "warnings generated\|^Suppressed\|^Use -header-filter" || true
