#include "server/http/request.h"

#include "tests/test.h"

#define RUN_ID "01ARZ3NDEKTSV4RRFFQ69G5FAV"

static char prefer[100];

/* An exchange whose request has this target. exchange_end() frees its reply. */
static struct exchange *exchange_for(const char *target)
{
    struct exchange *exchange = calloc(1, sizeof *exchange);

    if (!exchange)
        abort();
    EXPECT_OK(query_read(target, &exchange->request.query, &err));
    return exchange;
}

static void exchange_end(struct exchange *exchange)
{
    bytes_free(&exchange->reply.body);
    bytes_free(&exchange->request.body);
    free(exchange);
}

/* A request to this route, with this end of its path. The caller frees the reply. */
static struct exchange *exchange_with_id(const struct route *route, const char *id)
{
    struct exchange *exchange = exchange_for("/");

    exchange->reply.body.limit = REPLY_MAX;
    exchange->request.match =
        (struct router_match){.route = route, .id = id, .id_length = strcspn(id, "/")};
    return exchange;
}

TEST(only_the_id_of_a_run_or_sweep_is_accepted_in_its_path)
{
    static const char *const wrong[] = {"x", RUN_ID "0", "01ARZ3NDEKTSV4RRFFQ69G5FAI",
                                        "01arz3ndektsv4rrffq69g5fav"};
    static const struct {
        const struct route route;
        const char *refusal;
    } paths[] = {{{.pattern = "/v1/runs/{id}"}, "there is no run x"},
                 {{.pattern = "/v1/runs/{id}/steps"}, "there is no run x"},
                 {{.pattern = "/v1/sweeps/{id}"}, "there is no sweep x"}};

    for (size_t i = 0; i < COUNT(paths); i++) {
        struct exchange *exchange = exchange_with_id(&paths[i].route, RUN_ID "/steps");

        EXPECT(request_read_id(exchange));
        EXPECT_STR(exchange->request.id.text, RUN_ID);
        EXPECT_INT(exchange->reply.status, 0);
        exchange_end(exchange);
        for (size_t k = 0; k < COUNT(wrong); k++) {
            exchange = exchange_with_id(&paths[i].route, wrong[k]);
            EXPECT(!request_read_id(exchange));
            EXPECT_INT(exchange->reply.status, 404);
            EXPECT(k > 0 || strstr(exchange->reply.body.data, paths[i].refusal));
            exchange_end(exchange);
        }
    }
}

TEST(other_paths_name_what_they_like)
{
    const struct route price = {.pattern = "/v1/prices/{id}/withdraw"};
    struct exchange *exchange = exchange_with_id(&price, "x/withdraw");

    EXPECT(request_read_id(exchange));
    EXPECT_STR(exchange->request.id.text, "");
    exchange_end(exchange);
}

TEST(another_type_than_the_accepted_ones_gets_406)
{
    struct exchange *exchange = exchange_for("/");

    exchange->request.headers.accept = "text/*;q=0.5";
    EXPECT(request_accepts(exchange, "text/csv"));
    EXPECT_INT(exchange->reply.status, 0);
    EXPECT(!request_accepts(exchange, "application/json"));
    EXPECT_INT(exchange->reply.status, 406);
    exchange_end(exchange);
}

static long long wait_of(const char *target, const char *header, long long given)
{
    struct exchange *exchange = exchange_for(target);

    snprintf(prefer, sizeof prefer, "%s", header);
    exchange->request.headers.prefer = *header ? prefer : NULL;
    long long seconds = request_wait(exchange, given);
    exchange_end(exchange);
    return seconds;
}

TEST(the_query_wins_over_the_prefer_header)
{
    EXPECT_INT(wait_of("/", "", 0), 0);
    EXPECT_INT(wait_of("/", "wait=5", 0), 5);
    EXPECT_INT(wait_of("/", "wait=3601", 0), 3600);
    EXPECT_INT(wait_of("/?wait=7", "wait=5", 7), 7);
    EXPECT_INT(wait_of("/?wait=0", "wait=5", 0), 0);
}

TEST(only_an_object_is_a_body_and_a_refusal_says_where)
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
