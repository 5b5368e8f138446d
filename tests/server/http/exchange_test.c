#include "server/http/exchange.h"

#include "tests/server/http/stage.h"

#define MIB (1024 * 1024)

static void handle(struct exchange *exchange)
{
    exchange->reply.status = 299;
}

/* With no length, in chunks. */
static void begin(struct stage *stage, const char *method, const char *path, const char *length)
{
    struct exchange *exchange = stage_renew(stage);

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

/* The status it ends with: 299 where it reached its handler. */
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

TEST_ON_STAGE(a_large_body_takes_room_until_it_is_answered, "c1 import " OF_ABC)
{
    begin(stage, "POST", "/v1/runs/import", "2097152");
    EXPECT_INT(stage->room.taken, 1);
    EXPECT_INT(end(stage, 2 * MIB), 299);
    EXPECT_INT(stage->room.taken, 0);
}

TEST_ON_STAGE(a_body_refused_for_its_size_takes_no_slot, "c1 import " OF_ABC " mib_per_hour=1")
{
    begin(stage, "POST", "/v1/runs/import", "2097152");
    EXPECT_HAS(*stage, (exchange.reply.status, 429), (room.taken, 0));
    EXPECT_INT(end(stage, 2 * MIB), 429);
    EXPECT_INT((long long)stage->exchange.request.body.used, 0);
    begin(stage, "POST", "/v1/runs/import", "1048576");
    EXPECT_INT(end(stage, MIB), 299);
    begin(stage, "POST", "/v1/runs/import", "1048576");
    EXPECT_HAS(*stage, (exchange.reply.status, 429), (room.taken, 0));
}

TEST_ON_STAGE(a_body_in_chunks_that_is_too_large_is_paid_for,
              "c1 import " OF_ABC " mib_per_hour=40")
{
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

TEST_ON_STAGE(a_body_where_none_is_wanted_is_paid_for, "c1 read " OF_ABC " mib_per_hour=1")
{
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

TEST_ON_STAGE(a_body_whose_answer_is_held_is_paid_for_once, "c1 import " OF_ABC " mib_per_hour=1")
{
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

TEST_ON_STAGE(a_large_body_stays_while_its_answer_is_held, "c1 import " OF_ABC)
{
    begin(stage, "POST", "/v1/runs/import", "2097152");
    take_over(stage, sleep_and_wake);
    exchange_take_body(&stage->exchange, "0123456789", 10);
    exchange_answer(&stage->exchange);
    EXPECT_HAS(*stage, (room.taken, 1), (exchange.request.body.used, 10));
    exchange_answer(&stage->exchange);
    EXPECT_INT(stage->room.taken, 0);
}

TEST_ON_STAGE(a_client_asked_to_come_back_is_read_to_the_end, "c1 import " OF_ABC)
{
    stage->room.taken = LARGE_BODIES_MAX;
    begin(stage, "POST", "/v1/runs/import", "2097152");
    EXPECT_INT(stage->exchange.reply.status, 503);
    EXPECT(!exchange_answers_early(&stage->exchange));
    stage->exchange.request.headers.expects = true;
    EXPECT(exchange_answers_early(&stage->exchange));
    EXPECT_INT(end(stage, 2 * MIB), 503);
    EXPECT_INT((long long)stage->exchange.request.body.used, 0);
}
