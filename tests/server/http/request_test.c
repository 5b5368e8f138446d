#include "server/http/request.h"

#include "common/cleanup.h"
#include "tests/test.h"

#define RUN_ID "01ARZ3NDEKTSV4RRFFQ69G5FAV"

static char prefer[100];

/* An exchange whose request has this target. exchange_end() frees its reply. */
static struct exchange *exchange_for(const char *target)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);
    struct error err = {0};

    if (!exchange)
        abort();
    EXPECT(query_read(target, &exchange->request.query, &err));
    return exchange;
}

static void exchange_end(struct exchange *exchange)
{
    bytes_free(&exchange->reply.body);
    bytes_free(&exchange->request.body);
    free(exchange);
}

static void only_the_id_of_a_run_is_accepted_in_a_path(void)
{
    static const char *const ids[] = {"x", "", RUN_ID "0", "01ARZ3NDEKTSV4RRFFQ69G5FAI",
                                      "01arz3ndektsv4rrffq69g5fav"};
    struct exchange *exchange = exchange_for("/");
    struct run_id id;

    exchange->request.match.id = RUN_ID "/steps";
    exchange->request.match.id_length = RUN_ID_LENGTH;
    EXPECT(request_run_id(exchange, &id));
    EXPECT_STR(id.text, RUN_ID);
    EXPECT_INT(exchange->reply.status, 0);
    exchange_end(exchange);
    for (size_t i = 0; i < COUNT(ids); i++) {
        exchange = exchange_for("/");
        exchange->request.match.id = ids[i];
        exchange->request.match.id_length = strlen(ids[i]);
        EXPECT(!request_run_id(exchange, &id));
        EXPECT_INT(exchange->reply.status, 404);
        exchange_end(exchange);
    }
}

static void another_type_than_the_accepted_ones_gets_406(void)
{
    struct exchange *exchange = exchange_for("/");

    exchange->request.headers.accept = "text/*;q=0.5";
    EXPECT(request_accepts(exchange, "text/csv"));
    EXPECT_INT(exchange->reply.status, 0);
    EXPECT(!request_accepts(exchange, "application/json"));
    EXPECT_INT(exchange->reply.status, 406);
    exchange_end(exchange);
}

/* The seconds to wait, or -1 where the request is refused. */
static long long wait_of(const char *target, const char *header)
{
    struct exchange *exchange = exchange_for(target);
    struct error err = {0};
    long long seconds = -1;

    snprintf(prefer, sizeof prefer, "%s", header);
    exchange->request.headers.prefer = *header ? prefer : NULL;
    if (!request_wait(exchange, &seconds, &err)) {
        EXPECT_STR(err.field, "wait");
        seconds = -1;
    }
    exchange_end(exchange);
    return seconds;
}

static void the_query_wins_over_the_prefer_header(void)
{
    EXPECT_INT(wait_of("/", ""), 0);
    EXPECT_INT(wait_of("/", "wait=5"), 5);
    EXPECT_INT(wait_of("/", "wait=3601"), 3600);
    EXPECT_INT(wait_of("/?wait=7", "wait=5"), 7);
    EXPECT_INT(wait_of("/?wait=0", "wait=5"), 0);
    EXPECT_INT(wait_of("/?wait=3600", ""), 3600);
    EXPECT_INT(wait_of("/?wait=3601", ""), -1);
    EXPECT_INT(wait_of("/?wait=-1", "wait=5"), -1);
    EXPECT_INT(wait_of("/?wait=soon", ""), -1);
}

static void an_unknown_parameter_gets_400(void)
{
    static const char *const allowed[] = {"limit", NULL};
    struct exchange *exchange = exchange_for("/?limit=5");

    EXPECT(request_allows(exchange, allowed));
    EXPECT_INT(exchange->reply.status, 0);
    exchange_end(exchange);
    exchange = exchange_for("/?limit=5&limits=6");
    EXPECT(!request_allows(exchange, allowed));
    EXPECT_INT(exchange->reply.status, 400);
    exchange_end(exchange);
}

static void conditions_on_runs_are_read(void)
{
    static struct query query;
    char keys[RUN_FILTER_LABELS][LABEL_KEY_MAX + 1];
    struct run_filter filter = {0};
    struct error err = {0};

    EXPECT(query_read("/?engine=native&workload=mlp&instance_type=a&sender=b&provenance=imported"
                      "&precision=bf16&validity=warn&since=2026-01-02&until=2026-01-02T01:00:00Z"
                      "&label=a:b",
                      &query, &err));
    EXPECT(request_run_filter(&query, keys, &filter, &err));
    EXPECT_STR(filter.engine, "native");
    EXPECT_STR(filter.workload, "mlp");
    EXPECT_STR(filter.instance, "a");
    EXPECT_STR(filter.sender, "b");
    EXPECT_STR(filter.provenance, "imported");
    EXPECT_STR(filter.precision, "bf16");
    EXPECT_STR(filter.validity, "warn");
    EXPECT_INT(filter.since_us, 1767312000000000LL);
    EXPECT_INT(filter.until_us - filter.since_us, 3600000000LL);
    EXPECT_INT(filter.label_count, 1);
    EXPECT(query_read("/", &query, &err));
    EXPECT(request_run_filter(&query, keys, &filter, &err));
    EXPECT(!filter.provenance && !filter.precision && !filter.validity);
    EXPECT(filter.since_us == 0 && filter.until_us == 0);
}

static void a_wrong_condition_says_what_is_allowed(void)
{
    static const struct {
        const char *target, *field, *choice; /* a choice that is offered instead; or NULL */
    } cases[] = {
        {"/?provenance=rumour", "provenance", "imported"},
        {"/?precision=f8", "precision", "bf16"},
        {"/?precision=", "precision", "bf16"},
        {"/?validity=good", "validity", "warn"},
        {"/?since=yesterday", "since", NULL},
        {"/?since=", "since", NULL},
        {"/?until=2026-13-01", "until", NULL},
        {"/?since=2026-01-02&until=2026-01-02", "until", NULL},
        {"/?since=2026-01-03&until=2026-01-02", "until", NULL},
        {"/?label=x", "label", NULL},
    };
    static struct query query;
    char keys[RUN_FILTER_LABELS][LABEL_KEY_MAX + 1];
    struct run_filter filter = {.limit = 7};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = {0};
        bool offered = false;

        EXPECT(query_read(cases[i].target, &query, &err));
        EXPECT(!request_run_filter(&query, keys, &filter, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT_STR(err.field, cases[i].field);
        for (const char *const *choice = err.allowed.choices; choice && *choice; choice++)
            offered |= cases[i].choice && strcmp(*choice, cases[i].choice) == 0;
        EXPECT_INT(offered, cases[i].choice != NULL);
    }
    EXPECT_INT(filter.limit, 7); /* nothing was written */
}

static void only_an_object_is_a_body_and_a_refusal_says_where(void)
{
    static const struct {
        const char *body, *refused;
    } bodies[] = {
        {"{}", ""},
        {"{\"a\":1}", ""},
        {"", "the body must be a JSON object: it is empty"},
        {" \n", "the body must be a JSON object: it is empty"},
        {"[]", "the body must be a JSON object"},
        {"null", "the body must be a JSON object: line 1, column 4: '[' or '{' expected near "
                 "'null'"},
        {"{\"a\":1,\n\"a\":2}",
         "the body must be a JSON object: line 2, column 3: duplicate object key near '\"a\"'"},
        {"{\"a\":12345678901234567890}",
         "the body must be a JSON object: line 1, column 25: too big integer near "
         "'12345678901234567890'"},
        {"{} {}",
         "the body must be a JSON object: line 1, column 4: end of file expected near '{'"},
        {"{\x1b}",
         "the body must be a JSON object: line 1, column 2: string or '}' expected near "
         "'?'"}};

    for (size_t i = 0; i < COUNT(bodies); i++) {
        struct exchange *exchange = exchange_for("/");
        struct error err = {0};

        exchange->request.body.limit = 100;
        EXPECT(bytes_add(&exchange->request.body, bodies[i].body, strlen(bodies[i].body)));

        AUTO(json_decrefp) json_t *json = request_json(exchange, &err);
        EXPECT_INT(json != NULL, !bodies[i].refused[0]);
        EXPECT_STR(err.message, bodies[i].refused);
        exchange_end(exchange);
    }
}

int main(void)
{
    RUN(only_the_id_of_a_run_is_accepted_in_a_path);
    RUN(another_type_than_the_accepted_ones_gets_406);
    RUN(the_query_wins_over_the_prefer_header);
    RUN(an_unknown_parameter_gets_400);
    RUN(conditions_on_runs_are_read);
    RUN(a_wrong_condition_says_what_is_allowed);
    RUN(only_an_object_is_a_body_and_a_refusal_says_where);
    return test_result();
}
