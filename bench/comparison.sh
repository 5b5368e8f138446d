#!/bin/sh
# GET /v1/comparison over a million runs and ten million prices: how soon it answers, and in how
# much memory. Needs python3; takes the release build where there is one, else the dev build.
#   bench/comparison.sh [FILE [ROUNDS [RUNS [PRICES]]]]
# The database (3 GB) is made where FILE does not exist yet and kept for the next time; without
# FILE it is made in a temporary folder and deleted. How many runs a second come in, and megabytes
# out: bench/import.py.
set -eu
cd "$(dirname "$0")/.."
file=${1:-} rounds=${2:-5} runs=${3:-1000000} prices=${4:-10000000}
server=build/release/pennyworth
[ -x "$server" ] || server=build/dev/pennyworth
[ -x "$server" ] || { echo "comparison.sh: there is no build" >&2; exit 2; }

dir=
stop() {
    [ -z "${server_pid:-}" ] || kill "$server_pid" 2>/dev/null || true
    [ -z "$dir" ] || rm -rf "$dir"
    [ -z "${half_made:-}" ] || rm -f "$half_made" "$half_made-wal" "$half_made-shm" \
        "$half_made.lock"
}
trap stop EXIT
trap 'exit 1' INT TERM
if [ -z "$file" ]; then
    dir=$(mktemp -d)
    file=$dir/comparison.db
fi

# The server makes the tables; Python fills them.
make_database() {
    half_made=$file.new
    "$server" --database "$half_made" --port 18476 --feed all=off --metadata off --log error &
    server_pid=$!
    until python3 -c "import socket; socket.create_connection(('127.0.0.1', 18476))" 2>/dev/null; do
        kill -0 "$server_pid"
        sleep 0.05
    done
    kill "$server_pid" && wait "$server_pid"
    server_pid=
    python3 bench/comparison_fill.py "$half_made" "$runs" "$prices"
    mv "$half_made" "$file"
    rm -f "$half_made.lock"
    half_made=
}
[ -e "$file" ] || { echo "making $file ..." >&2; make_database; }

echo "$server, median of $rounds rounds:"
python3 bench/comparison.py "$server" "$file" "$rounds"
echo "How fast runs come in and go out: bench/import.py"
