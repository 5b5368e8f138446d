/* Every allocation on the way from a finished run to a hub's answer and its record fails, each in
 * its turn, and so does every call of the disk: nothing is recorded that was not answered,
 * nothing is half recorded, and the next try sends what is left. */
#include "tests/faults/shortages.h"

#include "server/cli/bench_plan.h"
#include "server/cli/bench_table.h"
#include "server/hub/hub_upload.h"
#include "server/hub/hub_wanted.h"
#include "tests/db/finished.h"
#include "tests/faults/accidents.h"
#include "tests/faults/template.h"
#include "tests/server/hub/hub.h"

#define NAME "http://hub.test"

static struct template database;

/* Runs 1 to 3 have ended; the first has a trace in rows. */
static void fill(struct db *db)
{
    const struct step step = {.nanoseconds = 10, .loss = 0.5};
    struct run_spec spec = labelled_spec();

    for (int i = 0; i < 3; i++)
        ENDED(db, 100, .spec = &spec);
    EXPECT(step_rows_append(db, 1, 0, &step, 1, NULL));
}

static struct hub_upload upload_of(struct db *db, struct hub *hub)
{
    return (struct hub_upload){
        .db = db, .hub = NAME, .token = "", .ca = "", .fetch = hub_fetch, .fetcher = hub};
}

/* After whatever has happened: all is sent that is left, and the hub has all. */
static void expect_the_rest_is_sent(struct db *db, bool settled)
{
    struct delivery_counts counts;
    struct hub_upload_outcome outcome;
    HUB(hub, {.known = true});
    struct hub_upload upload = upload_of(db, &hub);

    EXPECT(deliveries_count(db, NAME, &counts, NULL));
    EXPECT_INT(counts.waiting + counts.accepted, 3);
    EXPECT(!settled || counts.accepted > 0);
    for (int i = 0; i < 5 && counts.waiting > 0; i++) {
        hub_upload_send(&upload, &outcome);
        EXPECT_STR(outcome.error.message, "");
        EXPECT(deliveries_count(db, NAME, &counts, NULL));
    }
    EXPECT_INT(counts.accepted, 3);
    EXPECT_INT(counts.refused, 0);
}

static bool send(struct error *err)
{
    template_restore(&database);
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    HUB(hub, {0});
    struct hub_upload upload = upload_of(db, &hub);
    struct hub_upload_outcome outcome;

    ration_start();
    hub_upload_send(&upload, &outcome);
    ration_stop();
    *err = outcome.error;
    /* jansson without memory takes a good answer for a bad one: as good as no answer. */
    if (outcome.result == HUB_UPLOAD_FAILED && err->kind == ERROR_UPSTREAM)
        err->kind = ERROR_INTERNAL;
    /* A document that could not be made is left for the next try. */
    if (outcome.result == HUB_UPLOAD_SENT && outcome.accepted < 3)
        err->kind = ERROR_INTERNAL;
    EXPECT(outcome.result == HUB_UPLOAD_SENT || outcome.result == HUB_UPLOAD_FAILED);
    expect_the_rest_is_sent(db, outcome.accepted > 0);
    expect_usable(db);
    return outcome.accepted == 3;
}

static bool survive_disk(const void *subject, struct fault_plan plan)
{
    HUB(hub, {0});
    struct hub_upload_outcome outcome;
    struct hub_upload upload;
    long long failed;

    (void)subject;
    template_restore(&database);
    struct db *db = open_database(&database.folder);
    do_not_wait(db);
    upload = upload_of(db, &hub);
    fault_arm(plan);
    hub_upload_send(&upload, &outcome);
    if (plan.for_good) { /* it is gone with its disk */
        db_free(take(&db));
        failed = fault_disarm();
        db = open_database(&database.folder);
    } else {
        failed = fault_disarm();
    }
    EXPECT(outcome.result == HUB_UPLOAD_SENT || failed_by_the_disk(&outcome.error));
    expect_the_rest_is_sent(db, outcome.accepted > 0);
    expect_usable(db);
    db_free(db);
    return failed == 0;
}

static void a_report_survives_every_shortage_of_memory(void)
{
    database = template_make(schema_version, fill);
    survive_shortages("send", send, 1);
    template_free(&database);
}

static void a_report_survives_every_accident_of_the_disk(void)
{
    database = template_make(schema_version, fill);
    survive_accidents("send", survive_disk, NULL);
    template_free(&database);
}

/* What a hub wants: read whole, or not at all. */
static bool read_wanted(struct error *err)
{
    static const char text[] =
        "{\"wanted\":[{\"spec\":{\"workload\":\"mlp\"},\"words\":\"few\"}]}";
    const struct hub_answer answer = {"application/json", text, sizeof text - 1};
    struct hub_wanted wanted = {.count = 77};
    bool ok;

    ration_start();
    ok = hub_wanted_read(&answer, &wanted, err);
    ration_stop();
    EXPECT_INT((long long)wanted.count, ok ? 1 : 77);
    return ok;
}

static void what_a_hub_wants_survives_every_shortage_of_memory(void)
{
    survive_shortages("wanted", read_wanted, 1);
}

static bool plan(struct error *err)
{
    AUTO(bench_plan_clear) struct bench_plan made = {0};
    const struct bench_wish wish = {.set = "standard",
                                    .label = "a=b;c=d",
                                    .max_seconds = 100,
                                    .max_dollars = 1,
                                    .has_bf16 = true};

    ration_start();
    bool ok = bench_plan_make(&wish, &made, err);
    ration_stop();
    EXPECT(ok == (made.request != NULL));
    EXPECT(!ok || (strstr(made.request, "\"c\":\"d\"") && strstr(made.request, "bf16") &&
                   strstr(made.request, "max_dollars") && strstr(made.request, "min_seconds")));
    return ok;
}

static bool answer(struct error *err)
{
    static const char text[] = "{\"imported\":1,\"known\":0,\"refused\":1,\"errors\":["
                               "{\"line\":2,\"id\":null,\"field\":null,\"reason\":\"r\"}]}";
    const struct hub_answer given = {"application/json", text, sizeof text - 1};
    struct hub_line lines[2] = {{.delivery.run = 1}, {.delivery.run = 2}};

    ration_start();
    bool ok = hub_reply_read(&given, lines, 2, err);
    ration_stop();
    EXPECT_INT(lines[0].delivery.verdict, ok ? DELIVERY_ACCEPTED : DELIVERY_WAITING);
    EXPECT_INT(lines[1].delivery.verdict, ok ? DELIVERY_REFUSED : DELIVERY_WAITING);
    if (!ok)
        err->kind = ERROR_INTERNAL; /* to distinguish it from a malformed answer */
    return ok;
}

static void plans_and_answers_survive_every_shortage(void)
{
    survive_every_shortage("plan", plan);
    survive_every_shortage("answer", answer);
}

static struct run_id sweep_id;

static void fill_with_sweep(struct db *db)
{
    static struct topology topology = {
        .cpu_count = 2, .core_count = 2, .package_count = 1, .node_count = 1};
    static const char request[] = "{\"blocks\":2,\"base\":{\"labels\":{\"branch\":\"main\","
                                  "\"commit\":\"f00\"}},\"cells\":[{\"seed\":7}]}";
    const struct place place = {.topology = &topology, .root = "/nowhere"};
    AUTO(sweep_clear) struct sweep sweep = {0};
    bool replayed;

    EXPECT(sweep_from_text(request, strlen(request), &place, &sweep, NULL));
    EXPECT(sweeps_create(db,
                         &(struct sweep_order){.sweep = &sweep,
                                               .blocks = 2,
                                               .request = request,
                                               .instance = "m5.large",
                                               .now_us = NOON_US,
                                               .queue_limit = 10},
                         &sweep_id, &replayed, NULL));
    for (int i = 0; i < 2; i++) {
        AUTO(run_clear) struct run run = claim_run(db);

        run.state = RUN_FINISHED;
        run.ended_us = NOON_US;
        run.ended_by = "target";
        run.validity = VALIDITY_OK;
        run.summary.samples_per_second = 10;
        EXPECT(runs_end(db, &run, NULL));
    }
}

static bool report(struct error *err)
{
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    const struct hub_uploader_status hub = {.hub = NAME};
    AUTO(bench_report_clear)
    struct bench_report bench = {.set = "quick",
                                 .facts = "{}",
                                 .price = {.known = true, .dollars = 1, .factor = 1},
                                 .at_us = NOON_US,
                                 .blocks = 2,
                                 .hub = &hub};
    AUTO(bytes_free) struct bytes table = {.limit = 100000}, json = {.limit = 100000};

    ration_start();
    bool loaded = bench_report_load(db, sweep_id.text, &bench, err);
    bool ok = loaded && bench_table_write(&table, &bench) && bench_json_write(&json, &bench);
    ration_stop();
    if (loaded && !ok)
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    EXPECT(!ok || (strstr(table.data, "no valid") == NULL && bench.run_count == 2));
    return ok;
}

static void printing_survives_every_shortage(void)
{
    database = template_make(schema_version, fill_with_sweep);
    template_restore(&database);
    survive_shortages("report", report, 2);
    template_free(&database);
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    RUN(a_report_survives_every_shortage_of_memory);
    RUN(what_a_hub_wants_survives_every_shortage_of_memory);
    RUN(a_report_survives_every_accident_of_the_disk);
    RUN(plans_and_answers_survive_every_shortage);
    RUN(printing_survives_every_shortage);
    return test_result();
}
