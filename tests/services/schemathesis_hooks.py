"""Settings of schemathesis that schemathesis.toml cannot hold: how long to wait, and the few refusals of
requests that follow the description, because OpenAPI cannot say what is asked of them. Each is
named by its operation, its field and its words, so that no other refusal hides behind it."""
import json
import re

import schemathesis

WAIT_MAX = 1  # seconds, where a case asks for more: the whole run has to end

# (field, words) of a refusal, both patterns, by operation; "" of those that may come from any.
# To delete one of these is to cancel it: it stays, and says so.
CANCELLED = r"(GET|DELETE) /v1/(runs|sweeps)/\{id\}"
LACKS = "urn:pennyworth:problem:not-possible-here"  # what this machine or its settings do not have
MAY_LACK = {"POST /v1/runs", "POST /v1/aa", "POST /v1/sweeps", "POST /v1/prices/refresh"}
IMPORT = "POST /v1/runs/import"
NOT_OURS = "is not trained by the engine [a-z]+;"
EXCUSED = {
    "": [
        # Two requests in one: the key of an earlier case with another body.
        ("Idempotency-Key", "was used before for another"),
        # A cursor has check digits, so that one that was cut is refused.
        ("cursor", "must be the next_cursor of an earlier answer"),
        # What is stored is counted in bytes; JSON Schema counts characters.
        (".*", "(bytes, got [0-9]+|is too long: [0-9]+ bytes|is longer than any zone's name)$"),
        ("", "^the URL (is longer than|has control characters)"),
        # JSON Schema knows no largest number.
        ("", "too big (negative )?integer"),
    ],
    # Two parameters; one must follow the other.
    "GET /v1/runs": [("until", "must be later than since")],
    "GET /v1/runs/export": [("after", "must be the id of a run that is stored here"),
                            ("until", "must be later than since")],
    "GET /v1/runs/{id}/check": [
        # Parameters that depend on each other.
        ("window", "must be absent with a baseline of this kind"),
        ("baseline", "must be the id of a run, KEY=VALUE|must hold only letters|a key must have"),
    ],
    "GET /v1/prices": [("instance_type", "is needed for a history"),
                       ("cursor", "a history has none")],
    # The sum of several members.
    "POST /v1/prices": [("price_per_hour|per_month|own", "^makes .* USD an hour")],
    "GET /v1/comparison": [
        ("samples", "only one of samples, epochs and job_seconds may be given"),
        ("deadline", "is in the past|is too far ahead|only one of deadline"),
        ("reference", "has no measured row here"),
        ("price", "names [a-z_]+ twice"),
        ("discount|price_of", "is given twice for"),
        ("utility", "^at character|is needed to sort by it"),  # a language of its own
    ],
    "GET /v1/families": [("instance_type", "names a family too"),
                         ("discount|price_of", "is given twice for")],
    "POST /v1/prices/refresh": [("feed", "is needed with accept"),
                                ("reason", "is why a feed is accepted")],
    "GET /v1/history": [("label", "must hold only letters|a key must have")],
    # A document is one whole: columns as long as each other, parts within their step, a summary and
    # a cost that follow from the rest.
    IMPORT: [
        ("steps[.].*", "is (longer|shorter) than the arrays before it|together|is missing"),
        ("machine.facts|implementations|engine_details", "a number that does not fit"),
        # Only the owner of a key can make a signature.
        ("Pennyworth-Key", "^must be a public key, a blank, and that key's signature"),
        ("signature[.](key|value)", "."),
        # A column is read digit by digit, and wants 5 for what JSON Schema lets be 5.0.
        ("steps[.].*", "must be a whole number from [01] to [0-9]+$"),
    ],
    "POST /v1/capacity": [("price_kind", "^must be spot: no other machine is preempted$")],
    # Only an engine that an operator registers trains workloads of any name.
    "POST /v1/runs": [("workload", NOT_OURS)],
    "POST /v1/aa": [("base[.]workload", NOT_OURS)],
    "POST /v1/sweeps": [
        ("(knobs|cells|base)[.]workload", NOT_OURS),
        ("knobs|cells", "make more than 64 cells"),
        ("blocks", "make [0-9]+ runs, more than 500"),
        ("base[.]engine", "^the preset engines measures each of them"),
        # Of a base and a change of it together.
        ("(knobs|cells|base).*", "is (11|91) where the protocol is published"),
    ],
}

EXCUSED["POST /v1/runs/{id}/check"] = EXCUSED["GET /v1/runs/{id}/check"]
for picture in ("comparison", "badge"):  # of the same question
    EXCUSED[f"GET /v1/{picture}.svg"] = EXCUSED["GET /v1/comparison"]


def excuse(label, problem):
    """Whether the refusal is one of those."""
    if problem["type"] == LACKS and label in MAY_LACK:
        return True
    named = problem.get("field", "")
    sentence = problem["detail"].removeprefix(named + ": ")
    return any(re.fullmatch(field, named) and re.search(words, sentence)
               for field, words in [*EXCUSED[""], *EXCUSED.get(label, [])])


@schemathesis.serializer("application/x-ndjson")
def lines_of(context, value):
    return value if isinstance(value, str) else json.dumps(value)


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """False drops a failure."""
    if type(failure).__name__ == "UseAfterFree":
        return not re.match(CANCELLED, case.operation.label)
    if type(failure).__name__ == "AcceptedNegativeData" and IMPORT == case.operation.label:
        return response.json().get("refused") != 1  # lines are refused one by one, in a 200
    if type(failure).__name__ != "RejectedPositiveData":
        return True
    return not excuse(case.operation.label, response.json())


@schemathesis.hook
def before_call(context, case, kwargs):
    query = case.query or {}
    wait = query.get("wait")
    if isinstance(wait, (int, str)) and str(wait).isdecimal() and int(wait) > WAIT_MAX:
        query["wait"] = type(wait)(WAIT_MAX)
