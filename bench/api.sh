#!/bin/sh
# The API under load, compared with nginx serving the same bytes as a file, in turns on the same cores.
# Needs wrk, nginx, curl and python3 (Debian's), and the release build.
#   bench/api.sh [ROUNDS [SECONDS [RUNS]]]
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-5} seconds=${2:-4} runs=${3:-100000}
server=build/release/pennyworth
port=18473 nginx_port=18474
nginx=$(command -v nginx || echo /usr/sbin/nginx)

for tool in wrk curl /usr/bin/python3 "$nginx" "$server"; do
    command -v "$tool" >/dev/null || { echo "api.sh: $tool is missing" >&2; exit 2; }
done

dir=$(mktemp -d)
chmod 755 "$dir"
stop() {
    [ -z "${server_pid:-}" ] || kill "$server_pid" 2>/dev/null || true
    [ -z "${nginx_pid:-}" ] || kill "$nginx_pid" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$dir"
}
trap stop EXIT
trap 'exit 1' INT TERM

wait_for() {
    until curl -fsS -o /dev/null "$1" 2>/dev/null; do sleep 0.02; done
}

start_server() {
    "$server" --database "$dir/bench.db" --port $port --log error &
    server_pid=$!
    wait_for "http://127.0.0.1:$port/healthz"
}

echo "storing $runs runs ..." >&2
start_server
kill $server_pid && wait $server_pid
id=$(/usr/bin/python3 bench/seed.py "$dir/bench.db" "$runs")
start_server

mkdir -p "$dir/www/v1/runs" "$dir/tmp"
curl -fsS -o "$dir/www/one.json" "http://127.0.0.1:$port/v1/runs/$id"
curl -fsS -o "$dir/www/list.json" "http://127.0.0.1:$port/v1/runs?limit=50"
cat >"$dir/nginx.conf" <<CONF
worker_processes 2;
daemon off;
pid $dir/nginx.pid;
error_log $dir/error.log;
events { worker_connections 1024; }
http {
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    open_file_cache max=100;
    types { application/json json; }
    client_body_temp_path $dir/tmp; proxy_temp_path $dir/tmp; fastcgi_temp_path $dir/tmp;
    uwsgi_temp_path $dir/tmp; scgi_temp_path $dir/tmp;
    server { listen 127.0.0.1:$nginx_port; root $dir/www; }
}
CONF
"$nginx" -c "$dir/nginx.conf" -e "$dir/error.log" &
nginx_pid=$!
wait_for "http://127.0.0.1:$nginx_port/one.json"

sqlite_ids() {
    /usr/bin/python3 - "$dir/bench.db" <<'PY'
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT id FROM runs ORDER BY random() LIMIT 5000"):
    print(row[0])
PY
}
sqlite_ids >"$dir/ids"
cat >"$dir/random.lua" <<LUA
local requests, turn = {}, 0
function init()
    for line in io.lines("$dir/ids") do
        requests[#requests + 1] = wrk.format("GET", "/v1/runs/" .. line)
    end
end
function request()
    turn = turn % #requests + 1
    return requests[turn]
end
LUA

# NAME URL [SCRIPT]: one line "name requests/s p50 p99 microseconds", latencies in ms, and the processor
# time of our server for a request: how many connections one of its threads got does not change it.
measure() {
    name=$1 url=$2
    shift 2
    before=$(awk '{print $14 + $15}' "/proc/$server_pid/stat")
    wrk -t1 -c64 -d"${seconds}s" --latency "$@" "$url" | /usr/bin/python3 -c "
import os, re, sys
text = sys.stdin.read()
def ms(value):
    number, unit = re.match(r'([\d.]+)(us|ms|s)', value).groups()
    return float(number) * {'us': 0.001, 'ms': 1, 's': 1000}[unit]
rate = re.search(r'Requests/sec:\s+([\d.]+)', text).group(1)
p50 = ms(re.search(r'^ +50% +(\S+)', text, re.M).group(1))
p99 = ms(re.search(r'^ +99% +(\S+)', text, re.M).group(1))
ticks = sum(int(word) for word in open('/proc/$server_pid/stat').read().split()[13:15]) - $before
cpu = ticks * 1e6 / os.sysconf('SC_CLK_TCK') / int(re.search(r'(\d+) requests in', text).group(1))
bad = re.search(r'(Non-2xx.*|Socket errors.*)', text)
print('$name', rate, p50, p99, cpu, bad.group(1) if bad else '')"
}

base=http://127.0.0.1:$port file=http://127.0.0.1:$nginx_port
for round in $(seq "$rounds"); do
    echo "round $round of $rounds ..." >&2
    measure one_run "$base/v1/runs/$id"
    measure nginx_one "$file/one.json"
    measure random_run "$base" -s "$dir/random.lua"
    measure nginx_list "$file/list.json"
    measure list_of_50 "$base/v1/runs?limit=50"
done >"$dir/results"

rss=$(awk '/VmHWM/ {print $2}' "/proc/$server_pid/status")
/usr/bin/python3 - "$dir/results" "$dir/www" "$rss" <<'PY'
import os, statistics, sys
rows = {}
for line in open(sys.argv[1]):
    name, *words = line.split()
    rows.setdefault(name, []).append(tuple(map(float, words[:4])))
    if words[4:]:
        print("errors:", line.strip())
rival = {"one_run": "nginx_one", "random_run": "nginx_one", "list_of_50": "nginx_list"}
size = {"nginx_one": "one.json", "nginx_list": "list.json"}
print(f"{'':12} {'bytes':>7} {'requests/s':>11} {'p50 ms':>7} {'p99 ms':>7} {'CPU us':>7}  of nginx (min-max)")
for name, values in rows.items():
    rate, p50, p99, cpu = (statistics.median(column) for column in zip(*values))
    length = os.path.getsize(os.path.join(sys.argv[2], size[rival.get(name, name)]))
    ratio = ""
    if name in rival:
        pairs = [a[0] / b[0] for a, b in zip(values, rows[rival[name]])]
        ratio = f"{statistics.median(pairs):.2f} ({min(pairs):.2f}-{max(pairs):.2f})"
    ours = f"{cpu:.0f}" if name in rival else ""
    print(f"{name:12} {length:7} {rate:11.0f} {p50:7.2f} {p99:7.2f} {ours:>7}  {ratio}")
print(f"peak RSS of the server: {int(sys.argv[3]) / 1024:.1f} MiB")
PY
