#!/bin/sh
# Our ResNet-50 training against PyTorch's, in turns on the same cores.
#
#   bench/engine.sh --prepare DIR [SUITE...]   make the userlands (root, debootstrap, network)
#   PENNYWORTH_BENCH_ROOTS=DIR bench/engine.sh [OPTION...]
#   bench/engine.sh --report FILE...           the table again, from what --json wrote
#   bench/engine.sh --help                     all options
#
# Needs the release build, /usr/bin/python3 and a C compiler. PyTorch is PyPI's in a virtual environment,
# named by --torch:
#
#   engine/peers/environments.py install build/peers pytorch     (12 GiB)
#   bench/engine.sh --torch build/peers/pytorch/bin/python [OPTION...]
#
# or Debian's, which needs root: each runs in a userland of its own under DIR, by chroot, named
# torch-SUITE (trixie and sid by default). Without either only our own figures are measured.
#
# A round trains each contestant once at each batch size and precision, one process at a time,
# every second round backwards, so that a noisy quarter of an hour is everyone's. Compared are
# ratios within a round. A contestant's figure is batch size / median step. Where others had a
# tenth of our cores during a training, it does not count ("calm": how many of how many do).
#
# A PyTorch contestant is written NAME[+SETTING...], NAME being pypi or torch-trixie, with the
# settings of its tuning guide:
#   compile    torch.compile           fused   one fused pass for the update
#   llvm       LLVM's OpenMP, KMP_BLOCKTIME=1, instead of GNU's
#   tcmalloc   that allocator          thp     huge pages for tensors, from glibc and PyTorch
#   nchw       PyTorch's default layout instead of channels-last
# Its threads are pinned and as many as ours. What is trained: see engine_pytorch.py.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# g++ and the headers are for torch.compile; the reference BLAS that torch would bring along is
# too slow to be fair in the last layer.
packages="python3-torch python3-torchvision python3-dev python3-setuptools g++ \
libtorch-dev libsleef-dev libopenblas0-openmp libomp-dev libtcmalloc-minimal4t64"

prepare() {
    suite=$1 root=$2/torch-$1
    if [ -d "$root" ]; then
        echo "engine.sh: $root is there already" >&2
        return
    fi
    rm -rf "$root.partial" # what an earlier attempt left; it had no mounts that outlived it
    debootstrap --variant=minbase "$suite" "$root.partial" >&2
    # If this machine's mirror is frozen, its apt is configured for that; the new one needs the same.
    apt-config dump | grep '^Acquire::Check-' >"$root.partial/etc/apt/apt.conf.d/90-as-host" || true
    mount -t proc proc "$root.partial/proc"
    mount --bind /dev "$root.partial/dev"
    chroot "$root.partial" sh -euc "
        export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
        apt-get -q update
        apt-get -q -y --no-install-recommends install $packages
        apt-get clean" >&2
    umount "$root.partial/dev" "$root.partial/proc"
    mv "$root.partial" "$root"
}

# Mounts are made in a namespace of our own: they are gone with us, however we end.
if [ "$(id -u)" = 0 ] && [ -z "${ENGINE_SH_PRIVATE:-}" ]; then
    ENGINE_SH_PRIVATE=1 exec unshare --mount --propagation private sh "$here/engine.sh" "$@"
fi

if [ "${1:-}" = --prepare ]; then
    [ $# -ge 2 ] || { echo "engine.sh: --prepare DIR [SUITE...]" >&2; exit 2; }
    for tool in debootstrap chroot apt-config; do
        command -v $tool >/dev/null || { echo "engine.sh: $tool is missing" >&2; exit 2; }
    done
    mkdir -p "$2"
    dir=$(cd "$2" && pwd)
    shift 2
    [ $# -gt 0 ] || set -- trixie sid
    for suite in "$@"; do
        prepare "$suite" "$dir"
    done
    exit
fi

exec /usr/bin/python3 "$here/engine.py" "$@"
