#include "server/prices/cost_json.h"

#include "common/limits.h"
#include "common/memory.h"
#include "tests/test.h"

#define PRICE "\"price\":{\"price_per_hour\":2,\"currency\":\"USD\"}"
#define REST                                                                                     \
    ",\"why_no_price\":null,\"samples_per_dollar\":null,"                                        \
    "\"dollars_per_million_samples\":null,\"hours_per_million_samples\":null"

static void expect_read(const char *text, double per_hour)
{
    AUTO(json_decrefp) json_t *json = NULL;
    struct paid_price paid = {.per_hour = -1};

    EXPECT_OK(run_cost_read(text, &json, &paid, &err));
    EXPECT(json_is_object(json));
    EXPECT_NEAR(paid.per_hour, per_hour, 0);
}

static void expect_refused(const char *text, const char *field, const char *message)
{
    json_t *json = NULL;
    struct paid_price paid;

    EXPECT_WRONG(run_cost_read(text, &json, &paid, &err), field, message);
    EXPECT(json == NULL);
}

TEST(what_is_written_can_be_read)
{
    const struct amount speed = {.value = 100};
    struct run_cost cost = {.price = {.why_not = "not known here"}};
    AUTO(freep) char *text = run_cost_to_text(&cost, &speed);

    EXPECT(text != NULL);
    expect_read(text ? text : "", 0);
}

/* 0.1 dollars an hour at the start, 0.15 on average. */
TEST(a_price_that_moved_counts_by_its_mean)
{
    const struct amount speed = {.value = 1};
    struct run_cost cost = {.price = {.known = true,
                                      .factor = 1,
                                      .dollars = 0.1,
                                      .at = {.price = {.kind = PRICE_SPOT,
                                                       .currency = "USD",
                                                       .nanos = 100000000,
                                                       .text = "0.1"}}},
                            .over = {.known = true, .mean = 0.15, .low = 0.1, .high = 0.2}};
    AUTO(freep) char *text = run_cost_to_text(&cost, &speed);

    EXPECT(text &&
           strstr(text, "\"over_run\":{\"price_per_hour\":0.15,\"low\":0.1,\"high\":0.2}"));
    EXPECT(text && strstr(text, "\"samples_per_dollar\":{\"value\":24000,"));
    expect_read(text ? text : "", 0.15);
    EXPECT_NEAR(run_cost_paid(&cost).per_hour, 0.15, 0);
    expect_refused("{\"identity\":{}," PRICE REST ",\"over_run\":{\"price_per_hour\":0}}",
                   "cost.over_run",
                   "must have a price_per_hour above 0, and price must not be null");
    expect_refused("{\"identity\":{},\"price\":null" REST ",\"over_run\":{\"price_per_hour\":1}}",
                   "cost.over_run",
                   "must have a price_per_hour above 0, and price must not be null");
}

TEST(a_price_of_the_sender_is_read)
{
    expect_read("{\"identity\":{}," PRICE REST "}", 2);
}

TEST(the_member_that_is_wrong_is_named)
{
    expect_refused("{\"identity\":{}," PRICE REST ",\"tip\":1}", "cost",
                   "has an unknown member 'tip'");
    expect_refused("{\"identity\":{}," PRICE "}", "cost", "lacks 'why_no_price'");
    expect_refused("{" PRICE REST "}", "cost", "lacks 'identity'");
    expect_refused("{\"identity\":1," PRICE REST "}", "cost.identity", "must be an object");
    expect_refused("{\"identity\":{},\"price\":{\"price_per_hour\":0}" REST "}", "cost.price",
                   "must be null, or have a price_per_hour above 0");
}

#define STORED                                                                                   \
    "{\"identity\":{}," PRICE ",\"why_no_price\":null,\"samples_per_dollar\":"                   \
    "{\"value\":0.10,\"low\":null,\"high\":null},\"dollars_per_million_samples\":null,"          \
    "\"hours_per_million_samples\":null}"

/* Half an hour at 0.5 dollars an hour, in which 10 samples a second were trained. */
static struct run paid_run(void)
{
    return (struct run){.state = RUN_FINISHED,
                        .started_us = 1700000000000000LL,
                        .ended_us = 1700001800000000LL,
                        .validity = VALIDITY_OK,
                        .summary = {.samples_per_second = 10, .throughput = {true, 9, 12}},
                        .paid = {.per_hour = 0.5,
                                 .currency = "USD",
                                 .kind = "spot",
                                 .feed = "some feed",
                                 .fetched_us = 1699999999000000LL}};
}

static char *presented(const struct run *run)
{
    struct bytes text = {.limit = 4096};
    struct json_writer out = {.bytes = &text};

    jsonw_open(&out, NULL, '{');
    present_run_cost(&out, "cost", run);
    jsonw_close(&out, '}');
    EXPECT(!out.failed);
    return text.data;
}

/* The amounts follow from the price and the steps, whatever was stored with it. */
TEST(the_price_is_answered_as_it_is_stored)
{
    static char stored[] = STORED;
    struct run run = paid_run();

    run.price = stored;
    AUTO(freep) char *text = presented(&run);
    EXPECT_STR(text,
               "{\"cost\":{\"identity\":{}," PRICE ",\"why_no_price\":null,\"over_run\":null,"
               "\"samples_per_dollar\":{\"value\":72000,\"low\":64800,\"high\":86400},"
               "\"dollars_per_million_samples\":{\"value\":13.88888888888889,"
               "\"low\":11.574074074074074,\"high\":15.432098765432098},"
               "\"hours_per_million_samples\":{\"value\":27.77777777777778,"
               "\"low\":23.14814814814815,\"high\":30.864197530864196},"
               "\"why_not_ranked\":null}}");
}

/* A name inside a note is no member. */
TEST(a_price_that_moved_is_found_by_its_name)
{
    static char stored[] = "{\"identity\":{\"note\":\"\\\"over_run\\\":1\"}," PRICE REST
                           ",\"over_run\":{\"price_per_hour\":3}}";
    struct run run = paid_run();

    run.price = stored;
    AUTO(freep) char *text = presented(&run);
    AUTO(json_decrefp) json_t *json = json_loads(text, 0, NULL);
    const json_t *over = json_object_get(json_object_get(json, "cost"), "over_run");
    EXPECT_NEAR(json_number_value(json_object_get(over, "price_per_hour")), 3, 0);
}

#define LARGE_NOTE (DOCUMENT_MEMBER_MAX - 1000)
#define LARGE_COST "{\"identity\":{\"note\":\"%0*d\"}," PRICE REST "}"

/* An import takes members of DOCUMENT_MEMBER_MAX bytes. */
TEST(a_large_identity_of_the_sender_stays)
{
    const struct machine_price price = {.why_not = "not known here"};
    AUTO(bytes_free) struct bytes text = {.limit = DOCUMENT_MEMBER_MAX * 2};
    struct json_writer out = {.bytes = &text};
    struct run run = paid_run();
    AUTO(freep) char *cost = xasprintf(LARGE_COST, LARGE_NOTE, 0);
    AUTO(freep) char *renewed = run_cost_renew(cost, &price, 1, NULL);

    run.price = cost;
    present_run_cost(&out, NULL, &run);
    EXPECT(!out.failed && strncmp(text.data, cost, LARGE_NOTE) == 0);
    EXPECT(renewed && strncmp(renewed, cost, LARGE_NOTE) == 0);
    expect_read(renewed ? renewed : "", 0);
}

static const json_t *amount_of(const json_t *json, size_t i)
{
    return json_object_get(json_object_get(json, "cost"), cost_amount_name(i));
}

TEST(a_run_that_may_not_be_ranked_has_points)
{
    static char stored[] = STORED;
    struct run run = paid_run();

    run.price = stored;
    run.validity = VALIDITY_INVALID;
    AUTO(freep) char *text = presented(&run);
    AUTO(json_decrefp) json_t *json = json_loads(text, 0, NULL);
    EXPECT_NEAR(json_number_value(json_object_get(amount_of(json, 0), "value")), 72000, 1e-9);
    EXPECT(json_is_null(json_object_get(amount_of(json, 0), "low")));
    EXPECT_STR(
        json_string_value(json_object_get(json_object_get(json, "cost"), "why_not_ranked")),
        "the run is invalid: validity.findings says why");
    run.state = RUN_FAILED;
    AUTO(freep) char *none = presented(&run);
    AUTO(json_decrefp) json_t *failed = json_loads(none, 0, NULL);
    for (size_t i = 0; i < COST_AMOUNTS; i++)
        EXPECT(json_is_null(amount_of(failed, i)));
    EXPECT_PART(none, "the run did not finish");
}

static void expect_head(const struct run *run, const char *wanted)
{
    AUTO(bytes_free) struct bytes text = {.limit = 2000};
    struct json_writer out = {.bytes = &text};

    jsonw_open(&out, NULL, '{');
    present_run_cost_head(&out, "cost", run);
    jsonw_close(&out, '}');
    EXPECT(!out.failed);
    EXPECT_STR(text.data, wanted);
}

#define HEAD                                                                                     \
    "{\"cost\":{\"price_per_hour\":0.5,\"kind\":\"spot\",\"feed\":\"some feed\","                \
    "\"fetched_at\":\"2023-11-14T22:13:19.000Z\","

TEST(the_head_is_what_a_list_can_know)
{
    struct run run = paid_run();

    expect_head(&run,
                HEAD "\"dollars\":0.25,"
                     "\"samples_per_dollar\":{\"value\":72000,\"low\":64800,\"high\":86400},"
                     "\"dollars_per_million_samples\":{\"value\":13.88888888888889,"
                     "\"low\":11.574074074074074,\"high\":15.432098765432098},"
                     "\"hours_per_million_samples\":{\"value\":27.77777777777778,"
                     "\"low\":23.14814814814815,\"high\":30.864197530864196}}}");
}

TEST(an_invalid_run_has_points_and_an_unfinished_one_only_its_own_dollars)
{
    static const char only[] = HEAD "\"dollars\":0.25,\"samples_per_dollar\":null,"
                                    "\"dollars_per_million_samples\":null,"
                                    "\"hours_per_million_samples\":null}}";
    struct run run = paid_run();

    run.validity = VALIDITY_INVALID;
    expect_head(&run, HEAD "\"dollars\":0.25,"
                           "\"samples_per_dollar\":{\"value\":72000,\"low\":null,\"high\":null},"
                           "\"dollars_per_million_samples\":{\"value\":13.88888888888889,"
                           "\"low\":null,\"high\":null},\"hours_per_million_samples\":"
                           "{\"value\":27.77777777777778,\"low\":null,\"high\":null}}}");
    run = paid_run();
    run.state = RUN_FAILED;
    run.summary = (struct summary){0};
    expect_head(&run, only);
    run.started_us = 0; /* of some imported runs */
    expect_head(&run, HEAD "\"dollars\":null,\"samples_per_dollar\":null,"
                           "\"dollars_per_million_samples\":null,"
                           "\"hours_per_million_samples\":null}}");
}

TEST(without_a_price_in_dollars_there_is_no_head)
{
    struct run run = paid_run();

    run.paid.per_hour = 0;
    expect_head(&run, "{\"cost\":null}");
    run = paid_run();
    snprintf(run.paid.currency, sizeof run.paid.currency, "EUR");
    expect_head(&run, "{\"cost\":null}");
}
