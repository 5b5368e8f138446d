/* Prices of commitments and by the hour: stored with what is paid at once, judged by
 * themselves, and never in the place of another kind. */
#include "db/prices/offers.h"
#include "pricing/commitment.h"
#include "tests/db/prices/worlds.h"

#define TYPES 20

/* A reading of types that cost 1 on demand and, committed, `committed` of that. */
struct told {
    double on_demand, committed;
    size_t on_demand_count, committed_count;
};

static const char *name_of(size_t i)
{
    static char names[TYPES][8];

    snprintf(names[i], sizeof names[i], "m%zu.x", i);
    return names[i];
}

static struct price_batch *batch_told(const struct told *told, long long at_us)
{
    struct price_batch *batch = price_batch_new("made-up", at_us);

    for (size_t i = 0; batch && i < TYPES; i++) {
        struct price price = {.provider = "aws", .region = "r", .currency = "USD"};

        snprintf(price.instance_type, sizeof price.instance_type, "%s", name_of(i));
        EXPECT(price_set_number(&price, told->on_demand));
        EXPECT(i >= told->on_demand_count ||
               price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, NULL));
        for (int kind = PRICE_COMMITTED; kind < PRICE_KINDS && i < told->committed_count;
             kind++) {
            const struct price_terms *terms = price_terms_of((enum price_kind)kind);
            double term = told->committed * 1e9 * terms->years * COMMITMENT_YEAR_HOURS;
            double share = terms->payment == PAYMENT_BY_HOUR   ? 0
                           : terms->payment == PAYMENT_PARTIAL ? 0.5
                                                               : 1;

            price.kind = (enum price_kind)kind;
            EXPECT(price_set_commitment(&price, (long long)(told->committed * 1e9 * (1 - share)),
                                        (long long)(term * share)));
            EXPECT(price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, NULL));
        }
    }
    return batch;
}

static bool tell(struct db *db, long long seconds, struct told told, struct error *err)
{
    const struct feed_reading reading = {.at_us = THEN_US + SECOND_US * seconds};
    const struct feed_row row = row_of_reading(&reading);
    AUTO(price_batch_freep) struct price_batch *batch = batch_told(&told, reading.at_us);
    struct change change;

    return prices_replace(
        db, &(struct price_snapshot){.source = &plain_source, .batch = batch, .row = &row},
        &change, err);
}

static struct price_at view_of(struct db *db, const char *type, const char *kind,
                               long long seconds)
{
    struct views views = list_of(
        db, (struct price_filter){
                .instance_type = type, .kind = kind, .at_us = THEN_US + SECOND_US * seconds});

    EXPECT(views.count <= 1);
    return views.count == 1 ? views.list[0] : (struct price_at){.series = 0};
}

TEST_WITH_DATABASE(what_is_paid_at_once_is_stored_with_the_price)
{
    EXPECT(tell(db, 0, (struct told){1, 0.6, TYPES, TYPES}, NULL));
    struct price_at view = view_of(db, "m3.x", "reserved_3y_partial_upfront", 1);
    EXPECT_HAS(view.price, (nanos, 600000000), (upfront_nanos, 300000000LL * 3 * 8760),
               (text, "0.6"));
    EXPECT_INT(view_of(db, "m3.x", "savings_plan_1y", 1).price.upfront_nanos, 0);
    EXPECT_INT(view_of(db, "m3.x", "on_demand", 1).price.nanos, 1000000000);
}

/* An hour costs the same, but more of it is paid at once. */
TEST_WITH_DATABASE(another_share_that_is_paid_at_once_is_another_price)
{
    static const struct said first[] = {
        {.type = "a", .text = "0.6", .kind = PRICE_RESERVED_1Y_PARTIAL_UPFRONT}};

    for (int half = 2; half <= 4; half += 2) {
        const struct feed_reading reading = {.at_us = THEN_US + half * SECOND_US};
        const struct feed_row row = row_of_reading(&reading);
        AUTO(price_batch_freep)
        struct price_batch *batch = price_batch_new("made-up", reading.at_us);
        struct price price = price_said(first);
        struct change change;

        EXPECT(price_set_commitment(&price, 600000000 - 100000000 * half,
                                    100000000LL * half * 8760));
        EXPECT_INT(price.nanos, 600000000);
        EXPECT(price_batch_add(batch, &price, TWIN_IS_AMBIGUOUS, NULL));
        EXPECT(prices_replace(
            db, &(struct price_snapshot){.source = &plain_source, .batch = batch, .row = &row},
            &change, NULL));
    }
    EXPECT_INT(view_of(db, "a", NULL, 3).price.upfront_nanos, 200000000LL * 8760);
    EXPECT_INT(view_of(db, "a", NULL, 5).price.upfront_nanos, 400000000LL * 8760);
}

/* Two hundred prices that stay must not hide twenty that do not. */
TEST(commitments_do_not_hide_what_prices_by_the_hour_do)
{
    /* On demand, all at once; a quarter of it is gone; half of a list never drifts. */
    EACH(struct told, wild, {2, 0.6, TYPES, TYPES}, {1, 0.6, 15, TYPES},
         {1.1, 0.6, TYPES, TYPES}) {
        NEW_DATABASE(db);

        EXPECT(tell(db, 0, (struct told){1, 0.6, TYPES, TYPES}, NULL));
        EXPECT_ERROR(tell(db, HOUR / 2, wild, &err), ERROR_UPSTREAM);
        EXPECT_INT(view_of(db, "m3.x", "on_demand", HOUR).price.nanos, 1000000000);
    }
}

TEST_WITH_DATABASE(commitments_that_move_as_a_whole_wait_for_another_reading)
{
    const int count = TYPES * (PRICE_KINDS - PRICE_COMMITTED);
    char why[80];

    EXPECT(tell(db, 0, (struct told){1, 0.6, TYPES, TYPES}, NULL));
    snprintf(why, sizeof why,
             "not accepted: %d of %d committed prices moved by more than a quarter", count,
             count);
    EXPECT_MESSAGE(tell(db, HOUR, (struct told){1, 0.3, TYPES, TYPES}, &err), why);
    EXPECT(tell(db, 3 * HOUR, (struct told){1, 0.3, TYPES, TYPES}, NULL));
    EXPECT_INT(view_of(db, "m3.x", "committed_use_1y", 3 * HOUR).price.nanos, 300000000);
}

/* A price for the term that is taken for one for the hour, or one for an hour of a core. */
TEST(commitments_that_no_one_sells_are_left_out)
{
    EACH(double, odd, 1.01, 600, 0.1, 0.0001) {
        NEW_DATABASE(db);

        EXPECT(tell(db, 0, (struct told){1, odd, TYPES, TYPES}, NULL));
        EXPECT_INT(view_of(db, "m3.x", "on_demand", 1).price.nanos, 1000000000);
        EXPECT_INT(view_of(db, "m3.x", "reserved_1y_no_upfront", 1).series, 0);
    }
}

TEST_WITH_DATABASE(commitments_that_are_lost_stay_for_an_hour)
{
    EXPECT(tell(db, 0, (struct told){1, 0.6, TYPES, TYPES}, NULL));
    EXPECT(!tell(db, HOUR, (struct told){1, 0.6, TYPES, 0}, NULL));
    EXPECT(view_of(db, "m3.x", "savings_plan_3y", HOUR).doubted);
    EXPECT(tell(db, 3 * HOUR, (struct told){1, 0.6, TYPES, 0}, NULL));
    EXPECT_INT(view_of(db, "m3.x", "savings_plan_3y", 3 * HOUR).series, 0);
}

TEST_WITH_DATABASE(a_commitment_is_never_an_offer_by_the_hour)
{
    const struct offers_question question = {.regions = {"r"}, .at_us = THEN_US + SECOND_US};
    AUTO(offers_free) struct offers offers = {0};

    EXPECT(tell(db, 0, (struct told){1, 0.6, 10, TYPES}, NULL));
    EXPECT(offers_load(db, &question, NULL, 0, &offers, NULL));
    const struct offer *offer = offers_find(&offers, "aws", "m3.x");
    EXPECT(offer && offer->on_demand->price.nanos && offer->on_demand->price.nanos == 1000000000);
    EXPECT(offer && !offer->spot->price.nanos && !offer->typed->price.nanos);
    EXPECT(offers_find(&offers, "aws", "m15.x") == NULL);
}
