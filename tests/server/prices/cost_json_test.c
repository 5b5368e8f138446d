#include "server/prices/cost_json.h"

#include "common/cleanup.h"
#include "tests/test.h"

#define PRICE "\"price\":{\"price_per_hour\":2,\"currency\":\"USD\"}"
#define REST                                                                                     \
    ",\"why_no_price\":null,\"samples_per_dollar\":null,"                                        \
    "\"dollars_per_million_samples\":null,\"hours_per_million_samples\":null"

static void expect_read(const char *text, double per_hour)
{
    AUTO(json_decrefp) json_t *json = NULL;
    struct paid_price paid = {.per_hour = -1};
    struct error err = {0};

    EXPECT(run_cost_read(text, &json, &paid, &err));
    EXPECT_STR(err.message, "");
    EXPECT(json_is_object(json));
    EXPECT_NEAR(paid.per_hour, per_hour, 0);
}

static void expect_refused(const char *text, const char *field, const char *message)
{
    json_t *json = NULL;
    struct paid_price paid;
    struct error err = {0};

    EXPECT(!run_cost_read(text, &json, &paid, &err));
    EXPECT_INT(err.kind, ERROR_INVALID);
    EXPECT_STR(err.field, field);
    EXPECT_STR(err.message, message);
    EXPECT(json == NULL);
}

static void what_is_written_can_be_read(void)
{
    const struct amount speed = {.value = 100};
    struct run_cost cost = {.price = {.why_not = "not known here"}};
    AUTO(freep) char *text = run_cost_to_text(&cost, &speed);

    EXPECT(text != NULL);
    expect_read(text ? text : "", 0);
}

static void a_price_of_the_sender_is_read(void)
{
    expect_read("{\"identity\":{}," PRICE REST "}", 2);
}

static void the_member_that_is_wrong_is_named(void)
{
    expect_refused("{\"identity\":{}," PRICE REST ",\"tip\":1}", "cost",
                   "has an unknown member 'tip'");
    expect_refused("{\"identity\":{}," PRICE "}", "cost", "lacks 'why_no_price'");
    expect_refused("{" PRICE REST "}", "cost", "lacks 'identity'");
    expect_refused("{\"identity\":1," PRICE REST "}", "cost.identity", "must be an object");
    expect_refused("{\"identity\":{},\"price\":{\"price_per_hour\":0}" REST "}", "cost.price",
                   "must be null, or have a price_per_hour above 0");
}

int main(void)
{
    RUN(what_is_written_can_be_read);
    RUN(a_price_of_the_sender_is_read);
    RUN(the_member_that_is_wrong_is_named);
    return test_result();
}
