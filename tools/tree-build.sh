#!/bin/sh
# The first step of tools/try-in.sh in a tree, with this machine's network: Python packages and the build.
#   tools/tree-build.sh ARCHITECTURE
set -eu
cd "$(dirname "$0")/.."
architecture=$1
step() { echo "== $(date +%T) $*"; }

step "$(. /etc/os-release && echo "$PRETTY_NAME"), $(uname -m), DPDK $(pkg-config --modversion libdpdk), $(python3 --version), $(gcc --version | head -n 1)"
[ -x .venv/bin/python ] || python3 -m venv .venv
PATH="$PWD/.venv/bin:$PATH"
install="pip install -q --no-compile --disable-pip-version-check -c tools/constraints.txt"
step "Python packages that the build takes"
$install cffi meson ninja

extras="test boards docs images postgresql"
[ "$architecture" != arm64 ] || extras="test boards"
step "compiling C; the other Python packages meanwhile"
python tools/requirements.py $extras | $install -r /dev/stdin &
packages=$!
[ "$architecture" != arm64 ] || export CC=aarch64-linux-gnu-gcc
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
[ -f build/build.ninja ] || meson setup build -Dtests=true -Dbuildtype=release -Db_ndebug=if-release >/dev/null
ninja -C build -k 0 --quiet
cp build/wirespeed/_native/*.so wirespeed/_native/
wait "$packages"
python tools/checkout.py
