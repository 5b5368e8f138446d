#include "db/contenders/contenders.h"

#include "db/prices/discounts.h"
#include "engine/spec/configuration.h"
#include "tests/db/finished.h"
#include "tests/db/prices.h"

static long long contenders_in(struct db *db)
{
    return rows_in(db, "contenders");
}

static long long touched(struct db *db, const struct contender_key *key)
{
    AUTO(transaction_end) struct transaction change = {0};
    long long number = 0;

    EXPECT(transaction_begin(&change, db, DB_RELAXED, NULL));
    EXPECT(revision_touch(db, NULL) && contenders_touch(db, key, &number, NULL));
    EXPECT(transaction_commit(&change, NULL));
    return number;
}

TEST_WITH_DATABASE(a_run_that_finishes_makes_a_contender)
{
    struct run_spec spec = run_spec_default();
    AUTO(freep) char *configuration = configuration_of_spec(&spec);
    long long revision = revision_of(db), number;
    char text[2000];

    EXPECT_INT(contenders_in(db), 0);
    number = ENDED(db, 100, .spec = &spec, .stratum = "s1");
    EXPECT_INT(contenders_in(db), 1);
    text_of(db, "SELECT configuration FROM contenders", sizeof text, text);
    EXPECT_STR(text, configuration);
    text_of(db,
            "SELECT workload || '|' || engine || '|' || provider || '|' || instance || '|' ||"
            " stratum || '|' || published FROM contenders",
            sizeof text, text);
    EXPECT_PART(text, "|aws|m5.large|s1|0");
    EXPECT_INT(number_of(db, "SELECT contender FROM runs"),
               number_of(db, "SELECT number FROM contenders"));
    EXPECT_INT(number, 1);
    EXPECT_INT(revision_of(db), revision + 1);
    EXPECT_INT(number_of(db, "SELECT changed FROM contenders"), revision + 1);
}

TEST_WITH_DATABASE(a_run_that_fails_makes_none)
{
    long long revision = revision_of(db);

    ENDED(db, 0, .failed = true);
    EXPECT_INT(contenders_in(db), 0);
    EXPECT_ROWS(db, 1, "runs WHERE contender IS NULL");
    EXPECT_INT(revision_of(db), revision);
}

TEST_WITH_DATABASE(equal_specs_share_one_whatever_their_labels_and_seed)
{
    struct run_spec spec = run_spec_default();

    do_not_sync(db);
    ENDED(db, 100, .spec = &spec);
    spec.seed += 5;
    spec.label_count = 1;
    spec.labels[0] = (struct label){"branch", "main"};
    spec.max_seconds += 7;
    ENDED(db, 101, .spec = &spec);
    EXPECT_INT(contenders_in(db), 1);
    spec.batch_size++;
    ENDED(db, 102, .spec = &spec);
    EXPECT_INT(contenders_in(db), 2);
    ENDED(db, 103, .spec = &spec, .instance = "other");
    ENDED(db, 104, .spec = &spec, .provider = "gcp");
    ENDED(db, 105, .spec = &spec, .stratum = "s1");
    ENDED(db, 106, .spec = &spec, .stratum = "s2");
    EXPECT_INT(contenders_in(db), 6);
    EXPECT_INT(number_of(db, "SELECT count(DISTINCT contender) FROM runs"), 6);
}

TEST_WITH_DATABASE(each_part_of_a_key_makes_another)
{
    const struct contender_key key = {.workload = "mlp",
                                      .engine = "native",
                                      .configuration = "{}",
                                      .provider = "",
                                      .instance = "",
                                      .stratum = ""};
    struct contender_key keys[8];
    long long first = touched(db, &key), last = first;

    for (size_t i = 0; i < COUNT(keys); i++)
        keys[i] = key;
    keys[1].workload = keys[2].engine = keys[3].configuration = "x";
    keys[4].provider = keys[5].instance = keys[6].stratum = "x";
    keys[7].published = true;
    for (size_t i = 1; i < COUNT(keys); i++) {
        long long number = touched(db, &keys[i]);

        EXPECT(number > last); /* larger than all before it */
        last = number;
    }
    EXPECT_INT(touched(db, &key), first);
    EXPECT_INT(contenders_in(db), 8);
    EXPECT_INT(number_of(db, "SELECT changed FROM contenders WHERE number = 1"), revision_of(db));
}

TEST_WITH_DATABASE(what_is_taken_back_touched_nothing)
{
    AUTO(run_clear) struct run run = run_about_to_end(db, &(struct ended){0});
    long long revision = revision_of(db);

    execute(db, "UPDATE runs SET state = 'interrupted'");
    EXPECT_ERROR(runs_end(db, &run, &err), ERROR_CONFLICT);
    EXPECT_INT(contenders_in(db), 0);
    EXPECT_INT(revision_of(db), revision);
}

/* Whatever a comparison is made of, and nothing else. */
TEST_WITH_DATABASE(each_write_that_may_change_a_comparison_raises_the_revision)
{
    struct price price = price_said(&(struct said)P("m5.large", "0.3", .source_us = THEN_US));
    const struct discount discount = {
        .provider = "aws", .kind = PRICE_SPOT, .factor = 0.5, .since_us = THEN_US};
    long long revision = revision_of(db);

    do_not_sync(db);
    queue_runs(db, 1);
    claim_one(db);
    EXPECT_INT(revision_of(db), revision); /* a run that waits or runs is no row */
    READ(db, 0, P("m5.large", "0.1"));
    EXPECT(revision_of(db) > revision);
    revision = revision_of(db);
    READ(db, 60, P("m5.large", "0.1")); /* the same, but fresher */
    EXPECT(revision_of(db) > revision);
    revision = revision_of(db);
    price.kind = PRICE_TYPED;
    EXPECT(prices_put(db, &price, 1, NULL));
    EXPECT(revision_of(db) > revision);
    revision = revision_of(db);
    EXPECT(discounts_put(db, &discount, NULL, NULL));
    EXPECT(revision_of(db) > revision);
    revision = revision_of(db);
    EXPECT(!discounts_put(db, &discount, NULL, NULL)); /* there is one of that moment */
    EXPECT_INT(revision_of(db), revision);
}
