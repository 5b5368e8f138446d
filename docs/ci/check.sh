#!/bin/sh
# Measures a change with pennyworth and asks the CI gate for a verdict.
set -eu

usage() {
    cat <<'END'
Usage: check.sh --spec JSON [options]

Posts runs, waits until they are measured, sends GET /v1/runs/{id}/check for the last one and
prints the answer as Markdown.

  --spec JSON        what to run; @FILE reads it from a file. It needs labels that name the commit:
                     runs with exactly the same labels are repeats of each other
  --repeat N         number of runs of it (default 3)
  --minutes N        maximum time for the runs of both sides together (default 4), but 20 seconds for
                     each. It sets max_seconds and min_seconds of a spec that names neither of them,
                     and no steps and no protocol
  --against JSON     a spec of the baseline, with labels of its own commit, measured now, in turns
                     with the other; or
  --baseline WHAT    KEY=VALUE of a label, the id of a run, or last:N (default last:20)
  --run ID           checks an existing run, and posts none
  --margin PERCENT   by which the run may be slower (default 3)
  --fails-on WHAT    code (default) or samples_per_dollar
  --no-confirm       accepts the first look; by default a failure is measured again
  --wait SECONDS     maximum wait for each answer (default 1800)
  --markdown FILE, --json FILE, --github FILE, --bencher FILE
                     also stores the answer in that format

PENNYWORTH_URL is the server (default http://127.0.0.1:8080), PENNYWORTH_TOKEN its token, if it
needs one; posting and confirming need the scope write.

Exit status: 0 pass, 1 fail, 2 cannot tell, 3 an error: no verdict was given.
END
}

complain() {
    printf 'check.sh: %s\n' "$1" >&2
    exit 3
}

url=${PENNYWORTH_URL:-http://127.0.0.1:8080}
spec='' against='' baseline='' run='' margin=3 fails_on=code confirm=true wait=1800 repeat=3 minutes=4
markdown='' json='' github='' bencher=''

while [ $# -gt 0 ]; do
    option=$1
    case $option in
    --help | -h)
        usage
        exit 0
        ;;
    --no-confirm)
        confirm=false
        shift
        continue
        ;;
    esac
    [ $# -ge 2 ] || complain "$option requires a value; --help says more"
    case $option in
    --spec) spec=$2 ;;
    --repeat) repeat=$2 ;;
    --minutes) minutes=$2 ;;
    --against) against=$2 ;;
    --baseline) baseline=$2 ;;
    --run) run=$2 ;;
    --margin) margin=$2 ;;
    --fails-on) fails_on=$2 ;;
    --wait) wait=$2 ;;
    --markdown) markdown=$2 ;;
    --json) json=$2 ;;
    --github) github=$2 ;;
    --bencher) bencher=$2 ;;
    *) complain "there is no option $option; --help says more" ;;
    esac
    shift 2
done

command -v curl >/dev/null || complain "curl is not installed"
case $repeat in '' | *[!0-9]* | 0) complain "--repeat must be a number from 1" ;; esac
case $minutes in '' | *[!0-9]* | 0) complain "--minutes must be a number from 1" ;; esac
case $wait in '' | *[!0-9]*) complain "--wait must be a number of seconds" ;; esac
[ -n "$run" ] || [ -n "$spec" ] || complain "--spec or --run is needed; --help says more"
[ -z "$run" ] || [ -z "$spec$against" ] || complain "--run posts nothing: leave out the specs"
[ -z "$against" ] || [ -z "$baseline" ] || complain "--against is the baseline: leave out --baseline"

need_file() {
    case $2 in
    @*) [ -r "${2#@}" ] || complain "$1: the file ${2#@} cannot be read" ;;
    esac
}
need_file --spec "$spec"
need_file --against "$against"

text_of() {
    case $1 in @*) cat "${1#@}" ;; *) printf '%s' "$1" ;; esac
}
spec=$(text_of "$spec")
against=$(text_of "$against")

# Runs without labels are never repeats of each other: of N runs, one would count.
need_labels() {
    case $2 in
    '' | *'"labels"'*) ;;
    *) complain "$1 needs \"labels\" that name the commit, or each run counts alone; or give --repeat 1" ;;
    esac
}
if [ "$repeat" -gt 1 ]; then
    need_labels --spec "$spec"
    need_labels --against "$against"
fi

runs=$repeat
[ -z "$against" ] || runs=$((repeat * 2))
seconds=$((minutes * 60 / runs - 5)) # what else a run takes: its start, and the step that it is at
[ "$seconds" -ge 20 ] || seconds=20
[ "$seconds" -le 120 ] || seconds=120 # the usual one

# The spec, ended after $seconds where it does not say itself when it ends.
limit() {
    case $1 in
    *'"max_seconds"'* | *'"min_seconds"'* | *'"steps"'* | *'"protocol"'*) printf '%s' "$1" ;;
    *'{'*)
        rest=${1#*\{}
        case $(printf '%s' "$rest" | tr -d ' \t\r\n') in '}'*) comma='' ;; *) comma=, ;; esac
        printf '{"max_seconds":%s,"min_seconds":%s%s%s' "$seconds" $((seconds / 2)) "$comma" "$rest"
        ;;
    *) printf '%s' "$1" ;;
    esac
}
spec=$(limit "$spec")
against=$(limit "$against")

# The most seconds that a run of a spec takes; 0 without a spec.
seconds_of() {
    [ -n "$1" ] || { echo 0 && return; }
    limit=$(printf '%s' "$1" | tr '\r\n' '  ' |
        sed -n 's/.*"max_seconds"[[:space:]]*:[[:space:]]*\([0-9]\{1,6\}\).*/\1/p')
    echo "${limit:-120}"
}

# minutes_of SECONDS: in words.
minutes_of() {
    case $((($1 + 30) / 60)) in
    0 | 1) echo "about a minute" ;;
    *) echo "about $((($1 + 30) / 60)) minutes" ;;
    esac
}

# The gate measures a failure again: six times both sides, or the candidate alone four times.
announce() {
    mine=$(seconds_of "$spec")
    theirs=$(seconds_of "$against")
    most=$((repeat * (mine + theirs) + 5 * runs))
    if [ -n "$against" ]; then again=$((6 * (mine + theirs + 10))); else again=$((4 * (mine + 5))); fi
    text="$runs runs take $(minutes_of "$most") at most, behind what is queued already"
    [ "$confirm" = false ] ||
        text="$text; a failure is measured again, $(minutes_of "$again") more"
    printf 'check.sh: %s\n' "$text" >&2
}
[ -n "$run" ] || announce

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 3' INT TERM

# curl with the token, which no list of processes is to show.
ask() {
    if [ -n "${PENNYWORTH_TOKEN:-}" ]; then
        printf 'header = "Authorization: Bearer %s"\n' \
            "$(printf '%s' "$PENNYWORTH_TOKEN" | sed 's/[\\"]/\\&/g')"
    fi | curl --silent --show-error --config - --max-time $((wait + 60)) \
        --dump-header "$folder/header" --output "$folder/body" --write-out '%{http_code}' "$@" ||
        complain "the server at $url did not answer"
}

# The value of a header field of the last answer.
field() {
    tr -d '\r' <"$folder/header" |
        awk -v name="$1" 'tolower($1) == tolower(name) ":" {print $2}' | tail -n 1
}

explain() {
    cat "$folder/body" >&2
    echo >&2
    complain "$1"
}

# Posts a run; its id is then in $posted.
post() {
    status=$(ask --header 'Content-Type: application/json' --data-binary "$1" "$url/v1/runs")
    [ "$status" = 201 ] || explain "a run was refused with status $status"
    posted=$(field location)
    posted=${posted##*/}
}

post_candidate() {
    post "$spec"
    run=$posted
}

post_baseline() {
    [ -n "$against" ] || return 0
    post "$against"
    baseline=$posted
}

# The answer about $run in a form, into a file. While it waits, nothing is sent. What may queue runs
# is a POST.
check() {
    method=GET
    [ "$confirm" = false ] || method=POST
    status=$(ask --get --request "$method" --data-urlencode "baseline=$baseline" --data-urlencode "margin=$margin" \
        --data-urlencode "fails_on=$fails_on" --data "confirm=$confirm" --data "wait=$wait" \
        --data "format=$1" "$url/v1/runs/$run/check")
    [ "$status" = 200 ] || explain "the check was refused with status $status"
    cat "$folder/body" >"$2"
}

if [ -z "$run" ]; then
    count=0
    while [ "$count" -lt "$repeat" ]; do
        count=$((count + 1))
        # A B, B A: what drifts steadily hits both alike.
        if [ $((count % 2)) -eq 1 ]; then
            post_baseline
            post_candidate
        else
            post_candidate
            post_baseline
        fi
    done
fi
baseline=${baseline:-last:20}

check markdown "$folder/markdown"
verdict=$(field pennyworth-verdict)
cat "$folder/markdown"
[ -z "$markdown" ] || cat "$folder/markdown" >"$markdown"
[ -z "$json" ] || check json "$json"
[ -z "$github" ] || check github "$github"
[ -z "$bencher" ] || check bencher "$bencher"

case $verdict in
pass) exit 0 ;;
fail) exit 1 ;;
cannot_tell) exit 2 ;;
*) complain "the answer has the verdict '$verdict'" ;;
esac
