/* Every allocation fails, each in its turn: nothing crashes, nothing leaks (the address sanitizer
 * looks), and who asks again when there is memory is served.
 *
 * The texts that are parsed here have no token over 15 bytes: jansson 2.14 does not notice when
 * it cannot make room for a longer one. */
#include "tests/faults/ration.h"

#include "common/clock.h"
#include "db/run_list.h"
#include "engine/event.h"
#include "engine/worker.h"
#include "tests/faults/fault_vfs.h"
#include "tests/faults/template.h"

#include <signal.h>

#define ENDLESS 5000 /* no operation here allocates so often */
#define SPEC "{\"workload\":\"mlp\",\"batch_size\":8,\"labels\":{\"branch\":\"main\",\"x\":\"\"}}"
#define STEP "{\"type\":\"step\",\"index\":1,\"nanoseconds\":5,\"loss\":1.5}"

/* One attempt: rations what it tests, and checks what it got. */
typedef bool attempt_fn(struct error *err);

static struct template database;

/* jansson takes a string for which there was no memory for a lawless token. */
static bool is_excused(const struct error *err)
{
    return strstr(err->message, "not JSON: invalid token near '\"") ||
           strstr(err->message, "not JSON: string or '}' expected near '\"");
}

/* Where there are thousands, every `stride`th has to do. */
static void survive_shortages(const char *name, attempt_fn *attempt, long long stride)
{
    long long loops = 0;

    for (int for_good = 0; for_good < 2; for_good++) {
        bool done = false;

        for (long long allowed = for_good ? stride / 2 : 0; !done && allowed < ENDLESS;
             allowed += stride, loops++) {
            sqlite3_int64 used = sqlite3_memory_used();
            struct error err = {0};

            ration_set(allowed, for_good);
            bool ok = attempt(&err);
            done = ration.refused == 0;
            EXPECT(ok || !done);
            if (!ok && err.kind != ERROR_BUSY && !is_excused(&err))
                EXPECT_INT(err.kind, ERROR_INTERNAL);
            EXPECT_INT(sqlite3_memory_used(), used);
        }
        EXPECT(done); /* because nothing was left to fail */
    }
    printf("       %-16s %4lld shortages\n", name, loops - 2);
}

static void survive_every_shortage(const char *name, attempt_fn *attempt)
{
    survive_shortages(name, attempt, 1);
}

static bool or_out_of_memory(bool ok, struct error *err)
{
    return ok || error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

static bool read_spec(struct error *err)
{
    struct run_spec spec = {.batch_size = 77};

    ration_start();
    bool ok = run_spec_from_text(SPEC, strlen(SPEC), &spec, err);
    ration_stop();
    EXPECT_INT(spec.batch_size, ok ? 8 : 77);
    EXPECT(!ok || (spec.label_count == 2 && strcmp(spec.labels[0].value, "main") == 0));
    return ok;
}

static bool write_spec(struct error *err)
{
    struct run_spec spec = labelled_spec(), again = {0};

    ration_start();
    AUTO(freep) char *text = run_spec_to_text(&spec);
    ration_stop();
    if (text) {
        EXPECT(run_spec_from_text(text, strlen(text), &again, NULL));
        EXPECT_INT(again.label_count, 2);
        EXPECT_STR(again.engine, spec.engine);
    }
    return or_out_of_memory(text != NULL, err);
}

static bool describe_spec(struct error *err)
{
    AUTO(json_decrefp) json_t *whole = run_spec_schema();

    ration_start();
    AUTO(json_decrefp) json_t *schema = run_spec_schema();
    ration_stop();
    EXPECT(!schema || json_equal(schema, whole)); /* nothing is left out */
    return or_out_of_memory(schema != NULL, err);
}

static bool read_event(struct error *err)
{
    struct event event = {.step.nanoseconds = 77};

    ration_start();
    bool ok = event_read(STEP, strlen(STEP), &event, err);
    ration_stop();
    EXPECT_INT(event.step.nanoseconds, ok ? 5 : 77);
    return ok;
}

static bool write_event(struct error *err)
{
    const struct event event = {EVENT_STEP, .step = {1, 5, 1.5}};
    char text[200] = "";
    AUTO(fclosep) FILE *out = fmemopen(text, sizeof text, "w");
    bool ok;

    setvbuf(out, NULL, _IONBF, 0);
    ration_start();
    ok = event_write(out, &event, err);
    ration_stop();
    if (ok)
        EXPECT_STR(text, STEP "\n");
    return ok;
}

static bool add_bytes(struct error *err)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 100000};
    char piece[700] = {0};
    size_t added = 0;
    bool ok = true;

    ration_start();
    for (int i = 0; ok && i < 100; i++) {
        ok = bytes_add(&bytes, piece, sizeof piece) && bytes_printf(&bytes, "%d", 7);
        added += ok ? sizeof piece + 1 : 0;
    }
    ration_stop();
    EXPECT(bytes.used == added || bytes.used == added + sizeof piece);
    return or_out_of_memory(ok, err);
}

static bool add_steps(struct error *err)
{
    AUTO(steps_free) struct steps steps = {0};
    size_t added = 0;

    ration_start();
    while (added < 1000 && steps_add(&steps, (struct step){(long long)added + 1, 0}))
        added++;
    ration_stop();
    EXPECT_INT((long long)steps.count, (long long)added);
    for (size_t i = 0; i < steps.count; i++)
        EXPECT_INT(steps.items[i].nanoseconds, (long long)i + 1);
    return or_out_of_memory(added == 1000, err);
}

static bool summarize(struct error *err)
{
    struct step items[] = {{1000, 0}, {2000, 0}, {4000, 0}};
    struct steps steps = {items, 3, 3};
    struct summary summary = {0};

    ration_start();
    bool ok = summary_compute(&steps, 1, 8, &summary, err);
    ration_stop();
    EXPECT_INT(summary.measured_steps, ok ? 2 : 0);
    return ok;
}

static void texts_and_values_survive_every_shortage(void)
{
    survive_every_shortage("read spec", read_spec);
    survive_every_shortage("write spec", write_spec);
    survive_every_shortage("describe spec", describe_spec);
    survive_every_shortage("read event", read_event);
    survive_every_shortage("write event", write_event);
    survive_every_shortage("bytes", add_bytes);
    survive_every_shortage("steps", add_steps);
    survive_every_shortage("summary", summarize);
}

/* Says what a healthy worker says, once it has its spec. */
static struct worker *start_worker(struct error *err)
{
    static char shell[] = "sh", dash_c[] = "-c";
    static char script[] = "read spec; echo '{\"type\":\"hello\",\"protocol\":1}';"
                           "echo '{\"type\":\"step\",\"index\":0,\"nanoseconds\":5,\"loss\":1}';"
                           "echo '{\"type\":\"done\",\"steps\":1}'";
    static char *const command[] = {shell, dash_c, script, NULL};

    return worker_start(command, "allocation-test", "{}", 1, err);
}

static bool begin_worker(struct error *err)
{
    ration_start();
    struct worker *worker = start_worker(err);
    ration_stop();
    worker_free(worker);
    return worker != NULL;
}

static bool listen_to_worker(struct error *err)
{
    long long deadline = clock_monotonic_ns() + 20 * NS_PER_SECOND;
    struct worker *worker = start_worker(NULL);
    enum worker_read got = WORKER_EVENT;
    struct event event;
    int events = 0;

    EXPECT(worker != NULL);
    ration_start();
    while (worker && (got = worker_next(worker, deadline, -1, &event, err)) == WORKER_EVENT)
        events++;
    ration_stop();
    worker_free(worker);
    EXPECT(got == WORKER_FINISHED ? events == 3 : got == WORKER_FAILED);
    return got == WORKER_FINISHED;
}

static void a_worker_is_started_and_heard_whatever_memory_there_is(void)
{
    survive_every_shortage("start worker", begin_worker);
    survive_every_shortage("worker's words", listen_to_worker);
}

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

    return runs_claim(db, NOON_US, &run, &found, err);
}

static bool end(struct db *db, struct error *err)
{
    struct run run = {.number = 1, .state = RUN_FAILED, .ended_us = NOON_US, .reason = "r"};

    return runs_end(db, &run, err);
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
    const struct step steps[] = {{12, 1}, {13, 1}};
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
        {"create", create},         {"find", find},
        {"claim", claim},           {"end", end},
        {"list", list_newest},      {"filtered list", list_filtered},
        {"load steps", load_steps}, {"append steps", append_steps},
    };

    database = template_make(schema_version, fill_with_runs);
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
        database = template_make(version, fill_with_runs);
        survive_shortages(name, open_it, version == 0 ? 19 : 7);
        template_free(&database);
    }
}

static void memory_really_runs_out(void)
{
    ration_set(1, false);
    ration_start();
    char *volatile first = strdup("a"), *volatile second = strdup("b");
    char *volatile third = strdup("c"); /* volatile: the compiler knows what strdup() does */
    ration_stop();
    EXPECT(first && !second && third);
    free(first);
    free(third);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);                      /* as the server does */
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    RUN(memory_really_runs_out);
    RUN(texts_and_values_survive_every_shortage);
    RUN(a_worker_is_started_and_heard_whatever_memory_there_is);
    RUN(the_database_survives_every_shortage);
    RUN(a_database_is_made_or_upgraded_whatever_memory_there_is);
    return test_result();
}
