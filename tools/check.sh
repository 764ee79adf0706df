#!/bin/sh
# The quick part of `make lint` and `make test`: lint without the C files that are as on origin/main, and the unit tests.
# Less than two minutes on two CPUs.
set -eu
cd "$(dirname "$0")/.."
failed=
.venv/bin/python tools/lint.py --changed || failed=lint
.venv/bin/pytest -q -n "$(nproc)" tests/unit || failed="$failed tests"
[ -z "$failed" ] || {
	echo "failed: $failed" >&2
	exit 1
}
