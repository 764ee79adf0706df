#!/bin/sh
# Build and test this checkout in a tree of another Debian, with its DPDK, Python or CPU.
#   tools/try-in.sh trixie|bookworm|arm64 [PYTEST ARGUMENT…]
# Run it as root; the tree stays in build-trees/ for the next run. arm64 is bookworm for aarch64, run by qemu-user. Default
# tests: C tests, unit tests, golden packets on ring and pcap ports. Arguments replace the Python tests.
set -eu
cd "$(dirname "$0")/.."
name=${1:-}
case "$name" in
bookworm | trixie) suite=$name architecture=$(dpkg --print-architecture) ;;
arm64) suite=bookworm architecture=arm64 ;;
*)
	echo "try-in: '$name' is no tree; give trixie, bookworm or arm64" >&2
	exit 2
	;;
esac
shift
if [ "$(id -u)" -ne 0 ]; then
	echo "try-in: a tree of Debian is entered by chroot, which takes root; call this as root" >&2
	exit 3
fi
. tools/trees.sh
tools/setup.sh --packages trees

packages="ca-certificates gcc libc6-dev make pkg-config libdpdk-dev libmnl-dev libpcap-dev libcmocka-dev python3 python3-venv
	python3-dev iproute2 procps libjs-dygraphs git"
# A tree of this machine's Debian uses its ccache.
[ "$suite" != "$(. /etc/os-release && echo "$VERSION_CODENAME")" ] || [ "$name" = arm64 ] || packages="$packages ccache"
can_run "$architecture"
make_tree "$name" "$suite" "$architecture" $packages

source=build-trees/$name/src/wirespeed
mkdir -p "$source"
find "$source" -mindepth 1 -maxdepth 1 ! -name .venv ! -name 'build*' -exec rm -rf {} +
git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - 2>/dev/null | tar -x -C "$source"
enter_tree "$name" /src/wirespeed/tools/tree-build.sh "$architecture"
enter_tree_alone "$name" /src/wirespeed/tools/tree-tests.sh "$architecture" "$@"
