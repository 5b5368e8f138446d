/* Every allocation behind a comparison fails, each in its turn: what is answered then is the
 * right answer or none. */
#include "tests/faults/shortages.h"

#include "db/stored_values.h"
#include "server/compare/comparison_cache.h"
#include "server/compare/elsewhere.h"
#include "server/http/json/present_comparison.h"
#include "server/http/json/present_comparison_svg.h"
#include "server/http/json/present_history.h"
#include "server/http/response_cache.h"
#include "tests/db/finished.h"
#include "tests/db/prices.h"
#include "tests/faults/fault_vfs.h"
#include "tests/faults/template.h"
#include "tests/server/compare/comparison.h"

#define PAID                                                                                     \
    {                                                                                            \
        .per_hour = 0.3, .nanos = 400000000, .currency = "USD", .kind = "spot"                   \
    }

static struct template database;
static struct stage stage;
static struct bytes wanted = {.limit = 1 << 20};

static void fill(struct db *db)
{
    const char *const instances[] = {"m5.large", "c5.large", "unpriced"};

    for (size_t i = 0; i < COUNT(instances); i++)
        for (int vm = 0; vm < 3; vm++)
            ENDED(db, 100 + (double)i, .low = 99, .high = 104, .instance = instances[i],
                  .vm = vm == 0   ? "a"
                        : vm == 1 ? "b"
                                  : "c",
                  .stratum = "s1", .paid = PAID, .at_us = THEN_US);
    READ(db, 0, P("m5.large", "0.1"), P("c5.large", "0.2"), P("x5.large", "0.3"),
         P("m5.large", "0.05", .kind = PRICE_SPOT), P("c5.large", "0.25", .region = "us-west-2"));
    EXPECT(db_execute(db, "UPDATE runs SET region = 'us-west-2' WHERE instance <> 'm5.large'",
                      NULL));
    EXPECT(db_execute(db,
                      "INSERT INTO contenders SELECT 99, 'mlp', 'pytorch', '{}', 'aws',"
                      " 'm5.large', '', 1, number FROM revision;"
                      "INSERT INTO figures VALUES (1, 'f', 99, 340, 'sample', 1, 'an article',"
                      " 'one run', 55);"
                      "INSERT INTO run_labels SELECT 'a', 'b', number FROM runs",
                      NULL));
}

/* What is there, or why not; and once memory is back, all of it. */
static bool update_standings(struct error *err)
{
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    AUTO(standings_free) struct standings standings = {0};
    bool ok;

    ration_start();
    ok = standings_update(db, &standings, err);
    ration_stop();
    EXPECT(ok || standings.revision == 0);
    update(db, &standings);
    EXPECT_INT((long long)standings.count, 4);
    for (size_t i = 0; i < standings.count; i++) {
        EXPECT(standings.list[i].standing.value > 99);
        EXPECT(standings.list[i].instance[0]);
        EXPECT(standings.list[i].is_published || standings.list[i].standing.vms == 3);
        EXPECT(standings.list[i].is_published || standings.list[i].newest.paid_per_hour > 0.29);
    }
    return ok;
}

/* The standings of some labels, and what there is where a label is not: right, or none. */
static bool look_at_labels(struct error *err)
{
    static const struct wanted_label everywhere = {"a", "b"};
    const struct standing_subset subset = {
        .labels = &everywhere, .label_count = 1, .sender = "local"};
    const struct stored_value_question question = {RUN_INSTANCE, NULL, "m5.lage"};
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    AUTO(standings_free) struct standings standings = {0};
    AUTO(freep) struct stored_values *values = calloc(1, sizeof *values);
    bool ok, cut = false, found = false;

    ration_start();
    ok = standings_of_subset(db, &subset, &standings, &cut, err) &&
         stored_values_look(db, &question, &found, values, err);
    ration_stop();
    if (!ok)
        return false;
    EXPECT_INT((long long)standings.count, 3);
    for (size_t i = 0; i < standings.count; i++) {
        EXPECT_INT(standings.list[i].standing.vms, 3);
        EXPECT(standings.list[i].instance[0]);
        EXPECT(standings.list[i].newest.paid_per_hour > 0.29);
    }
    EXPECT_INT((long long)values->count, 3);
    EXPECT_STR(values->list[1], "m5.large");
    return true;
}

static bool no_memory(struct error *err)
{
    return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

static bool present_all(struct bytes *text, const struct ranking *ranking, struct error *err)
{
    struct json_writer out = {.bytes = text};

    present_comparison(&out, &stage.question, ranking);
    return (!out.failed && present_comparison_csv(text, &stage.question, ranking) &&
            present_comparison_markdown(text, &stage.question, ranking) &&
            present_comparison_svg(text, &stage.question, ranking) &&
            present_badge_svg(text, &stage.question, ranking)) ||
           no_memory(err);
}

static bool make_and_present(struct db *db, struct bytes *text, struct error *err)
{
    AUTO(offers_free) struct offers offers = {0};
    AUTO(comparison_clear) struct ranking ranking = {0};
    AUTO(homes_free) struct homes homes = {0};
    const struct homes none = {0};
    struct comparison_parts parts = {.question = &stage.question,
                                     .standings = &stage.standings,
                                     .offers = &offers,
                                     .homes = &homes,
                                     .discounts = &stage.discounts};

    return offers_load(db, &stage.question.where, NULL, 0, &offers, err) &&
           homes_complete(db, &stage.question.where, &stage.standings, &none, &homes, err) &&
           comparison_make(&parts, &ranking, err) &&
           comparison_look_elsewhere(db, &stage.question, &ranking, err) &&
           present_all(text, &ranking, err);
}

static bool compare_and_present(struct error *err)
{
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    AUTO(bytes_free) struct bytes text = {.limit = 1 << 20};
    bool ok;

    ration_start();
    ok = make_and_present(db, &text, err);
    ration_stop();
    if (ok) /* nothing was left out of it */
        EXPECT_STR(text.data, wanted.data);
    return ok;
}

static bool write_history(struct db *db, struct bytes *text, struct error *err)
{
    AUTO(histories_clear) struct histories histories = {0};
    struct json_writer out = {.bytes = text};

    if (!histories_load(db, &(struct run_filter){.workload = "resnet50"}, &histories, err))
        return false;
    present_histories_begin(&out, "resnet50", &histories);
    for (size_t i = 0; i < histories.count; i++) {
        const struct history_line *line = &histories.lines[i];
        AUTO(history_changes_clear) struct history_changes changes = {0};

        if (!history_changes_find(line->runs, line->count, &changes, err))
            return false;
        present_history(&out, line, &changes);
    }
    present_histories_end(&out, NULL, 0);
    return !out.failed || no_memory(err);
}

static bool tell_history(struct error *err)
{
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    AUTO(bytes_free) struct bytes text = {.limit = 1 << 20}, whole = {.limit = 1 << 20};
    bool ok;

    ration_start();
    ok = write_history(db, &text, err);
    ration_stop();
    EXPECT(write_history(db, &whole, &(struct error){0}));
    EXPECT(strstr(whole.data, "m5.large") != NULL);
    if (ok) /* nothing was left out of it */
        EXPECT_STR(text.data, whole.data);
    return ok;
}

static bool lend(struct error *err)
{
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    struct comparison_cache *board = NULL;
    struct comparison_loan loan = {0};
    bool ok;

    ration_start();
    board = comparison_cache_new(err);
    ok = board && comparison_cache_borrow(board, db, &stage.question.where, &loan, err);
    ration_stop();
    EXPECT(ok == (loan.board != NULL));
    comparison_cache_return(&loan);
    if (board) {
        struct error later = {0};

        EXPECT(comparison_cache_borrow(board, db, &stage.question.where, &loan, &later));
        EXPECT_INT(loan.board ? (long long)loan.standings->count : 0, 4);
        EXPECT_INT(loan.board ? (long long)loan.homes->count : 0, 2); /* c5.large, unpriced */
        comparison_cache_return(&loan);
    }
    comparison_cache_free(board);
    return ok;
}

static bool keep_an_answer(struct error *err)
{
    const struct answer_key key = {.text = "/a", .revision = 1, .minute = 1};
    AUTO(bytes_free) struct bytes found = {.limit = 1 << 20};
    char etag[ETAG_SIZE], again[ETAG_SIZE];
    struct response_cache *answers;
    bool ok = false;

    ration_start();
    answers = response_cache_new();
    if (answers) {
        response_cache_keep(answers, &key, &wanted, etag);
        ok = response_cache_find(answers, &key, &found, again);
    }
    ration_stop();
    if (ok)
        EXPECT_STR(found.data, wanted.data);
    response_cache_free(answers);
    return ok || no_memory(err);
}

/* jansson's reader writes behind its buffer where that could not grow: it is spared. */
static void *spared_malloc(size_t size)
{
    return RATION_BELOW(malloc)(size);
}

/* A run never joins another contender than its own. */
static bool end_one(struct error *err)
{
    template_restore(&database);
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    AUTO(run_clear) struct run run = run_about_to_end(db, &(struct ended){.stratum = "s1"});
    struct error later = {0};
    char text[80];
    bool ok;

    ration_start();
    ok = runs_end(db, &run, err);
    ration_stop();
    EXPECT_INT(number_of(db, "SELECT count(*) FROM contenders"), ok);
    EXPECT(ok || runs_end(db, &run, &later));
    EXPECT_STR(later.message, "");
    text_of(db,
            "SELECT c.workload || ' ' || c.instance || ' ' || c.stratum FROM contenders AS c"
            " JOIN runs ON contender = c.number",
            sizeof text, text);
    EXPECT_STR(text, "resnet50 m5.large s1");
    return ok;
}

static void a_run_that_ends_survives_every_shortage(void)
{
    database = template_make(schema_version, NULL);
    survive_shortages("end", end_one, 3);
    template_free(&database);
}

static void a_comparison_survives_every_shortage(void)
{
    database = template_make(0, NULL);
    {
        AUTO(db_freep) struct db *db = open_database(&database.folder);
        struct error err = {0};

        fill(db);
        update(db, &stage.standings);
        EXPECT(stage_ask(&stage,
                         "workload=resnet50&reference=m5.large&deadline_h=9&utility=samples_per_"
                         "dollar&price=spot,"
                         "on_demand&price_at=2023-11-14T22:40:00Z",
                         &err));
        EXPECT(make_and_present(db, &wanted, &err));
        EXPECT_STR(err.message, "");
    }
    EXPECT(strstr(wanted.data, "\"row\":\"") != NULL); /* it decided */
    survive_shortages("standings", update_standings, 2);
    survive_shortages("labels", look_at_labels, 2);
    survive_every_shortage("comparison", compare_and_present);
    survive_shortages("board", lend, 5);
    survive_every_shortage("history", tell_history);
    survive_every_shortage("answers", keep_an_answer);
    stage_clear(&stage);
    bytes_free(&wanted);
    template_free(&database);
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    json_set_alloc_funcs(spared_malloc, free);
    RUN(a_run_that_ends_survives_every_shortage);
    RUN(a_comparison_survives_every_shortage);
    return test_result();
}
