#!/bin/sh
# Make this checkout ready: Debian packages, .venv, the native build. Does only what is missing, and says each step with
# the seconds that it took; where nothing is missing it says nothing.
#   tools/setup.sh [GROUP…]              groups of Debian packages: build (always), test, lint, bench
#   tools/setup.sh --packages GROUP…     those alone; trees, deb, container too
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
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build="gcc libc6-dev make pkg-config libdpdk-dev libmnl-dev libpcap-dev python3 python3-venv python3-dev iproute2 procps
	libjs-dygraphs"
test="valgrind dpdk-dev libcmocka-dev clang libclang-rt-14-dev chromium chromium-driver tcpdump
	bird2 ethtool frr iperf3 iputils-ping nftables openssh-server postgresql prometheus sudo tidy traceroute util-linux"
lint="clang-format clang-tidy"
bench="dpdk-dev valgrind"
trees="arch-test gcc-aarch64-linux-gnu mmdebstrap qemu-user-static"
deb="build-essential mmdebstrap debhelper dpkg-dev fakeroot"
container="buildah mmdebstrap"

wanted=$build
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
	eval "wanted=\"\$wanted \$$group\""
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

# What decides about the venv's contents; a stamp of it makes the second call a no-op.
stamp=.venv/.installed
want=$(
	pwd
	cat pyproject.toml tools/constraints.txt tools/requirements.py tools/setup.sh | sha256sum
)
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$want" ]; then
	if [ ! -x .venv/bin/python ]; then
		step "making .venv"
		"${PYTHON:-python3}" -m venv .venv
		taken
	fi
	step "Python packages into .venv"
	.venv/bin/python tools/requirements.py all | .venv/bin/pip install -q --disable-pip-version-check \
		-c tools/constraints.txt -r /dev/stdin
	# The checkout itself: its folder on the venv's path, and the program. Nothing of it is built at a start, so that
	# who may only read it can run it too.
	.venv/bin/pip uninstall -qy --disable-pip-version-check wirespeed 2>/dev/null
	pwd >"$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/wirespeed.pth"
	cat >.venv/bin/wirespeed <<-END
		#!$PWD/.venv/bin/python
		import sys

		from wirespeed.cli.main import main

		sys.exit(main())
	END
	chmod +x .venv/bin/wirespeed
	echo "$want" >"$stamp"
	taken
fi

if [ ! -e build/build.ninja ]; then
	step "configuring the build of C"
	PATH="$PWD/.venv/bin:$PATH" .venv/bin/meson setup build -Dbuildtype=release -Db_ndebug=if-release >/dev/null
	taken
fi
if [ -n "$only_configure" ]; then
	.venv/bin/ninja -C build --quiet build.ninja
	exit 0
fi
if ! .venv/bin/ninja -C build -n | grep -q "no work to do"; then
	step "compiling C"
	.venv/bin/ninja -C build --quiet
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
