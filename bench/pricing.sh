#!/bin/sh
# Our reader of AWS's price list against jq and Python's json, on the same made-up file, in turns.
#
#   bench/pricing.sh [ROUNDS [MEGABYTES [PRODUCTS]]]      5, 450 and 106000
#   PENNYWORTH_BENCH_CONTESTANTS="ours jq" bench/pricing.sh
#
# Needs the release build (cmake --preset release && cmake --build --preset release), jq, time,
# /usr/bin/python3, room for the file twice in TMPDIR, and five times its size in memory.
# Contestants:
#   ours         build/release/tests/read-feed: stops before the Reserved terms, which are half of
#                the file, as it does over the network
#   ours-whole   the same where the Reserved terms come first, so that all bytes must be read
#   jq, python   jq and Python's json on the whole file
# Everybody must find the same prices, all of them and no other; a round in which somebody does not
# ends it. MB/s are of what was read, and of the whole file. A megabyte is a million bytes.
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-5} megabytes=${2:-450} products=${3:-106000}
contestants=${PENNYWORTH_BENCH_CONTESTANTS:-ours ours-whole jq python}
reader=build/release/tests/read-feed

for tool in jq /usr/bin/time /usr/bin/python3 "$reader"; do
    command -v "$tool" >/dev/null || { echo "pricing.sh: $tool is missing" >&2; exit 2; }
done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

# The table of pricing/feeds/aws/aws_selection.h, once more, in two other languages.
cat >"$dir/jq" <<'JQ'
def unit($terms):
    [$terms[]?.priceDimensions[]? | select(.unit == "Hrs")]
    | select(length == 1) | .[0]
    | select(.beginRange == "0" and .endRange == "Inf" and (.pricePerUnit.USD | tonumber) > 0)
    | .pricePerUnit.USD;
.terms.OnDemand as $terms
| [.products[]
   | .attributes as $a
   | select((.productFamily == "Compute Instance" or
             .productFamily == "Compute Instance (bare metal)")
            and $a.operatingSystem == "Linux" and $a.preInstalledSw == "NA"
            and $a.capacitystatus == "Used" and $a.marketoption == "OnDemand"
            and $a.licenseModel == "No License required" and $a.operation == "RunInstances"
            and $a.locationType == "AWS Region" and $a.regionCode == "us-east-1")
   | (if $a.tenancy == "Shared" and ($a.usagetype | startswith("BoxUsage:")) then 0
      elif $a.tenancy == "Dedicated" and ($a.usagetype | startswith("DedicatedUsage:"))
           and .productFamily == "Compute Instance (bare metal)" then 1
      else empty end) as $rank
   | {type: $a.instanceType, rank: $rank, sku: .sku}]
| group_by(.type)[]
| (min_by(.rank).rank) as $best
| map(select(.rank == $best)) | select(length == 1) | .[0]
| unit($terms[.sku]) as $price
| "\(.type) \($price)"
JQ
cat >"$dir/python.py" <<'PYTHON'
import json
import sys

LIKE = {"operatingSystem": "Linux", "preInstalledSw": "NA", "capacitystatus": "Used",
        "marketoption": "OnDemand", "licenseModel": "No License required",
        "operation": "RunInstances", "locationType": "AWS Region", "regionCode": "us-east-1"}
FAMILIES = ("Compute Instance", "Compute Instance (bare metal)")
with open(sys.argv[1], "rb") as file:
    offer = json.load(file)
found = {}
for product in offer["products"].values():
    has = product["attributes"]
    if product["productFamily"] in FAMILIES and all(has.get(k) == v for k, v in LIKE.items()):
        if has["tenancy"] == "Shared" and has["usagetype"].startswith("BoxUsage:"):
            found.setdefault((has["instanceType"], 0), []).append(product["sku"])
        elif product["productFamily"] == FAMILIES[1] and has["tenancy"] == "Dedicated" and \
                has["usagetype"].startswith("DedicatedUsage:"):
            found.setdefault((has["instanceType"], 1), []).append(product["sku"])
for (name, rank), skus in found.items():
    if len(skus) == 1 and (rank == 0 or (name, 0) not in found):
        hourly = [dimension
                  for term in offer["terms"]["OnDemand"].get(skus[0], {}).values()
                  for dimension in term["priceDimensions"].values() if dimension["unit"] == "Hrs"]
        if len(hourly) == 1 and hourly[0]["beginRange"] == "0" and \
                hourly[0]["endRange"] == "Inf" and float(hourly[0]["pricePerUnit"]["USD"]) > 0:
            print(name, hourly[0]["pricePerUnit"]["USD"])
PYTHON

run() {
    case $1 in
    ours) set -- "$reader" --prices aws-offer us-east-1 "$dir/published.json" ;;
    ours-whole) set -- "$reader" --prices aws-offer us-east-1 "$dir/reserved-first.json" ;;
    jq) set -- jq -r -f "$dir/jq" "$dir/published.json" ;;
    python) set -- /usr/bin/python3 "$dir/python.py" "$dir/published.json" ;;
    *) echo "pricing.sh: there is no contestant $1" >&2; return 2 ;;
    esac
    /usr/bin/time -o "$dir/time" -f '%e %U %S %M' "$@" >"$dir/got" 2>"$dir/said"
}

offer() {
    /usr/bin/python3 bench/offer.py --products "$products" --megabytes "$megabytes" "$@"
}
offer --expected "$dir/expected" "$dir/published.json"
LC_ALL=C sort -o "$dir/expected" "$dir/expected"
case " $contestants " in
*" ours-whole "*) offer --order reserved-first "$dir/reserved-first.json" ;;
esac
cat "$dir"/*.json >/dev/null # all of them find it in memory

: >"$dir/results"
for round in $(seq "$rounds"); do
    echo "round $round of $rounds ..." >&2
    for contestant in $contestants; do
        if ! run "$contestant"; then
            cat "$dir/said" "$dir/time" >&2
            exit 1
        fi
        if ! LC_ALL=C sort "$dir/got" | cmp -s - "$dir/expected"; then
            echo "pricing.sh: $contestant found other prices" >&2
            LC_ALL=C sort "$dir/got" | diff - "$dir/expected" | head -10 >&2
            exit 1
        fi
        read=$(sed -n 's/^prices .*, \([0-9.]*\) MB read.*/\1/p' "$dir/said")
        echo "$contestant $(cat "$dir/time") ${read:-0}" >>"$dir/results"
    done
    # The next round goes backwards.
    turned=
    for contestant in $contestants; do turned="$contestant $turned"; done
    contestants=$turned
done

/usr/bin/python3 - "$dir/results" "$dir/published.json" "$dir/expected" <<'PYTHON'
import os, statistics, sys
size = os.path.getsize(sys.argv[2]) / 1e6
rows = {}
for line in open(sys.argv[1]):
    name, *figures = line.split()
    rows.setdefault(name, []).append([float(figure) for figure in figures])
print(f"{size:.1f} MB, {sum(1 for _ in open(sys.argv[3]))} prices; medians (smallest-largest)")
print(f"{'':11} {'wall s':>21} {'CPU s':>7} {'peak RSS MB':>12} {'MB read':>8} {'MB/s read':>10}"
      f" {'MB/s of file':>13} {'time of ours':>13}")
ours = rows.get("ours")
for name in sorted(rows, key=lambda name: statistics.median(row[0] for row in rows[name])):
    wall, user, system, peak, read = (list(column) for column in zip(*rows[name]))
    middle = max(statistics.median(wall), 0.005)
    taken = read[0] or size
    times = ""
    if ours and name != "ours":
        ratios = [a[0] / max(b[0], 0.005) for a, b in zip(rows[name], ours)]
        times = f"{statistics.median(ratios):.1f} x"
    print(f"{name:11} {middle:7.2f} ({min(wall):.2f}-{max(wall):.2f})".ljust(33)
          + f" {statistics.median(map(sum, zip(user, system))):7.2f}"
          f" {statistics.median(peak) * 1024 / 1e6:12.1f} {taken:8.1f} {taken / middle:10.0f}"
          f" {size / middle:13.0f} {times:>13}")
PYTHON
