#!/bin/sh
# fuzz.sh TARGET CORPUS_DIR
# Tries 20,000 inputs on one target, starting from the kept corpus, which it only reads, and from
# the same seed each time: whether a change passes must depend on luck as little as on the speed of
# the machine. Who hunts gives FUZZ_SECONDS, and FUZZ_SEED=0, which is another seed each time. An
# input that breaks the target is left in ./crashes. The exit status is the verdict.
set -eu

if [ $# -ne 2 ] || [ ! -x "$1" ] || [ ! -d "$2" ]; then
    echo "usage: fuzz.sh TARGET CORPUS_DIR" >&2
    exit 2
fi
target=$1
corpus=$2
name=$(basename "$target")
seconds=${FUZZ_SECONDS:-60}
runs=20000
[ -z "${FUZZ_SECONDS:-}" ] || runs=-1

finds=$(mktemp -d)
trap 'rm -rf "$finds"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$finds/new" "$finds/crashes"

status=0
# Longer inputs are for replay: here they only make every attempt slower.
"$target" -runs="$runs" -max_total_time="$seconds" -seed="${FUZZ_SEED:-1}" -max_len=4096 -timeout=60 \
    -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$finds/crashes/$name-" "$finds/new" "$corpus" >"$finds/log" 2>&1 || status=$?

if [ "$status" -ne 0 ]; then
    grep -vE '^#[0-9]+' "$finds/log" || true # without the thousands of lines of progress
    mkdir -p crashes
    cp "$finds/crashes/"* crashes/ || true
    echo "$name: FAILED with status $status; replay with: $target crashes/$name-..." >&2
    exit "$status"
fi
# The last progress line tells how much code was reached; then how fast it went.
grep -E '^#[0-9]+.* cov: ' "$finds/log" | tail -n 1
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$finds/log")
speed=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$finds/log")
echo "$name: $executions executions, $speed executions/s"
