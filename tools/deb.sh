#!/bin/sh
# Build the Debian packages into build-deb/, install them in a clean Debian tree below build-trees/, and check them there.
# Run it as root; the trees stay for the next run. --build only builds.
set -eu
cd "$(dirname "$0")/.."
. tools/trees.sh
tools/setup.sh --packages build deb

version=$(tools/version.py)
source=build-deb/wirespeed-$version
rm -rf build-deb
mkdir -p "$source"
git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - 2>/dev/null | tar -x -C "$source"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
cat >"$source/debian/changelog" <<END
wirespeed ($version) unstable; urgency=medium

  * As of $(git rev-parse --short HEAD).

 -- The wirespeed developers <wirespeed@localhost>  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
END
begun=$(date +%s)
printf 'deb: building ... '
if ! (cd "$source" && dpkg-buildpackage --no-sign --build=binary >../build.log 2>&1); then
	echo failed
	tail -n 20 build-deb/build.log >&2
	exit 1
fi
echo "$(($(date +%s) - begun)) s"
ls -sh build-deb/*.deb
[ "${1:-}" != --build ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
	echo "deb: a tree to install them in is entered by chroot, which takes root; call this as root, or with --build" >&2
	exit 3
fi
architecture=$(dpkg --print-architecture)
make_tree deb "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$architecture" ca-certificates
remove_tree build-trees/installed
cp -a --reflink=auto build-trees/deb build-trees/installed
mkdir build-trees/installed/packages
cp build-deb/*.deb tools/deb-install.sh tools/deb-check.sh build-trees/installed/packages/
enter_tree installed /packages/deb-install.sh
enter_tree_alone installed /packages/deb-check.sh
