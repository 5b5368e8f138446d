/* Reading a scope with patience: what may pass is tried again, what is wrong is not, and a walk
 * that broke begins anew with nothing in hand. */
#include "tests/pricing/feeds/letters.h"

#include "common/clock.h"

#define HALF_SECOND (NS_PER_SECOND / 2)

/* A test of a world with these answers. */
#define TEST_REFRESH(name, ...)                                                                  \
    static void name(struct world *world);                                                       \
    TEST_FOUND(name, with_world(name, (struct world){.script = {__VA_ARGS__}}))                  \
    static void name(struct world *world)

static void with_world(void (*test)(struct world *world), struct world world)
{
    test(&world);
    world_end(&world);
}

TEST_REFRESH(one_good_page_is_the_whole_story, {.status = 200, .body = "ab"})
{
    EXPECT_INT(refresh(world), REFRESH_NEW);
    EXPECT_STR(world->err.message, "");
    EXPECT_INT(count(world), 2);
    EXPECT_HAS(*world, (paused, 0), (patience[0], 33), (trace.pages, 1), (trace.asked, 1),
               (trace.status, 200), (trace.bytes, 10), (trace.etag, "\"e\""),
               (trace.last_modified, "then"), (trace.last_modified_us, 7));
}

TEST_REFRESH(validators_of_one_page_of_several_are_not_kept, {.status = 200, .body = "a+"},
             {.status = 200, .body = "b"})
{
    EXPECT_INT(refresh(world), REFRESH_NEW);
    EXPECT_INT(count(world), 2);
    EXPECT_HAS(*world, (asked[1], "page 2"), (trace.pages, 2), (trace.bytes, 20),
               (trace.etag, ""), (trace.last_modified, ""));
}

TEST(temporary_errors_are_retried_after_growing_pauses)
{
    EACH(int, passing, 408, 429, 500, 502, 503, 504) {
        AUTO(world_end)
        struct world world = {.script = {{.status = passing},
                                         {.status = passing},
                                         {.broken = true},
                                         {.status = 200, .body = "a"}}};

        EXPECT_INT(refresh(&world), REFRESH_NEW);
        EXPECT_INT(count(&world), 1);
        EXPECT_INT(world.opened, 1); /* the same walk goes on */
        EXPECT_HAS(world, (asked[3], "page 1"), (trace.asked, 4), (trace.status, 200),
                   (paused, 3));
        for (int pause = 0; pause < 3; pause++) {
            EXPECT(world.pauses[pause] >= (HALF_SECOND << pause) / 2);
            EXPECT(world.pauses[pause] <= (HALF_SECOND << pause) * 3 / 2);
        }
    }
}

TEST(aws_throttles_with_a_400_and_a_word)
{
    AUTO(world_end)
    struct world throttled = {
        .script = {{.status = 400, .excerpt = "{\"__type\":\"ThrottlingException\"}"},
                   {.status = 200, .body = "a"}}};
    AUTO(world_end)
    struct world refused = {.script = {{.status = 400, .excerpt = "{\"__type\":\"Odd\"}"},
                                       {.status = 200, .body = "a"}}};

    EXPECT_INT(refresh(&throttled), REFRESH_NEW);
    EXPECT_INT(throttled.paused, 1);
    EXPECT_INT(refresh(&refused), REFRESH_FAILED);
    EXPECT_INT(refused.paused, 0);
}

TEST_REFRESH(four_attempts_are_all, {.status = 503}, {.status = 503}, {.status = 503},
             {.status = 502}, {.status = 200, .body = "a"})
{
    EXPECT_INT(refresh(world), REFRESH_FAILED);
    EXPECT_INT(world->answered, 4);
    EXPECT_INT(world->paused, 3); /* and none after the last */
    EXPECT_HAS(*world, (opened, 1), (err.kind, ERROR_UPSTREAM), (err.message, "it answered 502"),
               (trace.status, 502), (trace.asked, 4), (trace.pages, 0));
}

TEST_REFRESH(each_page_has_its_own_attempts, {.status = 503}, {.status = 503}, {.status = 503},
             {.status = 200, .body = "a+"}, {.status = 503}, {.status = 503}, {.status = 503},
             {.status = 200, .body = "b"})
{
    EXPECT_INT(refresh(world), REFRESH_NEW);
    EXPECT_INT(count(world), 2);
    EXPECT_INT(world->opened, 1);
}

TEST_REFRESH(retry_after_is_obeyed, {.status = 429, .retry_after = 100},
             {.status = 503, .retry_after = 120}, {.status = 200, .body = "a"})
{
    EXPECT_INT(refresh(world), REFRESH_NEW);
    EXPECT_HAS(*world, (paused, 2), (pauses[0], 100 * NS_PER_SECOND),
               (pauses[1], 120 * NS_PER_SECOND));
}

TEST(retry_after_an_hour_is_for_another_day)
{
    EACH(long long, long_wait, 121, 3600, 1LL << 62) {
        AUTO(world_end)
        struct world world = {
            .script = {{.status = 429, .retry_after = long_wait}, {.status = 200, .body = "a"}}};

        EXPECT_INT(refresh(&world), REFRESH_FAILED);
        EXPECT_HAS(world, (paused, 0), (answered, 1), (err.message, "it answered 429"));
    }
}

TEST(a_refusal_says_why_and_is_not_asked_again)
{
    static const struct {
        int status;
        const char *excerpt, *message;
    } rows[] = {
        {403, "{\"error\":{\"status\":\"PERMISSION_DENIED\",\"message\":\"no key\"}}",
         "it answered 403: PERMISSION_DENIED: no key"},
        {400, "{\"__type\":\"AccessDenied\",\"Message\":\"not you\"}",
         "it answered 400: AccessDenied: not you"},
        {403, "<E><Code>AuthFailure</Code><Message>no</Message></E>",
         "it answered 403: AuthFailure: no"},
        {404, "gone", "it answered 404"},
        {301, "", "it answered 301"},
        {204, "", "it answered 204"},
        {206, "", "it answered 206"},
        {401, "", "it answered 401"},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(world_end)
        struct world world = {.script = {{.status = rows[i].status, .excerpt = rows[i].excerpt},
                                         {.status = 200, .body = "a"}}};

        EXPECT_INT(refresh(&world), REFRESH_FAILED);
        EXPECT_HAS(world, (answered, 1), (paused, 0), (err.kind, ERROR_UPSTREAM),
                   (err.message, rows[i].message));
        EXPECT_INT(count(&world), 0);
    }
}

TEST_REFRESH(a_walk_broken_in_the_middle_begins_anew_with_nothing, {.status = 200, .body = "a+"},
             {.status = 200, .body = "bc", .broken = true, .began = true},
             {.status = 200, .body = "a+"}, {.status = 200, .body = "b"})
{
    EXPECT_INT(refresh(world), REFRESH_NEW);
    EXPECT_INT(count(world), 2); /* neither twins nor c */
    EXPECT_INT(price_batch_facts(world->reading.batch)->tally.ambiguous, 0);
    EXPECT(!world->full_at_open);
    EXPECT_HAS(*world, (opened, 2), (paused, 1), (asked[2], "page 1"), (trace.pages, 2),
               (trace.asked, 4));
}

TEST_REFRESH(three_walks_are_all, {.status = 200, .body = "a+"})
{
    for (int i = 1; i < ANSWERS_MAX; i++)
        world->script[i] = (struct answer){
            .status = 200, .body = i % 2 ? "b" : "a+", .broken = i % 2, .began = true};
    EXPECT_INT(refresh(world), REFRESH_FAILED);
    EXPECT_HAS(*world, (answered, 6), (opened, 3), (paused, 2));
    EXPECT_INT(count(world), 0);
    EXPECT_STR(world->err.message, "the line broke");
}

TEST_REFRESH(our_own_judgement_is_not_tried_again,
             {.status = 200, .body = "a", .broken = true, .began = true, .refused = true},
             {.status = 200, .body = "a"})
{
    EXPECT_INT(refresh(world), REFRESH_FAILED);
    EXPECT_HAS(*world, (answered, 1), (opened, 1));
    EXPECT_INT(count(world), 0); /* half a page is no reading */
}

TEST(a_page_that_cannot_be_read_fails_the_walk_and_a_busy_one_begins_it_anew)
{
    AUTO(world_end)
    struct world wrong = {.script = {{.status = 200, .body = "a"}},
                          .page_fails = ERROR_UPSTREAM,
                          .page_fails_times = 1,
                          .feels = "not this"};
    AUTO(world_end)
    struct world busy = {.script = {{.status = 200, .body = "x"}, {.status = 200, .body = "a"}},
                         .page_fails = ERROR_BUSY,
                         .page_fails_times = 1,
                         .feels = "it changed"};
    AUTO(world_end)
    struct world ever = {.page_fails = ERROR_BUSY, .page_fails_times = 9, .feels = "it changed"};

    EXPECT_INT(refresh(&wrong), REFRESH_FAILED);
    EXPECT_INT(wrong.answered, 1);
    EXPECT_INT(count(&wrong), 0);
    EXPECT_STR(wrong.err.message, "not this");
    EXPECT_INT(refresh(&busy), REFRESH_NEW);
    EXPECT_INT(busy.opened, 2);
    EXPECT_INT(count(&busy), 1);
    for (int i = 0; i < ANSWERS_MAX; i++)
        ever.script[i] = (struct answer){.status = 200, .body = "a"};
    EXPECT_INT(refresh(&ever), REFRESH_FAILED);
    EXPECT_INT(ever.opened, 3);
    EXPECT_INT(ever.err.kind, ERROR_UPSTREAM); /* no caller tries again at once */
    EXPECT_STR(ever.err.message, "it changed");
}

TEST(what_we_have_may_be_what_there_is)
{
    AUTO(world_end)
    struct world by_status = {.script = {{.status = 304}}, .reading = {.etag = "\"old\""}};
    AUTO(world_end) struct world by_page = {.script = {{.status = 200}}, .unchanged = true};

    EXPECT_INT(refresh(&by_status), REFRESH_UNCHANGED);
    EXPECT_HAS(by_status, (etags[0], "\"old\""), (trace.status, 304), (err.message, ""));
    EXPECT_INT(refresh(&by_page), REFRESH_UNCHANGED);
}

/* Otherwise stale prices would be marked fresh. */
TEST(an_unconditional_request_must_not_get_304)
{
    AUTO(world_end) struct world first = {.script = {{.status = 304}}};
    AUTO(world_end)
    struct world second = {.script = {{.status = 200, .body = "a+"}, {.status = 304}},
                           .reading = {.etag = "\"old\""}};

    EXPECT_INT(refresh(&first), REFRESH_FAILED);
    EXPECT_HAS(first, (err.kind, ERROR_UPSTREAM), (answered, 1),
               (err.message, "it answered 304 to a request without a condition"));
    EXPECT_INT(refresh(&second), REFRESH_FAILED);
    EXPECT_INT(count(&second), 0);
}

TEST(jitter_differs_by_seed_and_only_by_it)
{
    long long first[4];

    for (unsigned seed = 0; seed < 4; seed++) {
        AUTO(world_end)
        struct world world = {.script = {{.status = 503},
                                         {.status = 200, .body = "a"},
                                         {.status = 503},
                                         {.status = 200, .body = "a"}}};
        struct refresh_parts parts = parts_of(&world, seed * 1000003);

        EXPECT_INT(refresh_scope(&parts, &world.reading, &world.trace, NULL), REFRESH_NEW);
        EXPECT_INT(refresh_scope(&parts, &world.reading, &world.trace, NULL), REFRESH_NEW);
        EXPECT_INT(world.pauses[0], world.pauses[1]);
        first[seed] = world.pauses[0];
        for (unsigned other = 0; other < seed; other++)
            EXPECT(first[other] != first[seed]);
    }
}

TEST(the_caller_can_stop_a_refresh)
{
    AUTO(world_end)
    struct world page = {
        .script = {{.status = 503}, {.status = 503}, {.status = 200, .body = "a"}}, .stop_at = 2};
    AUTO(world_end)
    struct world walk = {.script = {{.status = 200, .body = "a", .broken = true, .began = true},
                                    {.status = 200, .body = "a"}},
                         .stop_at = 1};

    EXPECT_INT(refresh(&page), REFRESH_FAILED);
    EXPECT_INT(page.answered, 2);
    EXPECT_INT(refresh(&walk), REFRESH_FAILED);
    EXPECT_INT(walk.answered, 1);
    EXPECT_INT(count(&walk), 0);
}

static bool no_end(void *user, const struct fetch_request *request, fetch_take_fn *take_bytes,
                   void *taker, struct fetch_response *ret_response, struct error *err)
{
    (void)user;
    (void)request;
    *ret_response = (struct fetch_response){.status = 200, .retry_after_seconds = -1};
    return take_bytes(taker, "+", 1, err) == TAKE_MORE;
}

TEST(a_thousand_pages_are_too_many)
{
    AUTO(world_end) struct world world = {.asked = {""}};
    struct refresh_parts parts = parts_of(&world, 0);

    parts.fetch = no_end;
    EXPECT_INT(refresh_scope(&parts, &world.reading, &world.trace, &world.err), REFRESH_FAILED);
    EXPECT_HAS(world, (trace.pages, REFRESH_PAGES_MAX),
               (err.message, "it has more than 1000 pages"), (opened, 1));
}

TEST(the_regions_of_a_feed_are_asked_for_as_patiently)
{
    AUTO(world_end) struct world good = {.script = {{.status = 503}, {.status = 200}}};
    AUTO(world_end) struct world bad = {.script = {{.status = 403}}};
    AUTO(world_end) struct world same = {.script = {{.status = 200}}, .unchanged = true};
    struct scopes scopes = {.count = 0};
    struct refresh_parts parts = parts_of(&good, 1);

    good.reading.scopes = &scopes;
    EXPECT(refresh_scopes(&parts, &good.reading, &good.err));
    EXPECT_INT(good.paused, 1);
    parts = parts_of(&bad, 1);
    scopes.count = 3; /* as if some had come before it broke */
    bad.reading.scopes = &scopes;
    EXPECT(!refresh_scopes(&parts, &bad.reading, &bad.err));
    EXPECT_STR(bad.err.message, "it answered 403");
    EXPECT_INT((long long)scopes.count, 0);
    parts = parts_of(&same, 1);
    EXPECT(!refresh_scopes(&parts, &same.reading, &same.err)); /* there is nothing we have */
    EXPECT_INT(same.err.kind, ERROR_UPSTREAM);
}
