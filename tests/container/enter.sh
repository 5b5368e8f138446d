#!/bin/sh
# Runs a program of an image as a container runtime does with --read-only, --tmpfs /tmp,
# --cap-drop ALL and no-new-privileges: in namespaces of its own for processes and mounts, as the
# image's user, with nothing but DATA to write to. The network is the machine's. Wants root.
#
#   tests/container/enter.sh ROOT DATA [NAME=VALUE...] PROGRAM [WORD...]
#
# A signal for the program is for this process's child. (`podman run` wants more of a machine.)
set -eu

if [ "${INSIDE-}" != yes ]; then
    export INSIDE=yes
    exec unshare --mount --pid --fork --kill-child "$0" "$@"
fi
root=$1 data=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
# Into the mount that now lies over the folder.
cd /
mount --bind "$data" "$root/data"
mount -t tmpfs -o mode=1777,nosuid,nodev,size=64m tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
exec chroot "$root" /usr/bin/setpriv --reuid 10001 --regid 10001 --clear-groups \
    --bounding-set=-all --inh-caps=-all --no-new-privs \
    /usr/bin/env -i -C /data PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
