/* Every allocation on the way to an answer of the gate fails, each in its turn: the answer is the
 * whole one, or none. As in allocation_test.c, texts that are parsed have no token over 15 bytes.
 */
#include "tests/faults/shortages.h"

#include "server/http/json/present_check.h"
#include "server/http/server.h"
#include "tests/faults/template.h"

static struct template database;
static struct run_id runs[3];
static const char *baseline; /* how it is asked for */

/* Finished runs of two configurations: 0 is fast, 1 slower in a larger batch, 2 not valid. */
static void fill_with_finished_runs(struct db *db)
{
    static char findings[] = "[{\"code\":\"c\",\"level\":\"invalid\",\"words\":\"because\"}]";

    for (int i = 0; i < 3; i++) {
        struct run_spec spec = labelled_spec();
        struct run_order order = order_of(&spec);

        spec.batch_size = i == 1 ? 16 : 8;
        snprintf(spec.labels[1].value, sizeof spec.labels[1].value, "%d", i);
        create_one(db, &order);
        AUTO(run_clear) struct run run = claim_run(db);
        runs[i] = run.id;
        run.state = RUN_FINISHED;
        run.ended_us = NOON_US + 9;
        run.ended_by = pace_verdict_name(PACE_TARGET);
        run.summary = (struct summary){.measured_steps = 2,
                                       .measured_seconds = 1,
                                       .samples_per_second = 100 - i,
                                       .median_step_seconds = 1,
                                       .throughput = {true, 99 - i, 101 - i}};
        run.validity = i == 2 ? VALIDITY_INVALID : VALIDITY_OK;
        run.findings = strdup(findings);
        EXPECT(runs_end(db, &run, NULL));
    }
    /* As if it were known on what they were measured. */
    EXPECT(db_execute(db, "UPDATE contenders SET stratum = 's'", NULL));
}

static bool present_all(const struct gate_check *check, struct bytes texts[4])
{
    struct json_writer outs[3] = {
        {.bytes = &texts[1]}, {.bytes = &texts[2]}, {.bytes = &texts[3]}};

    present_check(&outs[0], check);
    present_check_github(&outs[1], check);
    present_check_bencher(&outs[2], check);
    return present_check_markdown(&texts[0], check, "") && !outs[0].failed && !outs[1].failed &&
           !outs[2].failed;
}

static struct gate_request request_of(const char *asked)
{
    struct gate_request request = {0};
    struct query query;

    EXPECT(query_read(asked, &query, NULL));
    EXPECT(gate_request_read(&query, &request, NULL));
    return request;
}

/* The answer in all its forms, from a connection of its own. */
static bool answer(const struct run_id *id, bool rationed, struct bytes texts[4],
                   struct error *err)
{
    const struct gate_request request = request_of(baseline);
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    struct run_id waits_for;

    if (rationed)
        ration_start();
    AUTO(gate_check_freep)
    struct gate_check *check = gate_check_load(db, id, &request, &waits_for, err);
    bool ok = check != NULL;
    if (ok && !present_all(check, texts))
        ok = error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    ration_stop();
    return ok;
}

static bool ask(const struct run_id *id, const char *verdict, struct error *err)
{
    struct bytes got[4] = {{.limit = 9999}, {.limit = 9999}, {.limit = 9999}, {.limit = 9999}};
    struct bytes whole[4] = {{.limit = 9999}, {.limit = 9999}, {.limit = 9999}, {.limit = 9999}};
    bool ok = answer(id, true, got, err);

    EXPECT(answer(id, false, whole, NULL));
    EXPECT(strstr(whole[0].data, verdict) != NULL);
    for (int i = 0; i < 4; i++) {
        if (ok)
            EXPECT_STR(got[i].data, whole[i].data);
        bytes_free(&got[i]);
        bytes_free(&whole[i]);
    }
    return ok;
}

static bool ask_beside_a_run(struct error *err)
{
    return ask(&runs[1], "**pass**", err);
}

static bool ask_about_an_invalid_run(struct error *err)
{
    return ask(&runs[2], "because", err);
}

/* Three runs in a small batch, and three that are much slower in a large one. */
static void fill_with_a_failure(struct db *db)
{
    for (int i = 0; i < 6; i++) {
        struct run_spec spec = labelled_spec();
        struct run_order order = order_of(&spec);

        spec.batch_size = i < 3 ? 8 : 16;
        create_one(db, &order);
        AUTO(run_clear) struct run run = claim_run(db);
        runs[i / 3] = run.id;
        run.state = RUN_FINISHED;
        run.ended_us = NOON_US + 9;
        run.ended_by = pace_verdict_name(PACE_TARGET);
        run.summary = (struct summary){.measured_steps = 2,
                                       .measured_seconds = 1,
                                       .samples_per_second = (i < 3 ? 100 : 50) + 0.1 * i,
                                       .median_step_seconds = 1};
        run.validity = VALIDITY_OK;
        EXPECT(runs_end(db, &run, NULL));
    }
    EXPECT(db_execute(db, "UPDATE contenders SET stratum = 's'", NULL));
}

static bool may(void *user, long long count)
{
    (void)user;
    EXPECT_INT(count, 12);
    return true;
}

/* The failure above is being measured again. Queueing that parses longer tokens than may fail. */
static void fill_with_a_confirmation(struct db *db)
{
    static struct topology topology = {.cpu_count = 2, .core_count = 2, .node_count = 1};
    static const struct config config = {.queue_limit = 12, .life_cycle = "auto"};
    struct this_machine *here = this_machine_new(&config, NULL);
    char target[60];
    struct run_id waits_for;

    EXPECT(here != NULL);
    here->place = (struct place){.topology = &topology, .root = "/nowhere"};
    snprintf(here->machine.stratum, sizeof here->machine.stratum, "s");
    fill_with_a_failure(db);
    snprintf(target, sizeof target, "/?baseline=%s&confirm=true", runs[0].text);
    const struct gate_request request = request_of(target);
    AUTO(gate_check_freep)
    struct gate_check *check = gate_check_load(db, &runs[1], &request, &waits_for, NULL);
    EXPECT(check && check->fails_first && check->confirmation.state == CONFIRM_NONE);
    struct gate_queueing queueing = {.queue_limit = 12, .may = may};
    EXPECT(check && gate_queue_confirmation(db, here, check, &queueing, NULL));
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs WHERE state = 'queued'"), 12);
    this_machine_free(here);
}

static bool ask_what_is_confirmed(struct error *err)
{
    return ask(&runs[1], "being measured again", err);
}

static void a_confirmation_is_found_or_the_answer_is_none(void)
{
    char target[60];

    database = template_make(schema_version, fill_with_a_confirmation);
    snprintf(target, sizeof target, "/?baseline=%s&confirm=true", runs[0].text);
    baseline = target;
    survive_shortages("confirmation", ask_what_is_confirmed, 3);
    template_free(&database);
}

static void an_answer_is_whole_or_none(void)
{
    char target[60];

    database = template_make(schema_version, fill_with_finished_runs);
    snprintf(target, sizeof target, "/?baseline=%s&confirm=true", runs[0].text);
    baseline = target;
    survive_shortages("beside a run", ask_beside_a_run, 3);
    baseline = "/?baseline=branch=main";
    survive_shortages("of a label", ask_about_an_invalid_run, 3);
    template_free(&database);
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    RUN(an_answer_is_whole_or_none);
    RUN(a_confirmation_is_found_or_the_answer_is_none);
    return test_result();
}
