/* Each disk call that stores prices fails in turn: all of a request is stored, or nothing. */
#include "db/capacity/capacity.h"
#include "db/prices/discounts.h"
#include "db/prices/withdrawals.h"
#include "tests/db/prices.h"
#include "tests/faults/changes.h"

/* Prices of every fate: what they were, and what they will be. */
static const struct said first[] = {
    P("stays", "1"),
    P("moves", "1"),
    P("leaps", "1", .kind = PRICE_SPOT),
    P("was held", "1", .kind = PRICE_SPOT),
    P("confirmed", "1", .kind = PRICE_SPOT),
    P("goes", "1"),
    P("not yet", "1"),
    P("m5.large", "1", .zone = "eu-north-1a"),
    P("m5.large", "0.3", .kind = PRICE_SPOT),
    P("c7i.large", "1"),
};
static const struct said second[] = {
    P("stays", "1"),
    P("moves", "1"),
    P("leaps", "1", .kind = PRICE_SPOT),
    P("was held", "10", .kind = PRICE_SPOT),
    P("confirmed", "10", .kind = PRICE_SPOT),
    P("goes", "1"),
    P("not yet", "1.1", .source_us = THEN_US + 500 * SECOND_US),
    P("m5.large", "1", .zone = "eu-north-1a"),
    P("m5.large", "0.3", .kind = PRICE_SPOT),
    P("c7i.large", "1"),
};
static const struct said third[] = {
    P("stays", "1"),
    P("moves", "1.1", .source_us = THEN_US + 100 * SECOND_US),
    P("leaps", "10", .kind = PRICE_SPOT),
    P("was held", "1", .kind = PRICE_SPOT),
    P("confirmed", "11", .kind = PRICE_SPOT),
    P("not yet", "1.2"),
    P("m5.large", "1", .zone = "eu-north-1a"),
    P("m5.large", "0.4", .kind = PRICE_SPOT),
    P("c7i.large", "1"),
    P("comes", "1"),
};

static struct price_batch *batch, *odd_batch; /* made while there is memory */

static const struct source other_source = {.name = "other"};
static const struct said odd[] = {P("stays", "90"), P("moves", "91"),
                                  P("leaps", "92", .kind = PRICE_SPOT)};

static long long typed_series;

static void fill_with_prices(struct db *db)
{
    struct feed_reading reading = {.at_us = THEN_US, .prices = first, .count = COUNT(first)};
    const struct price price = price_said(
        &(const struct said)P("typed", "1", .kind = PRICE_TYPED, .source_us = NOON_US));
    const struct discount discount = {
        .provider = "aws", .factor = 0.75, .since_us = NOON_US - SECOND_US};

    replaced(db, &reading);
    reading = (struct feed_reading){
        .at_us = THEN_US + 60 * SECOND_US, .prices = second, .count = COUNT(second)};
    EXPECT_INT((long long)replaced(db, &reading).held, 2);
    reading = (struct feed_reading){
        .source = &other_source, .at_us = THEN_US, .prices = second, .count = COUNT(second)};
    reading.accept = true;
    replaced(db, &reading);
    EXPECT(prices_put(db, &price, 1, NULL));
    EXPECT(discounts_put(db, &discount, NULL, NULL));
    typed_series = number_of(db, "SELECT number FROM price_series WHERE feed = 'typed'");
    EXPECT(typed_series > 0);
}

static struct feed_reading third_reading(void)
{
    return (struct feed_reading){.at_us = THEN_US + 120 * SECOND_US,
                                 .source_us = THEN_US,
                                 .prices = third,
                                 .count = COUNT(third)};
}

static void make_batch(void)
{
    const struct feed_reading reading = third_reading();
    const struct instance_type type = {"aws", "m5.large", 2, 8, "x86_64", ""};
    const struct interruption interruption = {"aws", "eu-north-1", "m5.large", "<5%"};

    batch = batch_of_reading(&reading);
    price_batch_add_type(batch, &type);
    price_batch_add_interruption(batch, &interruption);
    odd_batch = batch_of_reading(&(struct feed_reading){
        .at_us = THEN_US + 120 * SECOND_US, .prices = odd, .count = COUNT(odd)});
}

static bool replace(struct db *db, struct error *err)
{
    const struct feed_reading reading = third_reading();
    const struct feed_row row = row_of_reading(&reading);
    const struct price_snapshot snapshot = {.source = &plain_source, .batch = batch, .row = &row};
    struct change change = {.before = 12345};
    bool ok = prices_replace(db, &snapshot, &change, err);

    EXPECT_INT((long long)change.before, ok ? 10 : 12345);
    EXPECT(!ok || (change.moved == 4 && change.held == 1 && change.gone == 1));
    EXPECT(!ok || change.added == 1);
    return ok;
}

/* A reading that is held back as a whole is noted, or it is not. */
static bool hold_back(struct db *db, struct error *err)
{
    const struct feed_reading reading = {.at_us = THEN_US + 120 * SECOND_US};
    const struct feed_row row = row_of_reading(&reading);
    struct change change = {.held = 12345};
    struct error why = {0};

    EXPECT(!prices_replace(
        db, &(struct price_snapshot){.source = &plain_source, .batch = odd_batch, .row = &row},
        &change, &why));
    bool ok = why.kind == ERROR_UPSTREAM;
    EXPECT_INT((long long)change.held, ok ? 10 : 12345);
    return ok || error_set(err, why.kind, NULL, "%s", why.message);
}

static struct price typed[3];

static void make_typed(void)
{
    typed[0] = price_said(
        &(const struct said)P("typed", "2", .kind = PRICE_TYPED, .source_us = THEN_US));
    typed[1] =
        price_said(&(const struct said)P("new", "3", .kind = PRICE_OWN, .source_us = THEN_US));
    typed[2] = typed[0];
    typed[2].source_us++;
    typed[2].nanos = 0;
}

static bool put(struct db *db, struct error *err)
{
    return prices_put(db, typed, COUNT(typed), err);
}

static bool find_unchanged(struct db *db, struct error *err)
{
    const struct feed_reading reading = third_reading();
    struct feed_row row = row_of_reading(&reading);

    row.state = "unchanged";
    return feed_rows_store(db, &row, err);
}

static bool put_discount(struct db *db, struct error *err)
{
    return discounts_put(
        db, &(struct discount){.provider = "aws", .factor = 0.5, .since_us = NOON_US}, NULL, err);
}

static const struct taken_back taken = {.at_us = THEN_US, .by = "ann", .reason = "a typo"};

static bool withdraw_price(struct db *db, struct error *err)
{
    struct listed_price listed;
    bool ok =
        prices_withdraw(db, &(struct price_key){typed_series, NOON_US}, &taken, &listed, err);

    EXPECT(!ok || (listed.withdrawn.at_us == THEN_US && strcmp(listed.withdrawn.by, "ann") == 0));
    EXPECT(!ok || strcmp(listed.withdrawn.reason, "a typo") == 0);
    return ok;
}

static bool withdraw_discount(struct db *db, struct error *err)
{
    struct discount discount;
    bool ok = discounts_withdraw(db, 1, &taken, &discount, err);

    EXPECT(!ok || strcmp(discount.withdrawn.reason, "a typo") == 0);
    return ok;
}

static bool add_event(struct db *db, struct error *err)
{
    bool is_new;

    return capacity_add(
        db, &(struct capacity_event){.kind = "preempted", .price_kind = "spot", .machine = "m"},
        &is_new, err);
}

static const struct operation operations[] = {
    {"replace prices", replace},          {"put prices", put},
    {"store a state", find_unchanged},    {"put a discount", put_discount},
    {"add an event", add_event},          {"hold back", hold_back},
    {"withdraw a price", withdraw_price}, {"withdraw a discount", withdraw_discount},
};

static void all_of(struct db *db, char ret_text[TEXT_SIZE])
{
    everything(db, TEXT_SIZE, ret_text);
    size_t length = strlen(ret_text);
    text_of(
        db,
        "SELECT ifnull(group_concat(json_array(provider, factor, since_us, withdrawn_us)), '')"
        " || (SELECT count(*) FROM capacity_events) FROM discounts",
        TEXT_SIZE - length, ret_text + length);
}

TEST(prices_survive_every_fault_of_the_disk)
{
    struct stored stored = {template_make(fill_with_prices), all_of};

    make_batch();
    make_typed();
    survive_changes(&stored, operations, COUNT(operations));
    template_free(&stored.template);
    price_batch_free(batch);
    price_batch_free(odd_batch);
}
