/* Every allocation behind what is said of instance types fails, each in its turn: what is
 * answered then is the right answer or none. */
#include "tests/faults/shortages.h"

#include "db/prices/capacity.h"
#include "server/http/json/present_capacity.h"
#include "server/http/json/present_families.h"
#include "server/http/json/present_support.h"
#include "server/http/json/present_wanted.h"
#include "tests/db/finished.h"
#include "tests/faults/fault_vfs.h"
#include "tests/faults/template.h"
#include "tests/server/compare/comparison.h"

static struct template database;
static struct stage stage;
static struct bytes wanted = {.limit = 1 << 20};

static void fill(struct db *db)
{
    const struct capacity_event event = {.kind = "launched",
                                         .price_kind = "spot",
                                         .provider = "aws",
                                         .instance_type = "m5.large",
                                         .zone = "z",
                                         .at_us = NOON_US};
    bool is_new;

    ENDED(db, 100, .low = 99, .high = 104, .instance = "m5.large", .vm = "a", .stratum = "s1");
    ENDED(db, 180, .low = 179, .high = 184, .instance = "m5.xlarge", .vm = "b", .stratum = "s2");
    EXPECT(db_execute(db,
                      "INSERT INTO instance_types (provider, name, vcpus, memory_gib,"
                      " architecture, accelerator, feed) VALUES"
                      " ('aws', 'm5.large', 2, 8, 'x86_64', '', 'made-up'),"
                      " ('aws', 'm5.xlarge', 4, 16, 'x86_64', '', 'made-up'),"
                      " ('aws', 'm5.metal', 96, 384, 'x86_64', '', 'made-up')",
                      NULL));
    EXPECT(capacity_add(db, &event, &is_new, NULL));
}

static bool present_types(const struct type_list *types, struct bytes *text, struct error *err)
{
    const struct run_spec spec = run_spec_default();
    struct json_writer out = {.bytes = text};
    bool ok = true;

    for (size_t i = 0; ok && i < types->count; i++) {
        struct support support;

        support_of(&types->list[i], &spec, &support);
        present_support(&out, &types->list[i], &support);
        ok = !out.failed && present_support_line(text, &types->list[i], &support);
    }
    return ok || error_no_memory(err);
}

static bool present_all(struct type_list *types, struct bytes *text, struct error *err)
{
    const struct comparison_parts parts = {.question = &stage.question,
                                           .standings = &stage.standings,
                                           .offers = &stage.offers,
                                           .discounts = &stage.discounts};
    const struct wanted_question question = {.standings = &stage.standings,
                                             .type = &types->list[1],
                                             .days = 90,
                                             .now_us = STAGE_NOW_US};
    AUTO(comparison_clear) struct ranking ranking = {0};
    AUTO(families_free) struct families families = {0};
    AUTO(wanted_list_free) struct wanted_list list = {0};
    const struct unmatched_list unmatched = {.count = 0};
    struct json_writer out = {.bytes = text};

    if (!comparison_make(&parts, &ranking, err) ||
        !families_make(
            &(struct families_parts){.parts = &parts, .ranking = &ranking, .types = types},
            &families, err) ||
        !wanted_find(&question, &list, err))
        return false;
    present_families(&out, &stage.question, &families, NULL, &stage.ranking);
    return (present_wanted(&out, &question, &list, 10, &unmatched) && !out.failed) ||
           error_no_memory(err);
}

static void tell_count(void *user, const struct capacity_count *count)
{
    present_capacity_count(user, count);
}

static bool present_capacity(struct db *db, struct bytes *text, struct error *err)
{
    const struct capacity_filter filter = {.limit = 10};
    AUTO(capacity_counts_free) struct capacity_counts counts = {0};
    struct json_writer out = {.bytes = text};

    if (!capacity_each(db, &filter, tell_count, &out, err) ||
        !capacity_counts_load(db, NOON_US, NULL, &counts, err))
        return false;
    present_row_capacity(&out, capacity_counts_find(&counts, "aws", "m5.large"));
    return !out.failed || error_no_memory(err);
}

static bool make(struct db *db, struct bytes *text, struct error *err)
{
    const struct known_type_filter filter = {0};
    AUTO(type_list_free) struct type_list types = {0};

    return type_list_load(db, &filter, &types, err) && present_types(&types, text, err) &&
           present_all(&types, text, err) && present_capacity(db, text, err);
}

static bool answer(struct error *err)
{
    AUTO(db_freep) struct db *db = open_database(&database.folder);
    AUTO(bytes_free) struct bytes text = {.limit = 1 << 20};
    bool ok;

    ration_start();
    ok = make(db, &text, err);
    ration_stop();
    if (ok) /* nothing was left out of it */
        EXPECT_STR(text.data, wanted.data);
    return ok;
}

static void what_is_said_of_types_survives_every_shortage(void)
{
    database = template_make(0, NULL);
    {
        AUTO(db_freep) struct db *db = open_database(&database.folder);
        struct error err = {0};

        fill(db);
        update(db, &stage.standings);
        EXPECT(stage_ask(&stage, "workload=resnet50", &err));
        EXPECT(make(db, &wanted, &err));
        EXPECT_STR(err.message, "");
    }
    EXPECT(strstr(wanted.data, "\"reference\":\"m5.large\"") != NULL);
    survive_every_shortage("types", answer);
    stage_clear(&stage);
    bytes_free(&wanted);
    template_free(&database);
}

/* jansson's reader writes behind its buffer where that could not grow: it is spared. */
static void *spared_malloc(size_t size)
{
    return RATION_BELOW(malloc)(size);
}

int main(void)
{
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0); /* every allocation of its own */
    fault_vfs_install();
    json_set_alloc_funcs(spared_malloc, free);
    RUN(what_is_said_of_types_survives_every_shortage);
    return test_result();
}
