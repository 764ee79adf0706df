#!/bin/sh
# What is quick of `make lint` and `make test`: all of lint but the C files that do not differ from origin/main, and the
# unit tests. Under two minutes on two CPUs.
set -eu
cd "$(dirname "$0")/.."
failed=
.venv/bin/python tools/lint.py --changed || failed=lint
.venv/bin/pytest -q -n "$(nproc)" tests/unit || failed="$failed tests"
[ -z "$failed" ] || {
	echo "failed: $failed" >&2
	exit 1
}
