#!/bin/sh
# Search for data races with the thread sanitizer: a router and a generator with two and with four workers, under traffic,
# while everything that can be changed is changed. Ends with 1 if the sanitizer reports anything, or if packets are not
# accounted for. Reports that are wrong are suppressed in native/tests/tsan.supp, each with its reason.
#   tools/tsan.sh [CHANGES [SEED]]     changes of each router (1 000; a generator has ten times as many); seed of their order
set -eu
cd "$(dirname "$0")/.."
PATH="$PWD/.venv/bin:$PATH"
changes=${1:-1000} seed=${2:-1} failed=0
[ -f build-tsan/build.ninja ] || meson setup build-tsan -Dpython=false -Dtests=true -Dlevels=false -Dbuildtype=debugoptimized \
	-Db_ndebug=false -Doptimization=1 -Db_sanitize=thread -Db_lundef=false \
	"-Dc_args=['-Wno-tsan', '-isystem', '/usr/include/dpdk', '-isystem', '/usr/include/$(gcc -print-multiarch)/dpdk', '-include', '$PWD/native/tests/tsan_order.h']" >/dev/null
tests=build-tsan/native/tests
ninja -C build-tsan --quiet native/tests/seen_race native/tests/test_churn native/tests/test_generator_churn
report=$(mktemp)
trap 'rm -f "$report"' EXIT
export TSAN_OPTIONS="suppressions=$PWD/native/tests/tsan.supp history_size=7 exitcode=66"

# Without randomized addresses (-R): those of some kernels are outside of the sanitizer's shadow memory.
watch() { setarch -R "$@" >"$report" 2>&1; }
reports() { grep -c 'WARNING: ThreadSanitizer' "$report" || true; }
places() { grep '^SUMMARY: ThreadSanitizer' "$report" | sort | uniq -c; }

watch $tests/seen_race 1 || :
if [ "$(places | wc -l)" != 1 ] || ! grep -q 'SUMMARY: .*seen_race.c:.* in count' "$report"; then
	cat "$report"
	echo "tsan: a race that is there on purpose is not the one that is reported" >&2
	exit 1
fi
for workers in 2 4; do
	for run in "test_churn $workers $changes $seed" "test_generator_churn $workers $((changes * 10)) $seed"; do
		# shellcheck disable=SC2086  # words
		if watch $tests/$run; then
			echo "tsan: $run: no report; $(tail -n 1 "$report")"
			continue
		fi
		failed=1
		cat "$report"
		echo "tsan: $run: $(reports) reports, or packets that are not accounted for" >&2
		places >&2
	done
done
exit $failed
