#!/bin/sh
# The first step of tools/deb.sh in a clean tree: install the packages beside this file, and those that the checks need.
set -eu
cd "$(dirname "$0")"
echo "== $(date +%T) installing $(echo *.deb)"
export DEBIAN_FRONTEND=noninteractive
printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
chmod +x /usr/sbin/policy-rc.d
printf 'path-include=/usr/share/man/*\n' >/etc/dpkg/dpkg.cfg.d/zz-manuals
apt-get update -q >/dev/null
apt-get install -yq --no-install-recommends ./*.deb procps systemd bash-completion zsh man-db >/root/apt.log 2>&1 || {
	tail -n 20 /root/apt.log >&2
	exit 1
}
