#!/bin/sh
# Build the image of the Containerfile with buildah, and run its programs and the demo in it. The base image is made from
# the mirror that apt uses here, so no registry is needed. Images of this machine are left alone. Run it as root.
set -eu
cd "$(dirname "$0")/.."
if [ "$(id -u)" -ne 0 ]; then
	echo "container: its base is a tree of Debian, which takes root to make; call this as root" >&2
	exit 3
fi
. tools/trees.sh
tools/setup.sh --packages container
make_tree container bookworm "$(dpkg --print-architecture)" ca-certificates

images=$PWD/build-trees/images
buildah() { command buildah --root "$images" --runroot "$images.run" --storage-driver vfs "$@"; }
step() { echo "== $(date +%T) $*"; }
trap 'rm -rf "$images" "$images.run"' EXIT
rm -rf "$images" "$images.run"

step "the base"
base=$(buildah from scratch)
buildah add -q "$base" build-trees/container / >/dev/null
buildah commit -q --rm "$base" localhost/base >/dev/null

# Files that this machine needs to reach its mirrors are mounted during the build, and do not get into the image.
set --
for there in /etc/ssl/certs /etc/pip.conf; do
	[ ! -e "$there" ] || set -- "$@" --volume "$there:$there:ro"
done
step "the image"
buildah build --isolation chroot --network host --build-arg BASE=localhost/base "$@" -q -t wirespeed . >build-trees/image.log 2>&1 || {
	tail -n 20 build-trees/image.log >&2
	exit 1
}
buildah images wirespeed

step "what it holds"
made=$(buildah from wirespeed)
in_image() { buildah run --isolation chroot --network host "$made" -- "$@"; }
in_image wirespeed --version
in_image wirespeed demo
echo "container: it works"
