/* The power goes at every point after which something could be lost: what was acknowledged as
 * durable is still there afterwards, and whatever else is lost is lost whole. */
#include "db/db_open.h"
#include "db/prices/discounts.h"
#include "db/prices/price_put.h"
#include "tests/faults/accidents.h"
#include "tests/faults/template.h"

#define PROMISES 8
#define BATCH 40

/* What the database promised to keep. */
struct promises {
    struct run runs[PROMISES]; /* each in a state that it has reached for good */
    int count;
    long long steps;                    /* appended to run 1; they may be lost */
    long long manual_prices, discounts; /* no feed could be asked for them again */
};

static bool promise(struct promises *promises, struct run run)
{
    promises->runs[promises->count++] = run;
    return true;
}

static bool create(struct db *db, struct promises *promises)
{
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);
    struct run run = {0};
    bool replayed;

    return runs_create(db, &order, &run, &replayed, NULL) && promise(promises, run);
}

static bool claim(struct db *db, struct promises *promises)
{
    struct run run = {0};
    bool found = false;

    return runs_claim(db, NOON_US, 0, &run, &found, NULL) && promise(promises, run);
}

static bool cancel_last(struct db *db, struct promises *promises)
{
    struct run after = {0};
    char id[RUN_ID_LENGTH + 1];

    text_of(db, "SELECT id FROM runs WHERE number = 3", sizeof id, id);
    return runs_cancel(db, id, NOON_US, &after, NULL) && promise(promises, after);
}

static bool end_first(struct db *db, struct promises *promises)
{
    struct run run = {.number = 1, .state = RUN_FAILED, .ended_us = NOON_US + 7};

    if (!runs_end(db, &run, NULL))
        return false;
    text_of(db, "SELECT id FROM runs WHERE number = 1", sizeof run.id.text, run.id.text);
    return promise(promises, run);
}

static bool append(struct db *db, struct promises *promises)
{
    struct step steps[BATCH];

    for (size_t i = 0; i < COUNT(steps); i++)
        steps[i] = (struct step){.nanoseconds = (long long)i + 1, .loss = 0.5};
    if (!step_rows_append(db, 1, promises->steps, steps, COUNT(steps), NULL))
        return false;
    promises->steps += BATCH;
    return true;
}

static bool type_price(struct db *db, struct promises *promises)
{
    const struct price price = {.provider = "us",
                                .instance_type = "our-box",
                                .kind = PRICE_TYPED,
                                .currency = "EUR",
                                .nanos = 250000000,
                                .text = "0.25",
                                .feed = "typed",
                                .source_us = NOON_US + promises->manual_prices,
                                .fetched_us = NOON_US};

    if (!prices_put(db, &price, 1, NULL))
        return false;
    promises->manual_prices++;
    return true;
}

static bool type_discount(struct db *db, struct promises *promises)
{
    const struct discount discount = {
        .provider = "us", .factor = 0.5, .since_us = NOON_US + promises->discounts};

    if (!discounts_put(db, &discount, NULL, NULL))
        return false;
    promises->discounts++;
    return true;
}

static bool checkpoint(struct db *db, struct promises *promises)
{
    (void)promises;
    return db_execute(db, "PRAGMA wal_checkpoint(PASSIVE)", NULL);
}

/* An ordinary day; the log begins anew after the checkpoint that has copied all of it. */
static bool (*const day[])(struct db *db, struct promises *promises) = {
    create, append,     append, claim,         append,     checkpoint,  append,    create,
    append, type_price, append, type_discount, checkpoint, cancel_last, append,    type_discount,
    append, type_price, append, checkpoint,    append,     append,      end_first, create,
};

static void expect_promises_kept(struct db *db, const struct promises *promises)
{
    for (int i = 0; i < promises->count; i++) {
        const struct run *promised = &promises->runs[i];
        AUTO(run_clear) struct run found = {0};

        EXPECT_OK(runs_find(db, promised->id.text, &found, &err));
        EXPECT_INT(found.state >= promised->state, true); /* it may have gone further */
    }
    EXPECT(rows_in(db, "prices") >= promises->manual_prices);
    EXPECT(rows_in(db, "discounts") >= promises->discounts);
}

static const struct fault_plan power_fails = {.for_good = true};

static unsigned seed_of(const struct fault_plan *plan)
{
    return (unsigned)plan->allowed * 2654435761u + 1;
}

/* What the power is lost for, and how. */
struct loss {
    struct template template;
    bool some_survive; /* of the sectors that were not synced */
};

static long long lost_steps; /* of all days */

/* One day with a loss of power. Returns whether the day ended before that. */
static bool live_through(const void *subject, struct fault_plan plan)
{
    const struct loss *loss = subject;
    struct promises promises = {.steps = 2};
    bool power = true;

    template_restore(&loss->template);
    disk_watch(loss->template.folder.file);
    struct db *db = open_database(&loss->template.folder);
    fault_arm(plan);
    for (size_t i = 0; power && i < COUNT(day); i++)
        power = day[i](db, &promises);
    db_free(db);
    long long failed = fault_disarm();
    EXPECT(power || failed > 0);
    disk_lose_power(loss->some_survive, seed_of(&plan));

    AUTO(db_freep) struct db *reopened = open_database(&loss->template.folder);
    expect_whole(reopened);
    expect_promises_kept(reopened, &promises);
    for (int i = 0; i < promises.count; i++)
        run_clear(&promises.runs[i]);

    long long left = number_of(reopened, "SELECT steps FROM runs WHERE number = 1");
    long long missing = promises.steps - left;
    EXPECT((left - 2) % BATCH == 0 && missing >= -BATCH); /* whole batches, from the first on */
    EXPECT_ROWS(reopened, 0,
                "steps WHERE run = 1 AND position >= (SELECT steps FROM runs WHERE number = 1)");
    lost_steps += missing > 0 ? missing : 0;
    expect_usable(reopened);
    return failed == 0;
}

static void live_through_every_point(bool some_survive)
{
    struct loss loss = {template_make(fill_with_runs), some_survive};

    lost_steps = 0;
    long long days = survive_calls("a day", live_through, &loss, power_fails);
    /* Or this disk forgets nothing, and nothing here was tested. */
    EXPECT(lost_steps > 0 || points_chosen().alone);
    printf("       %lld power losses, %lld relaxed steps lost\n", days, lost_steps);
    template_free(&loss.template);
}

TEST(what_was_durable_outlives_the_loss_of_all_else)
{
    live_through_every_point(false);
}

TEST(what_was_durable_outlives_a_disk_that_kept_some_sectors)
{
    live_through_every_point(true);
}

TEST(a_run_survives_the_moment_after_its_acknowledgement)
{
    AUTO(template_free)
    struct template template = template_make(fill_with_runs);
    struct promises promises = {0};

    template_restore(&template);
    disk_watch(template.folder.file);
    struct db *db = open_database(&template.folder);
    EXPECT(create(db, &promises));
    fault_arm((struct fault_plan){.for_good = true});
    db_free(db);
    (void)fault_disarm();
    disk_lose_power(false, 1);
    AUTO(db_freep) struct db *reopened = open_database(&template.folder);
    expect_promises_kept(reopened, &promises);
    EXPECT_ROWS(reopened, 4, "runs");
    run_clear(&promises.runs[0]);
}

/* Power loss while a database is made or upgraded. */
static bool open_through(const void *subject, struct fault_plan plan)
{
    const struct loss *loss = subject;

    template_restore(&loss->template);
    disk_watch(loss->template.folder.file);
    fault_arm(plan);
    struct db *db = db_open_schema(loss->template.folder.file, &made_up_schema, NULL);
    db_free(db);
    long long failed = fault_disarm();
    disk_lose_power(loss->some_survive, seed_of(&plan));
    expect_upgraded(&loss->template);
    return failed == 0;
}

TEST(a_new_schema_comes_whole_or_not_at_all)
{
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "making a database" : "an upgrade";
        struct loss loss = {.template =
                                i == 0 ? template_of_nothing() : template_make(fill_with_runs)};
        long long losses = survive_calls(name, open_through, &loss, power_fails);

        loss.some_survive = true;
        losses += survive_calls(name, open_through, &loss, power_fails);
        printf("       %s: %lld power losses\n", name, losses);
        template_free(&loss.template);
    }
}
