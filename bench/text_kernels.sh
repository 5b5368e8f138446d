#!/bin/sh
# The kernels of networks for text on one thread, beside the peaks of the core and oneDNN.
#   bench/text_kernels.sh [ISA [ROUNDS]]      auto and 9
# BUILD is the build tree whose libraries it measures: build/release unless set.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build/release}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cmake --build "$build" --target train >&2
for name in text_products text_kernels; do
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -I. -o "$dir/$name" "bench/$name.c" \
        "$build/engine/train/libtrain.a" "$build/engine/libengine.a" \
        "$build/common/libcommon.a" -ldnnl -fopenmp -ljansson -lpthread -lm
    OMP_NUM_THREADS=1 "$dir/$name" "$@"
done
