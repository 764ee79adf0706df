# Debian trees below build-trees/. Scripts that build or install in a tree source this file.

# can_run ARCHITECTURE: registers qemu-user for programs of another CPU, and ends with 3 if the kernel cannot run them.
can_run() {
	[ "$1" != "$(dpkg --print-architecture)" ] || return 0
	formats=/proc/sys/fs/binfmt_misc
	[ -e "$formats/register" ] || mount -t binfmt_misc binfmt_misc "$formats" || {
		echo "try-in: this kernel has no binfmt_misc, by which programs of $1 would be run; use a machine that has" >&2
		exit 3
	}
	[ -e "$formats/qemu-aarch64" ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$formats/register"
}

# remove_tree PATH: ends with 3 if something is still mounted in it, as after a run that was killed.
remove_tree() {
	[ -e "$1" ] || return 0
	if grep -q " $(readlink -f "$1")/" /proc/self/mounts; then
		echo "try-in: something is still mounted in $1; umount it, then call this again" >&2
		exit 3
	fi
	rm -rf --one-file-system "$1" "$1.has"
}

# make_tree NAME SUITE ARCHITECTURE PACKAGE…: makes a tree with these packages from the mirror that apt uses here, if there
# is none. The tree is locked until this script and all programs that it started have ended.
make_tree() {
	tree=build-trees/$1
	what="$*"
	mkdir -p build-trees
	exec 9>"$tree.lock"
	if ! flock -n 9; then
		echo "try-in: another run works in $tree; wait until it has ended" >&2
		exit 3
	fi
	[ "$(cat "$tree.has" 2>/dev/null || true)" != "$what" ] || return 0
	name=$1 suite=$2 architecture=$3
	shift 3
	begun=$(date +%s)
	printf 'try-in: making %s of %s for %s ... ' "$tree" "$suite" "$architecture"
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
		awk -v release="$codename" '$1 == release { print $2; exit }')
	remove_tree "$tree"
	apt-config dump Acquire >"$tree.apt"
	if ! mmdebstrap --quiet --variant=apt --architectures="$architecture" --aptopt="$tree.apt" \
		--dpkgopt=force-unsafe-io \
		--include="$(echo "$@" | tr -s ' \n\t' ',')" "$suite" "$tree" "$mirror" >"$tree.log" 2>&1; then
		echo failed
		tail -5 "$tree.log" >&2
		remove_tree "$tree"
		exit 3
	fi
	# mmdebstrap may leave /proc mounted in the tree of another CPU.
	! mountpoint -q "$tree/proc" || umount "$tree/proc"
	echo "$(($(date +%s) - begun)) s"
	echo "$what" >"$tree.has"
}

# enter_tree NAME COMMAND…: runs COMMAND in the tree, in new namespaces of processes, mounts, IPC and host name. Network,
# certificates and pip's settings are this machine's, and so is ccache's cache if the tree has ccache. A tree of aarch64
# uses this machine's cross compiler with its own headers and libraries: the folders of the compiler are mounted into it.
enter_tree() {
	tree=$PWD/build-trees/$1
	shift
	unshare --mount --pid --ipc --uts ${own_network:+--net} --fork --kill-child sh -eu -c '
		tree=$1 cache=$2 own_network=$3
		shift 3
		[ -z "$own_network" ] || ip link set lo up
		mount --make-rprivate /
		mount -t proc proc "$tree/proc"
		mount -t sysfs sysfs "$tree/sys"
		mount --rbind /dev "$tree/dev"
		mount -t tmpfs tmpfs "$tree/dev/shm"
		mount -t tmpfs tmpfs "$tree/run"
		mount -t tmpfs tmpfs "$tree/tmp"
		if [ -e "$tree/usr/bin/ccache" ] && [ -d "$cache" ]; then
			mkdir -p "$tree/root/.cache/ccache"
			mount --bind "$cache" "$tree/root/.cache/ccache"
		fi
		for there in /etc/ssl/certs /etc/pip.conf /etc/resolv.conf /etc/hosts; do
			[ -e "$there" ] || continue
			[ -e "$tree$there" ] || touch "$tree$there"
			mount --bind "$(readlink -f "$there")" "$tree$there"
		done
		if [ -d "$tree/usr/lib/aarch64-linux-gnu" ] && [ "$(uname -m)" != aarch64 ]; then
			for there in "/usr/lib/$(uname -m)-linux-gnu" /usr/lib64 /usr/lib/gcc-cross /usr/aarch64-linux-gnu; do
				mkdir -p "$tree$there"
				mount --bind "$(readlink -f "$there")" "$tree$there"
			done
			[ -e "$tree/lib64" ] || ln -s usr/lib64 "$tree/lib64"
			for program in /usr/bin/aarch64-linux-gnu-*; do
				touch "$tree$program"
				mount --bind "$(readlink -f "$program")" "$tree$program"
			done
		fi
		hostname tree
		exec chroot "$tree" env -u PIP_FIND_LINKS HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
	' enter "$tree" "${CCACHE_DIR:-$HOME/.cache/ccache}" "${own_network:-}" "$@"
}

# enter_tree_alone NAME COMMAND…: the same with a new network namespace, which has only a loopback interface.
enter_tree_alone() {
	own_network=yes
	enter_tree "$@"
	own_network=
}
