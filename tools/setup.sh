#!/bin/sh
# Prepare this checkout: Debian packages, .venv, the native build. Only missing parts are installed or built, and each step
# is printed with its seconds.
#   tools/setup.sh [GROUP…]              what runs wirespeed, and the Debian packages, Python packages and C programs of
#                                        each GROUP: test, lint, bench, docs, boards, images, postgresql, ray, trex
#   tools/setup.sh --packages GROUP…     only Debian packages; also of the groups build, trees, deb, container
#   tools/setup.sh --configure GROUP…    everything but compiling; build/compile_commands.json is up to date afterwards
set -eu
cd "$(dirname "$0")/.."

# `step` begins a line and `taken` ends it. A line that is open at the exit belongs to the step that failed.
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
# uv takes a fifth of pip's CPU time, but ignores pip's configuration. So pip is used if that names an index, and if there
# is no uv for this machine. Bytecode is compiled at the first import.
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
	# Tests start BIRD, FRR, sshd, Prometheus and PostgreSQL themselves. So services of newly installed packages start
	# neither now nor at the next boot; services that were there before are left alone.
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

# The stamp has a digest of the files that determine the venv's contents, then the installed extras. Nothing is installed
# if the digest is the same and no extra is missing.
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
	# Extras of earlier calls are kept.
	extras=$(printf '%s\n' $extras $(sed -n '$p' "$stamp" 2>/dev/null | grep -v - || true) | sort -u | tr '\n' ' ')
	step "Python packages into .venv"
	install_python_packages
	.venv/bin/python tools/checkout.py
	printf '%s\n%s\n' "$want" "$extras" >"$stamp"
	taken
fi

# A build that configures itself again calls the ninja in PATH. A ninja of another version would discard the build's log
# and compile everything again.
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
# The modules are copied into the package, so that the program needs no build tree. Running programs keep the old files,
# since the new ones are renamed into place.
for module in build/wirespeed/_native/*.so; do
	installed=wirespeed/_native/${module##*/}
	if ! cmp -s "$module" "$installed"; then
		cp "$module" "$installed.new"
		mv "$installed.new" "$installed"
	fi
done
