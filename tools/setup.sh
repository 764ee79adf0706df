#!/bin/sh
# Make this checkout ready: Debian packages, .venv, the native build. Does only what is missing, and says each step with
# the seconds that it took; where nothing is missing it says nothing.
#   tools/setup.sh [GROUP…]              test, lint, bench, docs, boards, images, postgresql, ray, trex: what each needs in
#                                        Debian packages, Python packages and programs in C, besides what runs wirespeed
#   tools/setup.sh --packages GROUP…     Debian packages alone; build, trees, deb, container too
#   tools/setup.sh --configure GROUP…    all but the compiling: build/compile_commands.json is up to date
set -eu
cd "$(dirname "$0")/.."

# `step` opens a line, `taken` ends it; one that is left open is of the step that failed.
open=
policy=
step() {
	begun=$(date +%s)
	open=yes
	printf 'setup: %s ... ' "$1"
}
taken() {
	open=
	echo "$(($(date +%s) - begun)) s"
}
at_exit() {
	[ -z "$open" ] || echo "failed"
	[ -z "$policy" ] || rm -f "$policy"
}
# uv takes a fifth of the CPU time that pip takes, but does not read pip's configuration: where that names an index, pip
# it is. So it is where uv is not to be had for this machine. Files are compiled when they are first imported.
install_python_packages() {
	requirements=$(.venv/bin/python tools/requirements.py $extras)
	pip=".venv/bin/pip --disable-pip-version-check -q"
	if ! $pip config list | grep -q index &&
		$pip install --no-compile --only-binary :all: -c tools/constraints.txt uv 2>/dev/null &&
		echo "$requirements" | .venv/bin/uv pip install -q --no-cache --python .venv/bin/python \
			-c tools/constraints.txt -r /dev/stdin 2>/dev/null; then
		return
	fi
	echo "$requirements" | $pip install --no-compile -c tools/constraints.txt -r /dev/stdin
}
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build="gcc libc6-dev make pkg-config libdpdk-dev libmnl-dev libpcap-dev python3 python3-venv python3-dev iproute2 procps
	libjs-dygraphs"
test="valgrind dpdk-dev libcmocka-dev clang libclang-rt-14-dev chromium chromium-driver tcpdump
	bird2 conntrack ethtool frr iperf3 iputils-ping nftables openssh-server postgresql prometheus sudo tidy traceroute
	util-linux"
lint="clang-format clang-tidy"
bench="dpdk-dev valgrind"
trees="arch-test gcc-aarch64-linux-gnu mmdebstrap qemu-user-static"
deb="build-essential mmdebstrap debhelper dpkg-dev fakeroot"
container="buildah mmdebstrap"

wanted=$build
extras=build
programs=all
only_packages=
only_configure=
case "${1:-}" in
--packages)
	only_packages=yes
	wanted=
	shift
	;;
--configure)
	only_configure=yes
	shift
	;;
esac
for group in "$@"; do
	case "$group" in
	build) wanted="$wanted $build" ;;
	test)
		wanted="$wanted $test"
		extras="$extras test boards docs images postgresql ray trex"
		programs="$programs native/acl_answers native/bench/bench_nodes native/bench/bench_generator"
		;;
	lint) # mypy reads what the checked files import
		wanted="$wanted $lint"
		extras="$extras lint test boards images ray"
		;;
	bench)
		wanted="$wanted $bench"
		programs="$programs benches"
		;;
	docs | boards | images | postgresql | ray | trex) extras="$extras $group" ;;
	trees | deb | container) eval "wanted=\"\$wanted \$$group\"" ;;
	*)
		echo "setup: no group $group; there are test, lint, bench, docs, boards, images, postgresql, ray and trex" >&2
		exit 2
		;;
	esac
done

missing=""
there=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' $wanted 2>/dev/null || true)"
for package in $wanted; do
	case "$there" in
	*" $package=installed "*) ;;
	*) missing="$missing $package" ;;
	esac
done
if [ -n "$missing" ]; then
	if [ "$(id -u)" -ne 0 ]; then
		echo "Debian packages are missing; install them as root, then call this again:" >&2
		echo "  apt-get install --no-install-recommends$missing" >&2
		exit 3
	fi
	step "the list of Debian packages"
	apt-get update -q >/dev/null
	taken
	# Tests run BIRD, FRR, sshd, Prometheus and PostgreSQL themselves: no service of theirs is to start here, now or at
	# the next boot. One that was there before stays as it is.
	if [ ! -e /usr/sbin/policy-rc.d ]; then
		policy=/usr/sbin/policy-rc.d
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod +x "$policy"
	fi
	step "installing$missing"
	DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends $missing >/dev/null
	taken
	[ -z "$policy" ] || rm -f "$policy"
	policy=
	for service in bird frr openssh-server:ssh nftables postgresql prometheus; do
		case " $missing " in
		*" ${service%:*}"*) rm -f "/etc/systemd/system/multi-user.target.wants/${service#*:}.service" ;;
		esac
	done
fi

[ -z "$only_packages" ] || exit 0

# What decides about the venv's contents, and after it the extras that are in; a stamp of both makes the next call a no-op.
stamp=.venv/.installed
want=$(
	pwd
	cat pyproject.toml tools/constraints.txt tools/requirements.py tools/checkout.py tools/setup.sh | sha256sum
)
there=
[ "$(sed '$d' "$stamp" 2>/dev/null || true)" != "$want" ] || there=$(sed -n '$p' "$stamp")
lacking=
for extra in $extras; do
	case " $there " in
	*" $extra "*) ;;
	*) lacking=yes ;;
	esac
done
if [ -n "$lacking" ]; then
	if [ ! -x .venv/bin/python ]; then
		step "making .venv"
		"${PYTHON:-python3}" -m venv .venv
		taken
	fi
	# Extras that an earlier call asked for are kept.
	extras=$(printf '%s\n' $extras $(sed -n '$p' "$stamp" 2>/dev/null | grep -v - || true) | sort -u | tr '\n' ' ')
	step "Python packages into .venv"
	install_python_packages
	.venv/bin/python tools/checkout.py
	printf '%s\n%s\n' "$want" "$extras" >"$stamp"
	taken
fi

# A build that configures itself again calls the ninja of the path: one of another version would discard the build's log,
# and all would be compiled again.
PATH="$PWD/.venv/bin:$PATH"
if [ ! -e build/build.ninja ]; then
	step "configuring the build of C"
	meson setup build -Dbuildtype=release -Db_ndebug=if-release >/dev/null
	taken
fi
if [ -n "$only_configure" ]; then
	ninja -C build --quiet build.ninja
	exit 0
fi
# shellcheck disable=SC2086  # words
if ! ninja -C build -n $programs | grep -q "no work to do"; then
	step "compiling C"
	ninja -C build --quiet $programs
	taken
fi
# The modules stand in the package, where the program finds them without the build tree. A program that runs keeps those
# that it has.
for module in build/wirespeed/_native/*.so; do
	installed=wirespeed/_native/${module##*/}
	if ! cmp -s "$module" "$installed"; then
		cp "$module" "$installed.new"
		mv "$installed.new" "$installed"
	fi
done
