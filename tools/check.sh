#!/bin/sh
# What is quick of `make lint` and `make test`: Python's lint, that of the C files that differ from origin's main,
# committed or not, and the unit tests. Under two minutes on two CPUs.
set -eu
cd "$(dirname "$0")/.."
bin=.venv/bin

$bin/ruff check --quiet
$bin/ruff format --check --quiet
$bin/mypy --no-error-summary

base=$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD)
changed=$(
	git diff --name-only --diff-filter=d "$base" -- 'native/*.c' 'native/*.h'
	git ls-files --others --exclude-standard -- 'native/*.c' 'native/*.h'
)
if [ -n "$changed" ]; then
	clang-format --dry-run --Werror $changed
	tools/lint-native.sh $changed
fi
exec $bin/pytest -q -n "$(nproc)" tests/unit
