#!/bin/sh
# What being in the container costs: samples a second inside against outside, the time until the
# server is ready, and the size of the image.
#
#   bench/container.sh [--pairs N] [--batch N] [--steps N] [--starts N]
#
# Wants what tests/container/README.md says, and a quiet machine. Inside and outside run the same program with
# the image's libraries: outside, the image's loader starts it on the bare machine, as root; inside, the
# docker engine runs it with --read-only, --cap-drop ALL and no-new-privileges. In turns: inside, outside,
# outside, inside, and so on; compared are medians of steps within a pair. Where no engine answers,
# tests/container/enter.sh takes its place, which sets no limits (cgroups) and no filter of system calls.
# PENNYWORTH_BENCH_INSIDE is another command for the worker inside.
set -eu
exec /usr/bin/python3 "$(dirname "$0")/container.py" "$@"
