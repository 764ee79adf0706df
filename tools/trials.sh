#!/bin/sh
# Run the trials (docs/develop/trials.md): tools/trials.sh [OPTION…]. With --sanitizer, and for the long form of the trial
# many-links, the native part is also built with sanitizers, in build-sanitized.
set -eu
cd "$(dirname "$0")/.."
case " $* " in
*" --sanitizer "*) sanitized=yes ;;
*" --short "*) sanitized= ;;
*" --only many-links "*) sanitized=yes ;;
*" --only "* | *" --list "* | *" --packets"* | *" --messages"*) sanitized= ;;
*) sanitized=yes ;;
esac
if [ -n "$sanitized" ]; then
	PATH="$PWD/.venv/bin:$PATH"
	[ -f build-sanitized/build.ninja ] || meson setup build-sanitized -Dbuildtype=debugoptimized -Db_ndebug=false \
		-Db_sanitize=address,undefined -Db_lundef=false >/dev/null
	ninja -C build-sanitized --quiet "$(ninja -C build-sanitized -t targets all | sed -n 's/^\(.*_core.*so\): c_LINKER$/\1/p')"
fi
PYTHONPATH="$PWD/tests:$PWD/tests/unit:$PWD/tests/fakes:$PWD/tests/services" exec .venv/bin/python -m trials "$@"
