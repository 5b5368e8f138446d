#include "server/http/exchange.h"

#include "common/cleanup.h"
#include "server/http/server.h"
#include "tests/test.h"

/* The hash of "abc". */
#define OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define MIB (1024 * 1024)

/* What a request meets before its handler. */
struct stage {
    struct config config;
    struct server server;
    struct large_body_slots room;
    struct route route;
    struct exchange exchange;
};

static void stage_clear(struct stage **stage)
{
    bytes_free(&(*stage)->exchange.request.body);
    bytes_free(&(*stage)->exchange.reply.body);
    freep(&(*stage)->exchange.request.parameters);
    token_store_free((*stage)->server.token_store);
    unlink((*stage)->config.tokens);
    free(*stage);
}

/* A server that knows one token. */
static struct stage *set(const char *scopes_and_limits)
{
    struct stage *stage = calloc(1, sizeof *stage);
    FILE *out;
    char scopes[32], limits[64] = "";

    EXPECT(sscanf(scopes_and_limits, "%31s %63s", scopes, limits) >= 1);
    snprintf(stage->config.tokens, sizeof stage->config.tokens, "/tmp/pennyworth-XXXXXX");
    out = fdopen(mkstemp(stage->config.tokens), "w");
    EXPECT(out && fprintf(out, "c1 %s sha256:" OF_ABC " %s\n", scopes, limits) > 0);
    if (out)
        fclose(out);
    stage->server.config = &stage->config;
    stage->server.large_body_slots = &stage->room;
    stage->server.token_store = token_store_new(&stage->config, NULL);
    EXPECT(stage->server.token_store != NULL);
    return stage;
}

static void handle(struct exchange *exchange)
{
    exchange->reply.status = 299;
}

/* With no length, in chunks. */
static void begin(struct stage *stage, const char *method, const char *path, const char *length)
{
    struct exchange *exchange = &stage->exchange;

    bytes_free(&exchange->request.body);
    bytes_free(&exchange->reply.body);
    freep(&exchange->request.parameters);
    memset(exchange, 0, offsetof(struct exchange, request.target));
    exchange->server = &stage->server;
    exchange->request.method = method;
    exchange->request.headers = (struct request_headers){.authorization = "Bearer abc",
                                                         .content_type = "application/x-ndjson",
                                                         .content_length = length,
                                                         .chunked = !length};
    snprintf(exchange->request.target, sizeof exchange->request.target, "%s", path);
    exchange_admit(exchange);
}

/* Has the request answered by this handler. */
static void take_over(struct stage *stage, void (*handler)(struct exchange *exchange))
{
    stage->route = *stage->exchange.request.match.route;
    stage->route.handler = handler;
    stage->exchange.request.match.route = &stage->route;
}

/* The status it ends with: 299 where it came to its handler. */
static int end(struct stage *stage, size_t bytes)
{
    static const char blanks[MIB] = {' '};
    struct exchange *exchange = &stage->exchange;

    for (size_t piece; bytes > 0; bytes -= piece) {
        piece = bytes < sizeof blanks ? bytes : sizeof blanks;
        exchange_take_body(exchange, blanks, piece);
    }
    if (exchange->request.match.route)
        take_over(stage, handle);
    if (exchange->reply.status == 0)
        exchange_answer(exchange);
    return exchange->reply.status;
}

static bool is_for_bytes(const struct stage *stage)
{
    const char *text = stage->exchange.reply.body.data;

    return text && strstr(text, "\"field\":\"mib_per_hour\"") != NULL;
}

TEST(a_large_body_takes_room_until_it_is_answered)
{
    AUTO(stage_clear) struct stage *stage = set("import");

    begin(stage, "POST", "/v1/runs/import", "2097152");
    EXPECT_INT(stage->room.taken, 1);
    EXPECT_INT(end(stage, 2 * MIB), 299);
    EXPECT_INT(stage->room.taken, 0);
}

TEST(a_body_refused_for_its_size_takes_no_slot)
{
    AUTO(stage_clear) struct stage *stage = set("import mib_per_hour=1");

    begin(stage, "POST", "/v1/runs/import", "2097152");
    EXPECT_INT(stage->exchange.reply.status, 429);
    EXPECT_INT(stage->room.taken, 0);
    EXPECT_INT(end(stage, 2 * MIB), 429);
    EXPECT_INT((long long)stage->exchange.request.body.used, 0);
    begin(stage, "POST", "/v1/runs/import", "1048576");
    EXPECT_INT(end(stage, MIB), 299);
    begin(stage, "POST", "/v1/runs/import", "1048576");
    EXPECT_INT(stage->exchange.reply.status, 429);
    EXPECT_INT(stage->room.taken, 0);
}

TEST(a_body_in_chunks_that_is_too_large_is_paid_for)
{
    AUTO(stage_clear) struct stage *stage = set("import mib_per_hour=40");

    for (int i = 0; i < 2; i++) {
        begin(stage, "POST", "/v1/runs/import", NULL);
        EXPECT_INT(end(stage, 17 * MIB), 413);
    }
    begin(stage, "POST", "/v1/runs/import", NULL);
    EXPECT_INT(end(stage, 17 * MIB), 429);
    EXPECT(is_for_bytes(stage));
    begin(stage, "POST", "/v1/runs/import", NULL);
    EXPECT_INT(end(stage, 5 * MIB), 299); /* what is refused for a limit costs nothing */
    EXPECT_INT(stage->room.taken, 0);
}

TEST(a_body_where_none_is_wanted_is_paid_for)
{
    AUTO(stage_clear) struct stage *stage = set("read mib_per_hour=1");

    for (int i = 0; i < 16; i++) {
        begin(stage, "GET", "/v1/runs", i % 2 == 0 ? "65536" : NULL);
        EXPECT_INT(end(stage, 65536), 299);
    }
    begin(stage, "GET", "/v1/runs", "65536");
    EXPECT_INT(end(stage, 65536), 429);
    EXPECT(is_for_bytes(stage));
    begin(stage, "GET", "/v1/runs", NULL);
    EXPECT_INT(end(stage, 65536), 429);
    EXPECT(is_for_bytes(stage));
    begin(stage, "GET", "/v1/runs", "0");
    EXPECT_INT(end(stage, 0), 299);
}

/* The answer is made in several calls: the body is one. */
static void sleep_and_wake(struct exchange *exchange)
{
    exchange->hold.go_on = handle;
    exchange->hold.waits = true;
}

TEST(a_body_whose_answer_is_held_is_paid_for_once)
{
    AUTO(stage_clear) struct stage *stage = set("import mib_per_hour=1");

    for (int i = 0; i < 2; i++) {
        begin(stage, "POST", "/v1/runs/import", NULL);
        exchange_take_body(&stage->exchange, "0123456789", 10);
        stage->exchange.request.received = MIB / 2;
        take_over(stage, sleep_and_wake);
        exchange_answer(&stage->exchange);
        EXPECT(stage->exchange.hold.waits);
        exchange_answer(&stage->exchange);
        EXPECT_INT(stage->exchange.reply.status, 299);
    }
}

TEST(a_large_body_stays_while_its_answer_is_held)
{
    AUTO(stage_clear) struct stage *stage = set("import");

    begin(stage, "POST", "/v1/runs/import", "2097152");
    take_over(stage, sleep_and_wake);
    exchange_take_body(&stage->exchange, "0123456789", 10);
    exchange_answer(&stage->exchange);
    EXPECT_INT(stage->room.taken, 1);
    EXPECT_INT((long long)stage->exchange.request.body.used, 10);
    exchange_answer(&stage->exchange);
    EXPECT_INT(stage->room.taken, 0);
}

TEST(a_client_asked_to_come_back_is_read_to_the_end)
{
    AUTO(stage_clear) struct stage *stage = set("import");

    stage->room.taken = LARGE_BODIES_MAX;
    begin(stage, "POST", "/v1/runs/import", "2097152");
    EXPECT_INT(stage->exchange.reply.status, 503);
    EXPECT(!exchange_answers_early(&stage->exchange));
    stage->exchange.request.headers.expects = true;
    EXPECT(exchange_answers_early(&stage->exchange));
    EXPECT_INT(end(stage, 2 * MIB), 503);
    EXPECT_INT((long long)stage->exchange.request.body.used, 0);
}
