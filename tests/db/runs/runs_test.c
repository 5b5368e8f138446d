#include "db/runs/runs.h"

#include "tests/db/database.h"

/* A run under way. */
static struct run begun_run(struct db *db)
{
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);

    create_one(db, &order);
    return claim_run(db);
}

TEST_WITH_DATABASE(a_created_run_is_queued_with_what_was_asked)
{
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);

    order.instance = "c7i.large";
    AUTO(run_clear) struct run run = create_run(db, &order);
    AUTO(run_clear) struct run found = find_run(db, run.id.text);
    EXPECT_INT(run.state, RUN_QUEUED);
    EXPECT(run_id_is_valid(run.id.text));
    expect_spec(&run.spec, &spec);
    EXPECT_HAS(run, (instance, "c7i.large"), (created_us, NOON_US), (started_us, 0),
               (ended_us, 0), (steps, 0));
    EXPECT(run.ended_by == NULL && run.stderr_tail == NULL);
    EXPECT_STR(run.reason, "");

    EXPECT_SAME(found, run, number, id.text);
    expect_spec(&found.spec, &spec);
    EXPECT_ROWS(db, 2,
                "run_labels WHERE run = 1 AND (key, value) IN (('branch', 'main'), ('commit',"
                " 'f00'))");
}

TEST_WITH_DATABASE(an_unknown_id_is_not_found)
{
    struct run run = {.number = 77};

    EXPECT_ERROR(runs_find(db, "01HF7YAT00000000000000000X", &run, &err), ERROR_NOT_FOUND);
    EXPECT_INT(run.number, 77); /* untouched */
}

TEST_WITH_DATABASE(the_same_key_answers_the_run_it_made_before)
{
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run again = {0};
    bool replayed = false;

    order.idempotency_key = "a key";
    AUTO(run_clear) struct run first = create_run(db, &order);
    EXPECT(runs_create(db, &order, &again, &replayed, NULL));
    EXPECT(replayed);
    EXPECT_STR(again.id.text, first.id.text);
    expect_spec(&again.spec, &first.spec);
    EXPECT_ROWS(db, 1, "runs");
    EXPECT_ROWS(db, 2, "run_labels");
    claim_one(db);
    AUTO(run_clear) struct run running = {0};
    EXPECT(runs_create(db, &order, &running, &replayed, NULL));
    EXPECT_INT(running.state, RUN_RUNNING); /* as it is now */
}

TEST_WITH_DATABASE(the_same_key_with_another_spec_is_a_mismatch)
{
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);
    struct run run = {0};
    bool replayed = false;

    order.idempotency_key = "a key";
    create_one(db, &order);
    spec.seed++;
    EXPECT_FAILS(runs_create(db, &order, &run, &replayed, &err), (kind, ERROR_MISMATCH),
                 (field, "Idempotency-Key"));
    EXPECT_INT(run.number, 0);
    EXPECT_ROWS(db, 1, "runs");
}

TEST_WITH_DATABASE(a_full_queue_takes_nothing_but_answers_replays)
{
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run again = {0};
    struct run refused = {0};
    bool replayed = false;

    order.queue_limit = 2;
    create_one(db, &order);
    order.idempotency_key = "the second";
    AUTO(run_clear) struct run second = create_run(db, &order);
    order.idempotency_key = "the third";
    EXPECT_ERROR(runs_create(db, &order, &refused, &replayed, &err), ERROR_FULL);
    EXPECT_ROWS(db, 2, "runs");
    EXPECT_ROWS(db, 4, "run_labels");

    order.idempotency_key = "the second";
    EXPECT(runs_create(db, &order, &again, &replayed, NULL));
    EXPECT(replayed);
    EXPECT_STR(again.id.text, second.id.text);
    claim_one(db);
    order.idempotency_key = "the third";
    create_one(db, &order); /* a run that was claimed makes room */
}

TEST_WITH_DATABASE(the_oldest_queued_run_is_claimed_first)
{
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run one = create_run(db, &order);
    AUTO(run_clear) struct run two = create_run(db, &order);
    AUTO(run_clear) struct run three = create_run(db, &order);
    AUTO(run_clear) struct run cancelled = {0};
    struct run none = {.number = 77};
    bool found = true;

    EXPECT(runs_cancel(db, two.id.text, NOON_US, &cancelled, NULL));
    AUTO(run_clear) struct run first = claim_run(db);
    AUTO(run_clear) struct run second = claim_run(db);
    EXPECT_HAS(first, (id.text, one.id.text), (state, RUN_RUNNING), (started_us, NOON_US + 1));
    expect_spec(&first.spec, &one.spec);
    EXPECT_STR(second.id.text, three.id.text); /* two was cancelled */

    EXPECT(runs_claim(db, NOON_US, 0, &none, &found, NULL));
    EXPECT(!found);
    EXPECT_INT(none.number, 77);
}

TEST_WITH_DATABASE(a_failed_run_keeps_its_reason_and_last_words_and_has_no_number)
{
    AUTO(run_clear) struct run run = begun_run(db);

    run.state = RUN_FAILED;
    run.ended_us = NOON_US + 5;
    run.summary = (struct summary){.measured_steps = 30,
                                   .measured_seconds = 1.5,
                                   .samples_per_second = 640.25,
                                   .median_step_seconds = 0.0625};
    run.stderr_tail = strdup("no\nmemory: \xc3\xa4");
    snprintf(run.reason, sizeof run.reason, "%s", "it's \"broken\"");
    EXPECT(runs_end(db, &run, NULL));

    AUTO(run_clear) struct run found = find_run(db, run.id.text);
    EXPECT_HAS(found, (state, RUN_FAILED), (reason, "it's \"broken\""),
               (stderr_tail, "no\nmemory: \xc3\xa4"));
    EXPECT_ROWS(db, 1,
                "runs WHERE samples_per_second IS NULL AND measured_steps IS NULL AND"
                " measured_seconds IS NULL AND median_step_seconds IS NULL AND software IS NULL");
}

/* Each other member of a run that ends is in run_row_test.c. */
TEST_WITH_DATABASE(implementations_are_asked_for_apart)
{
    AUTO(freep) char *early = NULL, *late = NULL, *none = NULL;
    AUTO(run_clear) struct run run = begun_run(db);

    EXPECT(runs_implementations(db, run.id.text, &early, NULL));
    EXPECT(early == NULL);
    run.state = RUN_FAILED;
    run.implementations = strdup("{\"fc\":{\"forward\":\"jit:avx2\"}}");
    run.certified = (struct certified){.whole_known = true, .whole = 0.996};
    EXPECT(runs_end(db, &run, NULL));
    AUTO(run_clear) struct run found = find_run(db, run.id.text);
    EXPECT(found.implementations == NULL);
    EXPECT(found.certified.whole_known && !found.certified.worst_known);
    EXPECT(runs_implementations(db, run.id.text, &late, NULL));
    EXPECT_STR(late, run.implementations);
    EXPECT_ERROR(runs_implementations(db, "01HF7YAT00000000000000000X", &none, &err),
                 ERROR_NOT_FOUND);
}

TEST_WITH_DATABASE(only_a_running_run_is_ended)
{
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run run = create_run(db, &order);

    run.state = RUN_FAILED;
    EXPECT_ERROR(runs_end(db, &run, &err), ERROR_CONFLICT);
    AUTO(run_clear) struct run queued = find_run(db, run.id.text);
    EXPECT_INT(queued.state, RUN_QUEUED);

    claim_one(db);
    EXPECT(runs_end(db, &run, NULL));
    run.state = RUN_INTERRUPTED;
    EXPECT(!runs_end(db, &run, NULL));
    AUTO(run_clear) struct run ended = find_run(db, run.id.text);
    EXPECT_INT(ended.state, RUN_FAILED);
}
