/* Every allocation of the database fails, each in its turn: nothing is half done, and who asks
 * again when there is memory is served. */
#include "tests/faults/shortages.h"

#include "db/contenders/contenders.h"
#include "db/db_lock.h"
#include "db/runs/evidence_rows.h"
#include "db/runs/machines.h"
#include "db/runs/run_list.h"
#include "db/runs/run_prices.h"
#include "db/runs/sweeps.h"
#include "db/runs/voids.h"
#include "tests/db/imported.h"
#include "tests/faults/fault_vfs.h"
#include "tests/faults/template.h"

static struct template database;

static bool create(struct db *db, struct error *err)
{
    struct run_spec spec = labelled_spec();
    struct run_order order = order_of(&spec);
    AUTO(run_clear) struct run run = {0};
    bool replayed;

    order.idempotency_key = "k";
    bool ok = runs_create(db, &order, &run, &replayed, err);
    EXPECT(!ok || (run.spec_text && run_id_is_valid(run.id.text)));
    return ok;
}

static bool find(struct db *db, struct error *err)
{
    AUTO(run_clear) struct run run = {0};
    bool found = false;

    if (!runs_orphan(db, &run, &found, err) || !found)
        return false;
    AUTO(run_clear) struct run same = {0};
    bool ok = runs_find(db, run.id.text, &same, err);
    EXPECT(!ok || (same.number == 1 && strstr(same.spec_text, "\"commit\":\"f00\"")));
    return ok;
}

static bool claim(struct db *db, struct error *err)
{
    AUTO(run_clear) struct run run = {0};
    bool found = false;

    return runs_claim(db, NOON_US, 0, &run, &found, err);
}

static bool end(struct db *db, struct error *err)
{
    char details[] = "{}", implementations[] = "{}";
    struct run run = {.number = 1,
                      .state = RUN_FAILED,
                      .ended_us = NOON_US,
                      .reason = "r",
                      .engine_details = details,
                      .implementations = implementations};

    return runs_end(db, &run, err);
}

static struct topology topology = {.cpu_count = 1, .core_count = 1, .node_count = 1};
static const struct place place = {.topology = &topology, .root = "/nowhere"};

static bool create_sweep(struct db *db, struct error *err)
{
    static const char text[] = "{\"base\":{\"labels\":{\"a\":\"\",\"b\":\"\"}},"
                               "\"knobs\":{\"seed\":[1,2]},\"blocks\":1}";
    AUTO(sweep_clear) struct sweep sweep = {0};
    AUTO(sweep_row_clear) struct sweep_row row = {0};
    AUTO(freep) struct sweep_row_run *runs = NULL;
    struct run_id id;
    size_t count = 0;
    bool replayed, repeated;

    if (!sweep_from_text(text, strlen(text), &place, &sweep, err) ||
        !sweeps_create(db,
                       &(struct sweep_order){.sweep = &sweep,
                                             .blocks = 1,
                                             .request = text,
                                             .instance = "",
                                             .now_us = NOON_US,
                                             .queue_limit = 100},
                       &id, &replayed, err) ||
        !sweeps_find(db, id.text, &row, err) || !sweeps_runs(db, row.number, &runs, &count, err))
        return false;
    EXPECT_INT((long long)row.count, 2);
    EXPECT_INT((long long)count, 2);
    return sweeps_requeue(db, &row, "", NOON_US, err) &&
           sweeps_repeat(db, &row, (struct sweep_repeat){"", NOON_US, 100}, &repeated, err) &&
           sweeps_end(db, id.text, SWEEP_CANCELLED, NOON_US, err);
}

static bool keep_evidence(struct db *db, struct error *err)
{
    struct observation seen = {.steps = 1};
    struct canary_reading reading = {1, {1e9, 1e9}};
    struct evidence evidence = {
        .observations = &seen, .observation_count = 1, .readings = &reading, .reading_count = 1};

    return evidence_rows_append(db, 1, 1, 1, &evidence, err);
}

static bool load_evidence(struct db *db, struct error *err)
{
    AUTO(evidence_free) struct evidence loaded = {0};
    bool ok = evidence_rows_load(db, 2, &loaded, err);

    EXPECT(!ok || (loaded.observation_count == 1 && loaded.reading_count == 1));
    return ok;
}

static bool store_machine(struct db *db, struct error *err)
{
    char fingerprint[] = "f", stratum[] = "s", facts[] = "{}";
    const struct machine_row machine = {
        .fingerprint = fingerprint, .stratum = stratum, .facts = facts};
    AUTO(machine_row_clear) struct machine_row found = {0};
    long long number;

    return machines_store(db, &machine, &number, err) && machines_find(db, "f", &found, err);
}

static char told_id[RUN_ID_LENGTH + 1]; /* of the run that has implementations */
static char ended_id[RUN_ID_LENGTH + 1];

/* Two runs of one sender, labelled as expect_whole() has it. */
static void fill_with_sent_runs(struct db *db)
{
    struct imported_parts parts;
    enum import_fate fate;

    imported_make(&parts);
    snprintf(parts.run.sender, sizeof parts.run.sender, "c1");
    parts.spec.label_count = 2;
    parts.spec.labels[1] = (struct label){"commit", "f00"};
    for (char last = 'A'; last <= 'B'; last++) {
        parts.run.id.text[RUN_ID_LENGTH - 1] = last;
        EXPECT(import_alone(db, &parts.imported, &fate, NULL));
    }
}

static void fill_with_detailed_runs(struct db *db)
{
    fill_with_runs(db);
    fill_with_sent_runs(db);
    EXPECT(
        db_execute(db,
                   "INSERT INTO run_implementations VALUES (2, '{}');"
                   "INSERT INTO observations VALUES (2, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);"
                   "INSERT INTO canaries VALUES (2, 0, 1, 1.0, 1.0);"
                   "UPDATE runs SET state = 'cancelled', ended_us = 9, vm = 's000000000000001',"
                   " price = '{}' WHERE number = 3",
                   NULL));
    text_of(db, "SELECT id FROM runs WHERE number = 3", sizeof ended_id, ended_id);
    text_of(db, "SELECT id FROM runs WHERE number = 2", sizeof told_id, told_id);
}

static bool find_implementations(struct db *db, struct error *err)
{
    AUTO(freep) char *text = NULL;
    bool ok = runs_implementations(db, told_id, &text, err);

    EXPECT_STR(text, ok ? "{}" : NULL);
    return ok;
}

static void count_void(void *user, const struct void_row *row)
{
    *(int *)user += strcmp(row->voided.reason, "a typo") == 0 && row->lifted.at_us == 0;
}

static bool void_run(struct db *db, struct error *err)
{
    const struct taken_back because = {.at_us = NOON_US, .by = "ann", .reason = "a typo"};
    AUTO(run_clear) struct run voided = {0}, lifted = {0};
    bool changed;
    int count = 0;
    bool ok = voids_put(db, ended_id, &because, &voided, &changed, err) &&
              voids_each(db, ended_id, count_void, &count, err);

    EXPECT(!ok || (count == 1 && strcmp(voided.voided.by, "ann") == 0));
    return ok && voids_lift(db, ended_id, &because, &lifted, &changed, err);
}

/* All runs of the sender, or none. */
static bool void_sender(struct db *db, struct error *err)
{
    const struct taken_back because = {.at_us = NOON_US, .by = "ann", .reason = "revoked"};
    long long count = 0;
    bool ok = voids_put_sender(db, "c1", &because, &count, err);

    EXPECT(!ok || count == 2);
    return ok;
}

static bool give_price(void *user, struct run *run, struct error *err)
{
    char *price = strdup("{\"price\":1}");

    (void)user;
    if (!price)
        return error_no_memory(err);
    free(run->price);
    run->price = price;
    run->paid = (struct paid_price){.per_hour = 0.5, .currency = "USD", .feed = TYPED_LATER_FEED};
    return true;
}

/* The run has the whole price, or none of it. */
static bool price_later(struct db *db, struct error *err)
{
    const struct run_prices_of of = {.vm = "s000000000000001", .stratum = ""};
    AUTO(transaction_end) struct transaction change = {0};
    long long count = 0;
    bool ok = transaction_begin(&change, db, DB_DURABLE, err) && revision_touch(db, err) &&
              run_prices_renew(db, &of, give_price, NULL, &count, err) &&
              transaction_commit(&change, err);

    EXPECT(!ok || count == 1);
    return ok;
}

static bool lock_it(struct db *db, struct error *err)
{
    struct db_lock *lock = db_lock(database.folder.file, err);
    bool ok = lock != NULL;

    (void)db;
    EXPECT(db_name_is_locked(database.folder.file) == ok);
    db_unlock(lock);
    EXPECT(!db_name_is_locked(database.folder.file));
    return ok;
}

static bool list_newest(struct db *db, struct error *err)
{
    AUTO(run_list_free) struct run_list list = {0};
    bool ok = run_list_load(db, &(struct run_filter){.limit = 2}, &list, err);

    EXPECT_INT((long long)list.count, ok ? 2 : 0);
    return ok;
}

static bool list_filtered(struct db *db, struct error *err)
{
    struct run_filter filter = {.state = "queued", .engine = "native", .label_count = 1};
    AUTO(run_list_free) struct run_list list = {0};

    filter.limit = 50;
    filter.labels[0].key = "branch";
    filter.labels[0].value = "main";
    bool ok = run_list_load(db, &filter, &list, err);
    EXPECT(!ok || list.count > 0);
    return ok;
}

static bool load_steps(struct db *db, struct error *err)
{
    AUTO(steps_free) struct steps steps = {0};
    bool ok = step_rows_load(db, 1, 0, 100, &steps, err);

    EXPECT(!ok || (steps.count >= 2 && steps.items[1].nanoseconds == 11));
    return ok;
}

static bool append_steps(struct db *db, struct error *err)
{
    const struct step steps[] = {{.nanoseconds = 12, .split = {1, 1, 1, 1, 0}},
                                 {.nanoseconds = 13}};
    long long position = 2;

    return step_rows_append(db, 1, position, steps, COUNT(steps), err);
}

/* What is done to a connection that was just opened, so that its statements are prepared too. */
static bool (*operation)(struct db *db, struct error *err);

static bool operate(struct error *err)
{
    template_restore(&database);
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    struct error later = {0};

    ration_start();
    bool ok = operation(db, err);
    ration_stop();
    expect_usable(db);
    if (!ok && !(operation == append_steps && number_of(db, "SELECT steps FROM runs") > 2))
        EXPECT(operation(db, &later));
    EXPECT_STR(later.message, "");
    expect_whole(db);
    return ok;
}

static bool open_it(struct error *err)
{
    template_restore(&database);
    ration_start();
    AUTO(db_freep) struct db *db = db_open(database.folder.file, err);
    ration_stop();
    AUTO(db_freep) struct db *later = open_database(&database.folder);
    expect_whole(later);
    expect_usable(later);
    return db != NULL;
}

static void the_database_survives_every_shortage(void)
{
    static const struct {
        const char *name;
        bool (*operation)(struct db *db, struct error *err);
    } operations[] = {
        {"create", create},
        {"find", find},
        {"claim", claim},
        {"end", end},
        {"list", list_newest},
        {"filtered list", list_filtered},
        {"load steps", load_steps},
        {"append steps", append_steps},
        {"find implementations", find_implementations},
        {"create sweep", create_sweep},
        {"keep evidence", keep_evidence},
        {"load evidence", load_evidence},
        {"store machine", store_machine},
        {"void", void_run},
        {"void sender", void_sender},
        {"price later", price_later},
        {"lock", lock_it},
    };

    database = template_make(schema_version, fill_with_detailed_runs);
    for (size_t i = 0; i < COUNT(operations); i++) {
        operation = operations[i].operation;
        survive_shortages(operations[i].name, operate, operation == create ? 2 : 3);
    }
    survive_shortages("open", open_it, 5);
    template_free(&database);
}

static void a_database_is_made_or_upgraded_whatever_memory_there_is(void)
{
    for (int version = 0; version < schema_version; version++) {
        char name[40];

        snprintf(name, sizeof name, "open version %d", version);
        database = template_make(version, fill_with_old_runs);
        survive_shortages(name, open_it, 3001);
        template_free(&database);
    }
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    RUN(the_database_survives_every_shortage);
    RUN(a_database_is_made_or_upgraded_whatever_memory_there_is);
    return test_result();
}
