#!/bin/sh
# Makes the image twice, each time from nothing but the base image and the sources, and compares
# the layers. Minutes; wants what tests/container/README.md says.
set -eu
cd "$(dirname "$0")/../.."
for name in first second; do
    /usr/bin/python3 tests/container/chroot.py "localhost/pennyworth-$name" --no-cache \
        >"build/container/$name.layers"
done
if cmp build/container/first.layers build/container/second.layers; then
    cat build/container/first.layers
    echo "the same layers, twice"
else
    echo "the layers differ: build/container/first.layers, second.layers" >&2
    exit 1
fi
