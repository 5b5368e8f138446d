/* Which price is this machine's, and what is said where there is none: every reason is true, and
 * names the way out. */
#include "server/base/machine_price.h"

#include "tests/db/offers.h"

static const struct source spot_page = {.name = "aws-spot-page"};

static struct identity machine(void)
{
    return (struct identity){.provider = "aws",
                             .instance_type = "m5.large",
                             .region = "eu-north-1",
                             .zone = "eu-north-1a",
                             .zone_id = "eun1-az1",
                             .life_cycle = "on_demand"};
}

static struct machine_price found(struct db *db, const struct identity *identity)
{
    struct machine_price price = {0};

    EXPECT_OK(machine_price_find(
        db,
        &(struct machine_price_question){.identity = identity, .at_us = THEN_US + 10 * SECOND_US},
        &price, &err));
    return price;
}

static void expect_why(struct db *db, const struct identity *identity, const char *why)
{
    struct machine_price price = found(db, identity);

    EXPECT_HAS(price, (known, false), (why_not, why));
}

static void expect_found(struct db *db, const struct identity *identity, const char *text)
{
    struct machine_price price = found(db, identity);

    EXPECT_HAS(price, (known, true), (at.price.text, text), (at.price.currency, "USD"));
    EXPECT(price.dollars > 0);
}

TEST_WITH_DATABASE(another_currency_never_stands_before_dollars)
{
    const struct identity here = machine();

    PUT(db, "typed", "aws", "m5.large", "0.25", .kind = PRICE_TYPED, .currency = "EUR",
        .source_us = THEN_US);
    expect_why(
        db, &here,
        "its price is known in EUR alone (0.25 an hour, typed), and is not converted: enter "
        "it in USD, by POST /v1/prices or --price-per-hour");
    READ(db, 0, P("m5.large", "0.1367"));
    expect_found(db, &here, "0.1367");
    PUT(db, "typed", "aws", "m5.large", "0.3", .kind = PRICE_TYPED, .source_us = THEN_US + 1);
    expect_found(db, &here, "0.3");
    PUT(db, "typed", "aws", "m5.large", "0.26", .kind = PRICE_TYPED, .currency = "EUR",
        .source_us = THEN_US + 2);
    expect_found(db, &here, "0.3");
}

TEST_WITH_DATABASE(a_life_cycle_that_is_missing_is_named)
{
    struct identity here = machine();

    here.life_cycle[0] = '\0';
    READ_OF(db, &spot_page, 0, P("m5.large", "0.1", .kind = PRICE_SPOT));
    expect_why(db, &here,
               "it is not known how this machine is paid for, while aws-spot-page has a price "
               "(spot) for m5.large in eu-north-1: say --life-cycle on_demand or --life-cycle "
               "spot");
}

TEST_WITH_DATABASE(a_price_of_another_kind_zone_region_or_provider_is_named)
{
    struct identity here = machine();

    expect_why(db, &here,
               "no feed has a price (on_demand) for m5.large in eu-north-1: GET "
               "/v1/prices?instance_type=m5.large tells what each feed says; --price-per-hour "
               "gives a price");
    PUT(db, "typed", "gcp", "m5.large", "0.9", .kind = PRICE_TYPED, .source_us = THEN_US);
    expect_why(db, &here,
               "no feed has a price (on_demand) for m5.large in eu-north-1; gcp has a type of "
               "that name: --provider names another");
    READ(db, 0, P("m5.large", "0.4074", .region = "eu-central-1"));
    expect_why(
        db, &here,
        "no feed has a price (on_demand) for m5.large in eu-north-1; a price of it is known "
        "in eu-central-1: --region names another, --price-per-hour gives a price");
    PUT(db, "typed", "aws", "m5.large", "0.9", .kind = PRICE_TYPED, .zone = "eu-north-1b",
        .source_us = THEN_US);
    expect_why(db, &here,
               "no feed has a price (on_demand) for m5.large in eu-north-1 for zone eu-north-1a; "
               "one is known for zone eu-north-1b: --zone names another");
    READ_OF(db, &spot_page, 0, P("m5.large", "0.1", .kind = PRICE_SPOT));
    expect_why(
        db, &here,
        "no feed has a price (on_demand) for m5.large in eu-north-1; aws-spot-page has its "
        "spot price, and one kind never stands in for another: --life-cycle spot if the "
        "machine is paid for that way, else --price-per-hour");
    snprintf(here.life_cycle, sizeof here.life_cycle, "spot");
    expect_found(db, &here, "0.1");
}

/* --life-cycle has no word for them, and another region would not give a price by the hour. */
TEST_WITH_DATABASE(a_commitment_is_no_price_of_a_machine_and_is_named_as_such)
{
    struct identity here = machine();

    READ(db, 0, P("m5.large", "0.05", .kind = PRICE_SAVINGS_PLAN_1Y),
         P("m5.large", "0.04", .kind = PRICE_SAVINGS_PLAN_1Y, .region = "eu-central-1"));
    expect_why(db, &here,
               "no feed has a price (on_demand) for m5.large in eu-north-1; made-up has its "
               "savings_plan_1y price, a commitment, which never stands in for another kind: "
               "price=savings_plan_1y compares with it, --price-per-hour gives a price");
    here.life_cycle[0] = '\0';
    EXPECT_PART(found(db, &here).why_not, "a commitment");
    snprintf(here.life_cycle, sizeof here.life_cycle, "on_demand");
    READ_OF(db, &spot_page, 0, P("m5.large", "0.1", .kind = PRICE_SPOT));
    EXPECT_PART(found(db, &here).why_not, "--life-cycle spot");
}

TEST_WITH_DATABASE(the_zone_by_its_id_is_the_zone)
{
    const struct identity here = machine();

    PUT(db, "typed", "aws", "m5.large", "0.2", .kind = PRICE_TYPED, .zone = "eun1-az1",
        .source_us = THEN_US);
    expect_found(db, &here, "0.2");
}

TEST_WITH_DATABASE(what_is_too_old_says_who_said_it_and_when)
{
    struct identity here = machine();

    snprintf(here.life_cycle, sizeof here.life_cycle, "spot");
    READ_OF(db, &spot_page, -100000, P("m5.large", "0.1", .kind = PRICE_SPOT));
    struct machine_price price = found(db, &here);
    EXPECT(!price.known);
    EXPECT_PART(price.why_not, "what the feeds say is too old: aws-spot-page said it last at ");
    EXPECT_PART(price.why_not, "POST /v1/prices/refresh reads them again");
}

TEST_WITH_DATABASE(a_google_machine_without_a_key_hears_both_ways)
{
    struct identity here = machine();

    snprintf(here.provider, sizeof here.provider, "gcp");
    struct machine_price price = found(db, &here);
    EXPECT_PART(price.why_not, "PENNYWORTH_GCP_KEY reads Google's own list");
    EXPECT_PART(price.why_not, "--feed gcp-third-party=on the list of a third party");
    EXPECT_PART(price.why_not, "--price-per-hour gives a price");
    here.instance_type[0] = '\0';
    expect_why(db, &here,
               "the instance type is not known: say --instance-type, --provider and --region, or "
               "--price-per-hour, or type the price of this machine");
}

TEST_WITH_DATABASE(a_machine_without_a_type_has_what_was_typed_under_its_name)
{
    const struct identity unknown = {0}, here = machine();
    struct machine_price price = {0};
    struct machine_price_question question = {
        .identity = &unknown, .name = "machine-s1", .at_us = THEN_US + 10 * SECOND_US};

    PUT(db, "typed", "", "machine-s1", "0.5", .kind = PRICE_OWN, .region = "",
        .source_us = THEN_US);
    EXPECT_OK(machine_price_find(db, &question, &price, &err));
    EXPECT_HAS(price, (known, true), (at.price.text, "0.5"));
    question.name = "machine-s2";
    EXPECT_OK(machine_price_find(db, &question, &price, &err));
    EXPECT(!price.known);
    question = (struct machine_price_question){
        .identity = &here, .name = "machine-s1", .at_us = THEN_US + 10 * SECOND_US};
    EXPECT_OK(machine_price_find(db, &question, &price, &err));
    EXPECT(!price.known);
}

TEST_WITH_DATABASE(the_longest_names_fit)
{
    struct identity here = machine();

    memset(here.region, 'r', sizeof here.region - 1);
    memset(here.zone, 'z', sizeof here.zone - 1);
    memset(here.instance_type, 'i', sizeof here.instance_type - 1);
    PUT(db, "typed", "aws", here.instance_type, "0.123456789012345678901234567890",
        .kind = PRICE_TYPED, .region = here.region, .zone = "eu-north-1b", .source_us = THEN_US);
    struct machine_price price = found(db, &here);
    EXPECT(!price.known);
    EXPECT(strlen(price.why_not) < sizeof price.why_not - 1);
}
