#!/bin/sh
# What being in the container costs: samples a second inside against outside, the time until the
# server is ready, and the size of the image.
#
#   tests/bench/container.sh [--pairs N] [--batch N] [--steps N] [--starts N]
#
# Wants what tests/container/README.md says, and a quiet machine. Inside and outside run the very
# same program with the very same libraries, those of the image: outside, the image's loader starts
# it on the bare machine, as root; inside, tests/container/enter.sh does what a runtime does that is
# told --read-only, --cap-drop ALL and no-new-privileges. In turns: inside, outside, outside, inside,
# and so on; compared are medians of steps within a pair. enter.sh sets no limits (cgroups) and no
# filter of system calls; where there is docker or podman, measure with theirs:
#
#   PENNYWORTH_BENCH_INSIDE="docker run --rm -i --read-only --tmpfs /tmp --cap-drop ALL
#     --security-opt no-new-privileges --entrypoint /usr/bin/pennyworth-worker pennyworth:0.1.0"
set -eu
exec /usr/bin/python3 "$(dirname "$0")/container.py" "$@"
