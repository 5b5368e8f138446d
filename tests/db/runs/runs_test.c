#include "db/runs/runs.h"

#include "engine/run/pace.h"
#include "tests/db/database.h"

static struct run_spec spec_with_labels(void)
{
    struct run_spec spec = run_spec_default();

    spec.label_count = 2;
    spec.labels[0] = (struct label){"branch", "main"};
    spec.labels[1] = (struct label){"commit", "f00"};
    return spec;
}

/* A run under way. */
static struct run begun_run(struct db *db)
{
    struct run_spec spec = spec_with_labels();
    struct run_order order = order_of(&spec);

    create_one(db, &order);
    return claim_run(db);
}

#define SUMMARY                                                                                  \
    ((struct summary){.measured_steps = 30,                                                      \
                      .measured_seconds = 1.5,                                                   \
                      .samples_per_second = 640.25,                                              \
                      .median_step_seconds = 0.0625,                                             \
                      .first_measured = 6,                                                       \
                      .throughput = {.known = true, .low = 630.5, .high = 650.75}})

TEST_WITH_DATABASE(a_created_run_is_queued_with_what_was_asked)
{
    struct run_spec spec = spec_with_labels();
    struct run_order order = order_of(&spec);

    order.instance = "c7i.large";
    AUTO(run_clear) struct run run = create_run(db, &order);
    AUTO(run_clear) struct run found = find_run(db, run.id.text);
    EXPECT_INT(run.state, RUN_QUEUED);
    EXPECT(run_id_is_valid(run.id.text));
    expect_spec(&run.spec, &spec);
    EXPECT_STR(run.instance, "c7i.large");
    EXPECT_INT(run.created_us, NOON_US);
    EXPECT_INT(run.started_us, 0);
    EXPECT_INT(run.ended_us, 0);
    EXPECT_INT(run.steps, 0);
    EXPECT(run.ended_by == NULL && run.stderr_tail == NULL);
    EXPECT_STR(run.reason, "");

    EXPECT_INT(found.number, run.number);
    EXPECT_STR(found.id.text, run.id.text);
    expect_spec(&found.spec, &spec);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM run_labels WHERE run = 1"
                             " AND (key, value) IN (('branch', 'main'), ('commit', 'f00'))"),
               2);
}

TEST_WITH_DATABASE(runs_are_numbered_in_the_order_of_acceptance)
{
    struct run_spec spec = spec_with_labels();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run first = create_run(db, &order);
    AUTO(run_clear) struct run second = create_run(db, &order);

    EXPECT(second.number > first.number);
    EXPECT(strcmp(first.id.text, second.id.text) != 0);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM run_labels WHERE run = 2"), 2);
}

TEST_WITH_DATABASE(an_unknown_id_is_not_found)
{
    struct error err = {0};
    struct run run = {.number = 77};

    EXPECT(!runs_find(db, "01HF7YAT00000000000000000X", &run, &err));
    EXPECT_INT(err.kind, ERROR_NOT_FOUND);
    EXPECT_INT(run.number, 77); /* untouched */
}

TEST_WITH_DATABASE(the_same_key_answers_the_run_it_made_before)
{
    struct run_spec spec = spec_with_labels();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run again = {0};
    bool replayed = false;

    order.idempotency_key = "a key";
    AUTO(run_clear) struct run first = create_run(db, &order);
    EXPECT(runs_create(db, &order, &again, &replayed, NULL));
    EXPECT(replayed);
    EXPECT_STR(again.id.text, first.id.text);
    expect_spec(&again.spec, &first.spec);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs"), 1);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM run_labels"), 2);
}

TEST_WITH_DATABASE(a_replay_shows_the_run_as_it_is_now)
{
    struct run_spec spec = spec_with_labels();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run again = {0};
    bool replayed = false;

    order.idempotency_key = "a key";
    create_one(db, &order);
    claim_one(db);
    EXPECT(runs_create(db, &order, &again, &replayed, NULL));
    EXPECT_INT(again.state, RUN_RUNNING);
}

TEST_WITH_DATABASE(the_same_key_with_another_spec_is_a_mismatch)
{
    struct run_spec spec = spec_with_labels();
    struct run_order order = order_of(&spec);
    struct run run = {0};
    struct error err = {0};
    bool replayed = false;

    order.idempotency_key = "a key";
    create_one(db, &order);
    spec.seed++;
    EXPECT(!runs_create(db, &order, &run, &replayed, &err));
    EXPECT_INT(err.kind, ERROR_MISMATCH);
    EXPECT_STR(err.field, "Idempotency-Key");
    EXPECT_INT(run.number, 0);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs"), 1);
}

TEST_WITH_DATABASE(a_full_queue_takes_nothing_but_answers_replays)
{
    struct run_spec spec = spec_with_labels();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run again = {0};
    struct run refused = {0};
    struct error err = {0};
    bool replayed = false;

    order.queue_limit = 2;
    create_one(db, &order);
    order.idempotency_key = "the second";
    AUTO(run_clear) struct run second = create_run(db, &order);
    order.idempotency_key = "the third";
    EXPECT(!runs_create(db, &order, &refused, &replayed, &err));
    EXPECT_INT(err.kind, ERROR_FULL);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs"), 2);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM run_labels"), 4);

    order.idempotency_key = "the second";
    EXPECT(runs_create(db, &order, &again, &replayed, NULL));
    EXPECT(replayed);
    EXPECT_STR(again.id.text, second.id.text);
}

TEST_WITH_DATABASE(a_claimed_run_makes_room_in_the_queue)
{
    struct run_spec spec = spec_with_labels();
    struct run_order order = order_of(&spec);

    order.queue_limit = 1;
    create_one(db, &order);
    claim_one(db);
    AUTO(run_clear) struct run second = create_run(db, &order);
    EXPECT_INT(second.state, RUN_QUEUED);
}

TEST_WITH_DATABASE(the_oldest_queued_run_is_claimed_first)
{
    struct run_spec spec = spec_with_labels();
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
    EXPECT_STR(first.id.text, one.id.text);
    EXPECT_INT(first.state, RUN_RUNNING);
    EXPECT_INT(first.started_us, NOON_US + 1);
    expect_spec(&first.spec, &one.spec);
    EXPECT_STR(second.id.text, three.id.text); /* two was cancelled */

    EXPECT(runs_claim(db, NOON_US, 0, &none, &found, NULL));
    EXPECT(!found);
    EXPECT_INT(none.number, 77);
}

TEST_WITH_DATABASE(a_finished_run_keeps_all_that_the_worker_reported)
{
    AUTO(run_clear) struct run run = begun_run(db);

    run.state = RUN_FINISHED;
    run.ended_us = NOON_US + 5;
    run.ended_by = pace_verdict_name(PACE_TARGET);
    run.summary = SUMMARY;
    run.summary_text = strdup("{\"method\":1}");
    run.validity = VALIDITY_WARN;
    run.findings = strdup("[]");
    run.loaded = strdup("{\"allocator\":\"system\"}");
    run.certified = (struct certified){.whole_known = true, .whole = 0.996};
    run.setup_ns = 1234567;
    snprintf(run.software, sizeof run.software, "%s", "native 1");
    EXPECT(runs_end(db, &run, NULL));

    AUTO(run_clear) struct run found = find_run(db, run.id.text);
    EXPECT_INT(found.state, RUN_FINISHED);
    EXPECT_INT(found.ended_us, NOON_US + 5);
    EXPECT_INT(found.started_us, NOON_US + 1);
    EXPECT_STR(found.ended_by, pace_verdict_name(PACE_TARGET));
    EXPECT_STR(found.software, "native 1");
    EXPECT_INT(found.summary.measured_steps, 30);
    EXPECT_NEAR(found.summary.measured_seconds, 1.5, 0);
    EXPECT_NEAR(found.summary.samples_per_second, 640.25, 0);
    EXPECT_NEAR(found.summary.median_step_seconds, 0.0625, 0);
    EXPECT_INT(found.summary.first_measured, 6);
    EXPECT(found.summary.throughput.known);
    EXPECT_NEAR(found.summary.throughput.low, 630.5, 0);
    EXPECT_NEAR(found.summary.throughput.high, 650.75, 0);
    EXPECT_STR(found.summary_text, "{\"method\":1}");
    EXPECT_INT(found.validity, VALIDITY_WARN);
    EXPECT_STR(found.findings, "[]");
    EXPECT_STR(found.loaded, "{\"allocator\":\"system\"}");
    EXPECT(found.certified.whole_known && !found.certified.worst_known);
    EXPECT_NEAR(found.certified.whole, 0.996, 0);
    EXPECT_INT(found.setup_ns, 1234567);
    EXPECT_STR(found.machine, "");
    EXPECT_STR(found.reason, "");
    EXPECT(found.stderr_tail == NULL);
}

TEST_WITH_DATABASE(the_details_of_the_engine_are_kept_however_the_run_ends)
{
    AUTO(freep) char *early = NULL, *late = NULL;
    AUTO(run_clear) struct run run = begun_run(db);

    EXPECT(runs_implementations(db, run.id.text, &early, NULL));
    EXPECT(early == NULL);
    run.state = RUN_FAILED;
    run.engine_details = strdup("{\"isa\":\"avx2\"}");
    run.samples = 1120;
    run.peak_memory_bytes = 1LL << 40;
    run.implementations = strdup("{\"fc\":{\"forward\":\"jit:avx2\"}}");
    EXPECT(runs_end(db, &run, NULL));

    AUTO(run_clear) struct run found = find_run(db, run.id.text);
    EXPECT_STR(found.engine_details, run.engine_details);
    EXPECT_INT(found.samples, 1120);
    EXPECT_INT(found.peak_memory_bytes, 1LL << 40);
    EXPECT(found.implementations == NULL); /* it is asked for apart */
    EXPECT(runs_implementations(db, run.id.text, &late, NULL));
    EXPECT_STR(late, run.implementations);
}

TEST_WITH_DATABASE(details_that_the_engine_left_out_are_unknown)
{
    AUTO(freep) char *text = NULL;
    AUTO(run_clear) struct run run = begun_run(db);

    run.state = RUN_CANCELLED;
    EXPECT(runs_end(db, &run, NULL));
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs WHERE engine_details IS NULL"
                             " AND samples IS NULL AND peak_memory_bytes IS NULL"),
               1);
    EXPECT(runs_implementations(db, run.id.text, &text, NULL));
    EXPECT(text == NULL);
}

TEST_WITH_DATABASE(implementations_of_an_unknown_run_are_not_found)
{
    struct error err = {0};
    char *text = NULL;

    EXPECT(!runs_implementations(db, "01HF7YAT00000000000000000X", &text, &err));
    EXPECT_INT(err.kind, ERROR_NOT_FOUND);
    EXPECT(text == NULL);
}

TEST_WITH_DATABASE(a_failed_run_keeps_its_reason_and_last_words)
{
    AUTO(run_clear) struct run run = begun_run(db);

    run.state = RUN_FAILED;
    run.ended_us = NOON_US + 5;
    run.summary = SUMMARY; /* of a failed run it is no number */
    run.stderr_tail = strdup("no\nmemory: \xc3\xa4");
    snprintf(run.reason, sizeof run.reason, "%s", "it's \"broken\"");
    EXPECT(runs_end(db, &run, NULL));

    AUTO(run_clear) struct run found = find_run(db, run.id.text);
    EXPECT_INT(found.state, RUN_FAILED);
    EXPECT_STR(found.reason, "it's \"broken\"");
    EXPECT_STR(found.stderr_tail, "no\nmemory: \xc3\xa4");
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs WHERE samples_per_second IS NULL"
                             " AND measured_steps IS NULL AND measured_seconds IS NULL"
                             " AND median_step_seconds IS NULL AND software IS NULL"),
               1);
}

TEST_WITH_DATABASE(only_a_running_run_is_ended)
{
    struct run_spec spec = spec_with_labels();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run run = create_run(db, &order);
    struct error err = {0};

    run.state = RUN_FAILED;
    EXPECT(!runs_end(db, &run, &err));
    EXPECT_INT(err.kind, ERROR_CONFLICT);
    AUTO(run_clear) struct run queued = find_run(db, run.id.text);
    EXPECT_INT(queued.state, RUN_QUEUED);

    claim_one(db);
    EXPECT(runs_end(db, &run, NULL));
    run.state = RUN_INTERRUPTED;
    EXPECT(!runs_end(db, &run, NULL));
    AUTO(run_clear) struct run ended = find_run(db, run.id.text);
    EXPECT_INT(ended.state, RUN_FAILED);
}
