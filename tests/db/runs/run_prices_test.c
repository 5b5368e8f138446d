/* Which runs have a price that was typed later: runs of this machine that knew none. */
#include "db/runs/run_prices.h"

#include "db/contenders/contenders.h"
#include "tests/db/finished.h"

#define VM "i00000000000000a"

static void give(void *user, struct run *run)
{
    const struct paid_price *paid = user;

    free(run->price);
    run->price = copy_of("{}");
    run->paid = *paid;
}

static struct paid_price paid_of(double dollars, const char *feed)
{
    struct paid_price paid = {.per_hour = dollars, .nanos = (long long)(dollars * 1e9)};

    if (dollars > 0) {
        snprintf(paid.currency, sizeof paid.currency, "USD");
        snprintf(paid.kind, sizeof paid.kind, "typed");
        snprintf(paid.feed, sizeof paid.feed, "%s", feed);
    }
    return paid;
}

/* How many runs of the machine have that price now. */
static long long renewed(struct db *db, const char *vm, const char *stratum, double dollars)
{
    AUTO(transaction_end) struct transaction change = {0};
    struct paid_price paid = paid_of(dollars, TYPED_LATER_FEED);
    long long count = -1;

    EXPECT_OK(transaction_begin(&change, db, DB_DURABLE, &err) && revision_touch(db, &err));
    EXPECT_OK(run_prices_renew(db, &(struct run_prices_of){.vm = vm, .stratum = stratum}, give,
                               &paid, &count, &err));
    EXPECT_OK(transaction_commit(&change, &err));
    return count;
}

/* A run that has ended, with its cost object. */
static long long end_priced(struct db *db, const struct ended *ended)
{
    AUTO(run_clear) struct run run = run_about_to_end(db, ended);

    run.price = copy_of("{\"price\":null}");
    EXPECT_OK(runs_end(db, &run, &err));
    return run.number;
}

TEST_WITH_DATABASE(runs_without_a_price_have_it_and_others_keep_theirs)
{
    long long without = end_priced(db, &(struct ended){.vm = "a"}),
              with =
                  end_priced(db, &(struct ended){.vm = "a", .paid = paid_of(2, "aws-spot-page")}),
              elsewhere = end_priced(db, &(struct ended){.vm = "b"});

    EXPECT_INT(renewed(db, VM, "x", 0.5), 1);
    EXPECT_INT(renewed(db, VM, "x", 0.25), 1);
    EXPECT(rows_in(db, "runs WHERE paid_per_hour = 0.25 AND number = 1") == without);
    EXPECT_INT(number_of(db, "SELECT number FROM runs WHERE paid_per_hour = 2"), with);
    EXPECT_INT(number_of(db, "SELECT number FROM runs WHERE paid_per_hour IS NULL"), elsewhere);
    EXPECT_INT(renewed(db, VM, "x", 0), 1);
    EXPECT_ROWS(db, 2,
                "runs WHERE paid_per_hour IS NULL AND paid_nanos IS NULL AND paid_feed IS NULL");
}

TEST_WITH_DATABASE(a_machine_without_a_name_is_known_by_its_hardware)
{
    end_priced(db, &(struct ended){.stratum = "hardware1"});
    end_priced(db, &(struct ended){.stratum = "hardware2"});
    end_priced(db, &(struct ended){.stratum = "hardware1", .vm = "a"});
    EXPECT_INT(renewed(db, "", "hardware1", 0.5), 1);
    EXPECT_INT(number_of(db, "SELECT number FROM runs WHERE paid_per_hour = 0.5"), 1);
}

TEST_WITH_DATABASE(a_run_from_elsewhere_and_one_that_goes_on_have_none)
{
    AUTO(run_clear) struct run going = run_about_to_end(db, &(struct ended){.vm = "a"});

    EXPECT_INT(renewed(db, VM, "x", 0.5), 0);
    end_priced(db, &(struct ended){.vm = "a"});
    execute(db, "UPDATE runs SET provenance = 'imported'");
    EXPECT_INT(renewed(db, VM, "x", 0.5), 0);
}

TEST_WITH_DATABASE(a_comparison_reads_the_contender_anew)
{
    end_priced(db, &(struct ended){.vm = "a"});
    EXPECT_INT(renewed(db, VM, "x", 0.5), 1);
    EXPECT_ROWS(db, 1, "contenders WHERE changed = (SELECT number FROM revision)");
}
