#include "server/prices/cost_json.h"
#include "server/prices/price_json.h"

#include "tests/common/rows/written.h"

#define NOON_US 1700000000000000LL

static struct machine_price price_of(long long nanos, double factor)
{
    struct machine_price price = {.known = true,
                                  .factor = factor,
                                  .at = {.price = {.provider = "aws",
                                                   .kind = PRICE_SPOT,
                                                   .currency = "USD",
                                                   .nanos = nanos,
                                                   .text = "0.1",
                                                   .feed = "aws-spot",
                                                   .fetched_us = NOON_US}}};

    price.dollars = price_exact((double)nanos / 1e9 * factor);
    return price;
}

static struct paid_price read_again(const struct machine_price *price)
{
    const struct run_cost cost = {.price = *price, .at_us = NOON_US + 5};
    AUTO(freep) char *text = run_cost_to_text(&cost, NULL);
    AUTO(json_decrefp) json_t *json = text ? json_loads(text, 0, NULL) : NULL;

    EXPECT(json != NULL);
    return paid_price_read(json_object_get(json, "price"));
}

static void expect_paid(const struct paid_price *paid, const struct paid_price *wanted)
{
    EXPECT_SAME(*paid, *wanted, per_hour, nanos, currency, kind, feed, fetched_us);
}

TEST(a_written_price_is_read_back_unchanged)
{
    static const long long nanos[] = {1, 89234567, 357000000, 999999999999};
    static const double factors[] = {1, 0.7, 0.123456789};

    for (size_t i = 0; i < COUNT(nanos); i++)
        for (size_t k = 0; k < COUNT(factors); k++) {
            const struct machine_price price = price_of(nanos[i], factors[k]);
            const struct paid_price paid = paid_price_of(&price), again = read_again(&price);

            EXPECT_HAS(paid, (per_hour, price.dollars), (nanos, nanos[i]), (kind, "spot"),
                       (fetched_us, NOON_US));
            expect_paid(&again, &paid);
        }
}

TEST(a_later_look_at_the_feed_confirms_a_price)
{
    struct machine_price price = price_of(357000000, 1);

    price.at.price.fetched_us = NOON_US + 1000000;
    const struct paid_price paid = paid_price_of(&price), again = read_again(&price);
    EXPECT_INT(paid.fetched_us, NOON_US + 1000000);
    expect_paid(&again, &paid);
}

TEST(an_unknown_price_is_all_zero)
{
    const struct machine_price price = {.why_not = "there is none"};
    const struct paid_price none = {0}, paid = paid_price_of(&price), again = read_again(&price);

    expect_paid(&paid, &none);
    expect_paid(&again, &none);
}

/* A sender may write anything in place of a price. */
TEST(members_of_another_type_stay_unknown)
{
    AUTO(json_decrefp)
    json_t *json =
        json_pack("{s:f, s:s, s:i, s:[], s:s, s:i}", "price_per_hour", 0.36, "nanos_per_hour",
                  "many", "currency", 5, "kind", "fetched_at", "yesterday", "discount", 3);
    const struct paid_price paid = paid_price_read(json);

    EXPECT(json != NULL);
    expect_paid(&paid, &(struct paid_price){.per_hour = 0.36, .nanos = 360000000});
}

TEST(an_id_is_read_only_as_it_is_written)
{
    static const char *const wrong[] = {
        "",     "1",    "-",     "1-",   "-1",
        "01-2", "1-02", "1-2-3", "1-2 ", " 1-2",
        "+1-2", "1--",  "x-2",   "1-x",  "99999999999999999999-1"};
    const struct price_key key = {12, NOON_US};
    struct price_key again = {0};
    char id[PRICE_ID_SIZE];

    price_id_write(&key, id);
    EXPECT_STR(id, "12-1700000000000000");
    EXPECT(price_id_read(id, strlen(id), &again));
    EXPECT_HAS(again, (series, 12), (since_us, NOON_US));
    EXPECT(price_id_read("12-5/withdraw", 4, &again));
    EXPECT_INT(again.since_us, 5);
    for (size_t i = 0; i < COUNT(wrong); i++)
        if (price_id_read(wrong[i], strlen(wrong[i]), &again))
            EXPECT_STR(wrong[i], "an id");
}

/* The member "held" of a price that was presented. */
static json_t *held_of(const struct listed_price *listed)
{
    const struct price_shown shown = price_show(listed, NULL, NOON_US);
    AUTO(json_decrefp) json_t *json = read_back(&listed_price_members, &shown);

    return json_incref(json_object_get(json, "held"));
}

TEST(what_waits_is_shown_with_the_price)
{
    struct listed_price listed = {.at = price_of(100000000, 1).at};

    AUTO(json_decrefp) json_t *nothing = held_of(&listed);
    EXPECT(json_is_null(nothing));
    listed.waiting.since_us = NOON_US;
    listed.waiting.nanos = 1000000000;
    listed.waiting.count = 3;
    AUTO(json_decrefp) json_t *held = held_of(&listed);
    EXPECT_INT(json_integer_value(json_object_get(held, "count")), 3);
    EXPECT_NEAR(json_number_value(json_object_get(held, "price_per_hour")), 0.1, 0);
    EXPECT_NEAR(json_number_value(json_object_get(held, "held_price_per_hour")), 1, 0);
    EXPECT_STR(json_string_value(json_object_get(held, "since")), "2023-11-14T22:13:20.000Z");
    listed.waiting.nanos = 0;
    AUTO(json_decrefp) json_t *gone = held_of(&listed);
    EXPECT(json_is_null(json_object_get(gone, "held_price_per_hour")));
}
