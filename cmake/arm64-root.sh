#!/bin/sh
# Makes a folder with the headers and libraries of a Debian of arm64, for the preset arm64:
#     cmake/arm64-root.sh FOLDER
# It is the Debian of this machine, so that the cross compiler and the libraries fit each other. The
# packages are unpacked and not installed: nothing of them runs here.
set -eu

root=$(cd -P "$(dirname "$0")/.." && pwd)
. "$root/cmake/prepare.sh"

[ $# -eq 1 ] || give_up "usage: cmake/arm64-root.sh FOLDER"
[ ! -e "$1/complete" ] || exit 0
. /etc/os-release
need_space "$(dirname "$1")" 1024

include=
for package in $BUILD_PACKAGES; do
    case $package in
    *-dev) include="$include,$package" ;;
    esac
done
rm -rf "$1"
say "unpacking a Debian $VERSION_CODENAME of arm64 into $1"
debootstrap --arch=arm64 --variant=minbase --foreign "--include=${include#,}" \
    "$VERSION_CODENAME" "$1" >"$1.log" 2>&1 || {
    tail -n 8 "$1.log" >&2
    give_up "debootstrap could not get the packages; is there a network?"
}
for package in "$1"/var/cache/apt/archives/*.deb; do
    dpkg-deb -x "$package" "$1"
done
rm -rf "$1"/var/cache/apt/archives
touch "$1/complete"
