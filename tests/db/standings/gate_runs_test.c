#include "db/standings/gate_runs.h"

#include "db/runs/sweeps.h"
#include "db/runs/trust.h"
#include "tests/db/finished.h"
#include "tests/engine/four_cores.h"

/* What of a stored run matters here. */
struct made {
    const char *commit, *branch; /* labels; NULL for none */
    double speed;
    enum validity validity;
    struct paid_price paid;
    long long batch_size;
    const char *failed; /* why; NULL: it finished */
};

static struct run_spec spec_of(const struct made *made)
{
    struct run_spec spec = run_spec_default();

    spec.batch_size = made->batch_size ? made->batch_size : 8;
    if (made->branch) {
        spec.labels[spec.label_count] = (struct label){.key = "branch"};
        snprintf(spec.labels[spec.label_count++].value, LABEL_VALUE_MAX, "%s", made->branch);
    }
    if (made->commit) {
        spec.labels[spec.label_count] = (struct label){.key = "commit"};
        snprintf(spec.labels[spec.label_count++].value, LABEL_VALUE_MAX, "%s", made->commit);
    }
    return spec;
}

/* Ends the run that is claimed next; its number. */
static long long end_next(struct db *db, const struct made *made)
{
    return end_claimed(db, &(struct ended){.value = made->speed,
                                           .low = made->speed - 1,
                                           .high = made->speed + 1,
                                           .validity = made->validity,
                                           .paid = made->paid,
                                           .failed = made->failed != NULL,
                                           .reason = made->failed});
}

static long long store(struct db *db, struct made made)
{
    const struct run_spec spec = spec_of(&made);
    const struct run_order order = order_of(&spec);

    create_one(db, &order);
    return end_next(db, &made);
}

static struct gate_subject subject_of(struct db *db, long long number)
{
    struct gate_subject subject = {0};

    EXPECT_OK(gate_subject_find(db, number, &subject, &err));
    return subject;
}

static size_t repeats_of(struct db *db, long long number, struct gate_run *runs)
{
    AUTO(gate_subject_clear) struct gate_subject subject = subject_of(db, number);
    size_t count = 99;

    EXPECT(gate_runs_repeats(db, &subject, GATE_TRUSTED, runs, &count, NULL));
    return count;
}

static size_t others_of(struct db *db, long long number, const char *key, const char *value,
                        long long limit, struct gate_run *runs)
{
    AUTO(gate_subject_clear) struct gate_subject subject = subject_of(db, number);
    const struct gate_others wanted = {
        .subject = &subject, .key = key, .value = value, .limit = limit};
    size_t count = 99;

    EXPECT(gate_runs_others(db, &wanted, runs, &count, NULL));
    return count;
}

TEST_WITH_DATABASE(a_subject_knows_its_contender)
{
    long long one = store(db, (struct made){.commit = "a", .branch = "main", .speed = 10});
    long long two = store(db, (struct made){.speed = 10, .batch_size = 16});
    AUTO(gate_subject_clear) struct gate_subject first = subject_of(db, one);
    AUTO(gate_subject_clear) struct gate_subject second = subject_of(db, two);

    EXPECT_HAS(first, (engine, second.engine), (setup.batch_size, 8));
    EXPECT_INT(second.setup.batch_size, 16);
    EXPECT_STR(first.setup.precision, "f32");
    EXPECT(first.contender != second.contender);
    EXPECT_STR(first.stratum, "");
}

TEST_WITH_DATABASE(a_run_that_has_not_finished_is_no_subject)
{
    struct gate_subject subject = {.number = -7};

    queue_runs(db, 1);
    EXPECT_ERROR(gate_subject_find(db, 1, &subject, &err), ERROR_CONFLICT);
    EXPECT_INT(subject.number, -7);
}

TEST_WITH_DATABASE(repeats_are_the_valid_runs_with_the_very_same_labels)
{
    struct gate_run runs[GATE_RUNS_MAX];
    long long one = store(db, (struct made){.commit = "a", .branch = "b", .speed = 10});
    long long fewer = store(db, (struct made){.commit = "a", .speed = 11});

    store(db, (struct made){.commit = "b", .branch = "b", .speed = 12});
    store(db, (struct made){.commit = "a", .branch = "b", .speed = 13, .batch_size = 16});
    store(db,
          (struct made){.commit = "a", .branch = "b", .speed = 14, .validity = VALIDITY_INVALID});
    store(db,
          (struct made){.commit = "a", .branch = "b", .speed = 15, .validity = VALIDITY_WARN});
    EXPECT_INT((long long)repeats_of(db, one, runs), 2);
    EXPECT_NEAR(runs[0].throughput.value, 15, 0);
    EXPECT_HAS(runs[1].throughput, (value, 10), (low, 9), (high, 11));
    EXPECT_INT((long long)repeats_of(db, fewer, runs), 1);
}

static size_t lost_of(struct db *db, long long number, struct gate_lost_run *runs)
{
    AUTO(gate_subject_clear) struct gate_subject subject = subject_of(db, number);
    size_t count = 99;

    EXPECT(gate_runs_lost(db, &subject, runs, &count, NULL));
    return count;
}

static void fail(struct db *db, struct made made, const char *reason)
{
    made.failed = reason;
    store(db, made);
}

TEST_WITH_DATABASE(repeats_that_do_not_count_have_their_reason)
{
    struct gate_lost_run runs[GATE_LOST_MAX];
    long long one = store(db, (struct made){.commit = "a", .speed = 10}), alone;

    store(db, (struct made){.commit = "a", .speed = 14, .validity = VALIDITY_INVALID});
    fail(db, (struct made){.commit = "a"}, "the worker was killed by signal 9");
    store(db, (struct made){.commit = "a", .speed = 15}); /* counts */
    fail(db, (struct made){.commit = "b"}, "of another commit");
    fail(db, (struct made){.commit = "a", .batch_size = 16}, "of another configuration");
    EXPECT_INT((long long)lost_of(db, one, runs), 2);
    EXPECT_HAS(runs[0], (how, "failed"), (because, "the worker was killed by signal 9"));
    EXPECT_HAS(runs[1], (how, "invalid"), (because, ""));
    execute(db, "UPDATE runs SET findings = '[{\"level\":\"warn\",\"words\":\"x\"},"
                "{\"level\":\"invalid\",\"words\":\"too few steps\"}]'"
                " WHERE validity = 'invalid'");
    EXPECT_INT((long long)lost_of(db, one, runs), 2);
    EXPECT_STR(runs[1].because, "too few steps");
    alone = store(db, (struct made){.speed = 10});
    fail(db, (struct made){0}, "without labels it is no repeat");
    EXPECT_INT((long long)lost_of(db, alone, runs), 0);
}

TEST_WITH_DATABASE(without_labels_a_run_is_alone)
{
    struct gate_run runs[GATE_RUNS_MAX];
    long long one = store(db, (struct made){.speed = 10}),
              two = store(db, (struct made){.speed = 11});

    EXPECT_INT((long long)repeats_of(db, one, runs), 1);
    EXPECT_INT(runs[0].number, one);
    EXPECT_INT((long long)others_of(db, two, NULL, NULL, 20, runs), 1);
    EXPECT_INT(runs[0].number, one);
    EXPECT_INT((long long)others_of(db, one, NULL, NULL, 20, runs), 0); /* nothing is older */
}

TEST_WITH_DATABASE(others_are_the_newest_with_a_label_or_the_older_ones)
{
    struct gate_run runs[GATE_RUNS_MAX];

    for (int i = 0; i < 5; i++)
        store(db, (struct made){.commit = "a", .branch = "main", .speed = 10 + i});
    long long mine = store(db, (struct made){.commit = "b", .branch = "next", .speed = 20});
    store(db, (struct made){.commit = "b", .branch = "next", .speed = 21});
    store(db, (struct made){.commit = "c", .branch = "main", .speed = 22});
    EXPECT_INT((long long)others_of(db, mine, NULL, NULL, 20, runs), 5);
    EXPECT_INT((long long)others_of(db, mine, NULL, NULL, 3, runs), 3);
    EXPECT_NEAR(runs[0].throughput.value, 14, 0);
    EXPECT_NEAR(runs[2].throughput.value, 12, 0);
    EXPECT_INT((long long)others_of(db, mine, "branch", "main", 20, runs), 6);
    EXPECT_NEAR(runs[0].throughput.value, 22, 0);
    EXPECT_INT((long long)others_of(db, mine, "branch", "next", 20, runs), 0); /* its repeats */
    EXPECT_INT((long long)others_of(db, mine, "main", "branch", 20, runs), 0);
}

TEST_WITH_DATABASE(runs_that_confirm_are_on_no_side)
{
    static const char *const keys[] = {GATE_SWEEP_KEY "x", "check x", NULL};
    static const char text[] = "{\"base\":{\"batch_size\":8},\"cells\":[{}],\"blocks\":1}";
    struct gate_run runs[GATE_RUNS_MAX];
    struct run_id id[COUNT(keys)], found;
    bool replayed, is_found = false;

    for (size_t i = 0; i < COUNT(keys); i++) {
        AUTO(sweep_clear) struct sweep sweep = {0};

        EXPECT(sweep_from_text(text, strlen(text), &four_cores, &sweep, NULL));
        EXPECT(sweeps_create(db,
                             &(struct sweep_order){.sweep = &sweep,
                                                   .blocks = 1,
                                                   .request = text,
                                                   .idempotency_key = keys[i],
                                                   .instance = "",
                                                   .now_us = NOON_US,
                                                   .queue_limit = 9},
                             &id[i], &replayed, NULL));
        end_next(db, &(struct made){.speed = 10 + (double)i});
    }
    long long last = store(db, (struct made){.speed = 20});
    EXPECT_INT((long long)others_of(db, last, NULL, NULL, 20, runs), 2);
    EXPECT_NEAR(runs[0].throughput.value, 12, 0);
    EXPECT_NEAR(runs[1].throughput.value, 11, 0);
    EXPECT(gate_sweep_find(db, GATE_SWEEP_KEY "x", &found, &is_found, NULL));
    EXPECT(is_found);
    EXPECT_STR(found.text, id[0].text);
    EXPECT(gate_sweep_find(db, GATE_SWEEP_KEY "y", &found, &is_found, NULL));
    EXPECT(!is_found);
}

/* As if it had come in with a token. */
static void send(struct db *db, long long number, const char *sender)
{
    execute_with(db, "UPDATE runs SET provenance = 'imported', sender = '%s' WHERE number = %lld",
                 sender, number);
}

TEST_WITH_DATABASE(runs_of_senders_count_where_these_are_trusted)
{
    struct gate_run runs[GATE_RUNS_MAX];
    long long older = store(db, (struct made){.branch = "main", .speed = 10}),
              mine = store(db, (struct made){.commit = "a", .speed = 11}),
              again = store(db, (struct made){.commit = "a", .speed = 12});
    AUTO(gate_subject_clear) struct gate_subject subject = subject_of(db, mine);
    struct gate_others wanted = {.subject = &subject, .limit = 20, .whose = GATE_LEFT_OUT};
    size_t count;

    send(db, older, "ci");
    send(db, again, "mallory");
    EXPECT_INT((long long)repeats_of(db, mine, runs), 1);
    EXPECT_INT((long long)repeats_of(db, again, runs),
               2); /* its caller looks at the run itself */
    EXPECT_INT((long long)others_of(db, mine, NULL, NULL, 20, runs), 0);
    EXPECT(gate_runs_repeats(db, &subject, GATE_LEFT_OUT, runs, &count, NULL));
    EXPECT_INT((long long)count, 1);
    EXPECT_STR(runs[0].sender, "mallory");
    EXPECT(gate_runs_others(db, &wanted, runs, &count, NULL));
    EXPECT_INT((long long)count, 1);
    EXPECT_STR(runs[0].sender, "ci");
    EXPECT(trust_set(db, "ci", NULL));
    EXPECT_INT((long long)others_of(db, mine, NULL, NULL, 20, runs), 1);
    EXPECT_INT((long long)repeats_of(db, mine, runs), 1);
}

TEST_WITH_DATABASE(a_price_is_in_dollars_or_not_known)
{
    static const struct {
        struct paid_price paid;
        double dollars;
    } prices[] = {
        {{0}, 0},
        {{.per_hour = 0.5, .currency = "USD"}, 0.5},
        {{.per_hour = 0.5, .currency = "EUR"}, 0},
        {{.currency = "USD"}, 0},
        {{.per_hour = 0.45, .nanos = 500000000, .currency = "USD"}, 0.45},
    };
    struct gate_run runs[GATE_RUNS_MAX];

    for (size_t i = 0; i < COUNT(prices); i++) {
        long long number = store(db, (struct made){.speed = 10, .paid = prices[i].paid});

        EXPECT_INT((long long)repeats_of(db, number, runs), 1);
        EXPECT_NEAR(runs[0].dollars, prices[i].dollars, 0);
    }
}
