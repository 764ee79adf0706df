#!/bin/sh
# Check of the installed Debian packages, which tools/deb.sh runs in a clean tree with an empty network after
# tools/deb-install.sh: their files, the programs of their units (each as its user, with its capabilities), their removal.
# systemd does not run in the tree; `systemd-analyze` only reads the units.
set -eu
cd "$(dirname "$0")"
step() { echo "== $(date +%T) $*"; }
fail() {
	echo "deb: $*" >&2
	exit 1
}

export DEBIAN_FRONTEND=noninteractive
dpkg-query -W wirespeed wirespeed-daemons

step "the program"
wirespeed --version
test "$(wirespeed --help | grep -c '^  [a-z]')" -gt 20 || fail "wirespeed --help lists too few commands"

step "man pages"
for name in wirespeed $(wirespeed --help | sed -n 's/^  \([a-z0-9]*\)  .*/wirespeed-\1/p'); do
	man --warnings=all "$name" >/root/man.txt 2>/root/man.warnings || fail "no man page of $name"
	[ ! -s /root/man.warnings ] || fail "man page of $name: $(head -n 1 /root/man.warnings)"
done
man wirespeed-config | head -n 4

step "completion"
completed() {
	bash -c '. /usr/share/bash-completion/completions/wirespeed; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		_wirespeed; echo "${COMPREPLY[*]}"' bash "$@"
}
[ "$(completed wirespeed conf)" = config ] || fail "bash completes 'wirespeed conf' to '$(completed wirespeed conf)'"
[ "$(completed wirespeed config pl)" = plan ] || fail "bash completes 'config pl' to '$(completed wirespeed config pl)'"
[ "$(completed wirespeed router --march v)" = "v2 v3 v4" ] || fail "bash completes --march to '$(completed wirespeed router --march v)'"
zsh -f -c 'autoload -Uz compinit; compinit -u; [ "$_comps[wirespeed]" = _wirespeed ]' || fail "zsh has no completion of wirespeed"
zsh -n /usr/share/zsh/vendor-completions/_wirespeed

step "units"
for unit in wirespeed-router wirespeed-generator; do
	systemd-analyze verify "/lib/systemd/system/$unit.service" || fail "$unit.service"
	systemd-analyze security --offline=yes "/lib/systemd/system/$unit.service" | tail -n 1
	id "$unit"
	[ ! -e "/etc/systemd/system/multi-user.target.wants/$unit.service" ] || fail "$unit is enabled by the installation"
done

# started UNIT: runs its ExecStart as its user, with its capabilities, environment and runtime directory, until it is ready.
of_unit() { sed -n "s/^$2=//p" "/lib/systemd/system/$1.service"; }
started() {
	install -d -o "$1" -m "$(of_unit "$1" RuntimeDirectoryMode)" "/run/$(of_unit "$1" RuntimeDirectory)"
	environment=$(of_unit "$1" EnvironmentFile)
	[ -z "$environment" ] || . "$environment"
	capabilities=$(of_unit "$1" AmbientCapabilities | tr 'A-Z' 'a-z' | sed 's/cap_/+/g; s/ /,/g')
	eval "set -- $1 $(of_unit "$1" ExecStart)"
	user=$1
	shift
	setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs --inh-caps "-all,$capabilities" \
		--ambient-caps "-all,$capabilities" --bounding-set "-all,$capabilities" "$@" >"/root/$user.log" 2>&1 &
	echo $! >"/root/$user.pid"
	for _ in $(seq 600); do
		! grep -q '^ready' "/root/$user.log" || return 0
		kill -0 "$(cat "/root/$user.pid")" 2>/dev/null || break
		sleep 0.1
	done
	cat "/root/$user.log" >&2
	fail "$user did not start"
}
ended() {
	kill "$(cat "/root/$1.pid")"
	wait "$(cat "/root/$1.pid")" || fail "$1 ended with code $?"
}

step "the router, as wirespeed-router"
started wirespeed-router
cat /root/wirespeed-router.log
ps -o user,args -p "$(cat /root/wirespeed-router.pid)"
wirespeed ctl show version
wirespeed ctl show interface
ended wirespeed-router

step "the generator, as wirespeed-generator"
started wirespeed-generator
cat /root/wirespeed-generator.log
ps -o user,args -p "$(cat /root/wirespeed-generator.pid)"
wirespeed loadtest -p bench -t size=64 -wd 1 -rd 2 -hd 1 -u -q -o /root/result.json
wirespeed report --format md /root/result.json
ended wirespeed-generator

step "removing them"
apt-get purge -yq wirespeed wirespeed-daemons >/root/apt.log 2>&1 || fail "$(tail -n 5 /root/apt.log)"
[ ! -e /usr/lib/wirespeed ] || fail "left behind: $(find /usr/lib/wirespeed | head -n 3)"
[ ! -e /etc/wirespeed ] || fail "left behind: $(find /etc/wirespeed)"
echo "deb: all of it works"
