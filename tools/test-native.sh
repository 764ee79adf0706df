#!/bin/sh
# Run the C tests, address and undefined-behaviour sanitizers on.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
[ -f build-asan/build.ninja ] || meson setup build-asan -Dpython=false -Dtests=true -Dbuildtype=debugoptimized \
	-Db_ndebug=false -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
ninja -C build-asan --quiet
meson test -C build-asan --no-rebuild --print-errorlogs --timeout-multiplier 4
