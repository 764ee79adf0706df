#!/bin/sh
# Fuzz every target: tools/fuzz.sh [SECONDS], 60 by default; with 60 or more, VXLAN's target runs for a million packets.
# Inputs that fail are written to native/fuzz/crash-*. The property tests at the end draw other examples than in `make test`.
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
[ -f build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz -Dpython=false -Dfuzz=true \
	-Dbuildtype=debugoptimized -Db_lundef=false >/dev/null
ninja -C build-fuzz --quiet fuzzers
for target in build-fuzz/native/fuzz/fuzz_*; do
	[ -f "$target" ] && [ -x "$target" ] || continue
	name=$(basename "$target")
	echo "fuzz: $name for ${1:-60} s"
	mkdir -p "build-fuzz/corpus/$name"
	limit="-max_total_time=${1:-60}"
	[ "$name" != fuzz_vxlan ] || [ "${1:-60}" -lt 60 ] || limit="-runs=1000000"
	"$target" "$limit" -print_final_stats=1 -artifact_prefix=native/fuzz/crash- \
		"build-fuzz/corpus/$name" "native/fuzz/corpus/${name#fuzz_}"
done
export PYTHONPATH="$PWD/tests/fakes:$PWD/tests/unit"
.venv/bin/python tests/unit/rpc_fuzz.py "${1:-60}"
.venv/bin/python tests/unit/rpc_fuzz.py "${1:-60}" --native
tools/trials.sh --messages
.venv/bin/pytest --hypothesis-profile=search tests/unit/test_router_fuzz.py tests/dataplane/test_router_fuzz_core.py \
	tests/dataplane/test_router_fib_traffic.py tests/dataplane/test_router_acl_rules.py
