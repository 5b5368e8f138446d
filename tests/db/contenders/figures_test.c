/* Figures of others: whole, one for each id, and one for each thing that can be compared. */
#include "db/contenders/figures.h"

#include "db/standings/standings.h"
#include "tests/db/database.h"

#define FIGURES_MAX 8

struct figures {
    size_t count;
    struct figure list[FIGURES_MAX]; /* without their configurations */
    char configurations[FIGURES_MAX][100];
};

static void keep(void *user, const struct figure *figure)
{
    struct figures *figures = user;

    REQUIRE(figures->count < FIGURES_MAX);
    snprintf(figures->configurations[figures->count], sizeof figures->configurations[0], "%s",
             figure->configuration);
    figures->list[figures->count] = *figure;
    figures->list[figures->count++].configuration = NULL;
}

static struct figures all_of(struct db *db)
{
    struct figures figures = {0};

    EXPECT_OK(figures_each(db, keep, &figures, &err));
    return figures;
}

static char plain[] = "{\"precision\":\"bf16\"}", other[] = "{}";

static struct figure figure_of(const char *id, double speed)
{
    struct figure figure = {.workload = "resnet50",
                            .engine = "pytorch-2.4",
                            .provider = "aws",
                            .instance = "c7i.2xlarge",
                            .configuration = plain,
                            .samples_per_second = speed,
                            .unit = "sample",
                            .derived = true,
                            .source = "somebody, 2024-09",
                            .note = "one run",
                            .measured_us = NOON_US};

    snprintf(figure.id, sizeof figure.id, "%s", id);
    return figure;
}

/* As a caller does it. */
static bool put(struct db *db, const struct figure *figure, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_RELAXED, err) && figures_put(db, figure, err) &&
           transaction_commit(&change, err);
}

TEST_WITH_DATABASE(a_figure_comes_back_as_it_went_in)
{
    const struct figure figure = figure_of("r8", 40.73);
    long long before = revision_of(db);

    EXPECT_INT((long long)all_of(db).count, 0);
    EXPECT(put(db, &figure, NULL));
    struct figures figures = all_of(db);
    EXPECT_HAS(figures, (count, 1), (list[0].id, "r8"), (list[0].workload, "resnet50"),
               (list[0].engine, "pytorch-2.4"), (list[0].provider, "aws"),
               (list[0].instance, "c7i.2xlarge"), (configurations[0], plain));
    EXPECT(figures.list[0].samples_per_second == 40.73);
    EXPECT_HAS(figures.list[0], (unit, "sample"), (derived, true), (source, "somebody, 2024-09"),
               (note, "one run"), (measured_us, NOON_US));
    EXPECT(revision_of(db) > before);
}

TEST_WITH_DATABASE(it_is_a_contender_that_was_published_and_of_no_stratum)
{
    const struct figure figure = figure_of("r8", 40.73);

    EXPECT(put(db, &figure, NULL));
    EXPECT_ROWS(db, 1,
                "contenders WHERE published = 1 AND stratum = '' AND provider = 'aws' AND"
                " instance = 'c7i.2xlarge' AND changed = (SELECT number FROM revision)");
    EXPECT_ROWS(db, 1, "contenders");
}

TEST_WITH_DATABASE(the_same_id_again_replaces_it)
{
    struct figure figure = figure_of("r8", 40.73);

    EXPECT(put(db, &figure, NULL));
    figure.samples_per_second = 41;
    figure.derived = false;
    EXPECT(put(db, &figure, NULL));
    struct figures figures = all_of(db);
    EXPECT_INT((long long)figures.count, 1);
    EXPECT(figures.list[0].samples_per_second == 41);
    EXPECT(!figures.list[0].derived);
    EXPECT_ROWS(db, 1, "contenders");
}

TEST_WITH_DATABASE(what_it_was_of_before_counts_as_changed_too)
{
    struct figure figure = figure_of("r8", 40.73);

    EXPECT(put(db, &figure, NULL));
    figure.configuration = other;
    EXPECT(put(db, &figure, NULL));
    EXPECT_HAS(all_of(db), (count, 1), (configurations[0], other));
    EXPECT_ROWS(db, 2, "contenders WHERE changed = (SELECT number FROM revision)");
}

TEST_WITH_DATABASE(two_ids_of_one_thing_are_refused)
{
    struct figure figure = figure_of("r8", 40.73), twin = figure_of("twin", 41);

    EXPECT(put(db, &figure, NULL));
    long long before = revision_of(db);
    EXPECT_FAILS(put(db, &twin, &err), (kind, ERROR_CONFLICT), (field, "id"));
    EXPECT_SAYS(put(db, &twin, &err), "'r8'");
    EXPECT_INT(revision_of(db), before); /* nothing of it is left */
    EXPECT_INT((long long)all_of(db).count, 1);
    twin.configuration = other;
    EXPECT(put(db, &twin, NULL));
    EXPECT_INT((long long)all_of(db).count, 2);
}

TEST_WITH_DATABASE(no_speed_is_none)
{
    EACH(double, speed, 0, -1) {
        const struct figure figure = figure_of("r8", speed);

        EXPECT(!put(db, &figure, NULL));
        EXPECT_INT((long long)all_of(db).count, 0);
        EXPECT_ROWS(db, 0, "contenders");
    }
}

TEST_WITH_DATABASE(a_figure_can_be_forgotten_and_stored_again)
{
    const struct figure figure = figure_of("r8", 40.73);

    EXPECT(put(db, &figure, NULL));
    long long before = revision_of(db);
    EXPECT(figures_forget(db, "r9", NULL)); /* there is none */
    EXPECT_INT((long long)all_of(db).count, 1);
    EXPECT(figures_forget(db, "r8", NULL));
    EXPECT_INT((long long)all_of(db).count, 0);
    EXPECT(revision_of(db) > before);
    EXPECT_INT(number_of(db, "SELECT changed = (SELECT number FROM revision) FROM contenders"),
               1);
    EXPECT(put(db, &figure, NULL));
    EXPECT_INT((long long)all_of(db).count, 1);
}

TEST(a_zeroed_one_can_be_cleared)
{
    struct figure figure = {0};

    figure_clear(&figure);
    EXPECT(!figure.configuration);
}

static bool remove_it(struct db *db, const char *id, struct figure *ret_figure, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};

    return transaction_begin(&change, db, DB_RELAXED, err) &&
           figures_remove(db, id, ret_figure, err) && transaction_commit(&change, err);
}

TEST_WITH_DATABASE(a_removed_figure_is_told_and_gone)
{
    AUTO(standings_free) struct standings standings = {0};
    AUTO(figure_clear) struct figure removed = {0}, none = {0};
    const struct figure figure = figure_of("r8", 40.73);

    EXPECT(put(db, &figure, NULL));
    EXPECT(standings_update(db, &standings, NULL));
    EXPECT_INT(standings.list[0].standing.level, STANDING_POINT);
    EXPECT_ERROR(remove_it(db, "r9", &none, &err), ERROR_NOT_FOUND);
    EXPECT(remove_it(db, "r8", &removed, NULL));
    EXPECT_HAS(removed, (id, "r8"), (configuration, plain), (samples_per_second, 40.73));
    EXPECT_INT((long long)all_of(db).count, 0);
    EXPECT(standings_update(db, &standings, NULL)); /* of a server that had it in memory */
    EXPECT_INT(standings.list[0].standing.level, STANDING_NONE);
    EXPECT_STR(standings.list[0].published.source, "");
    EXPECT(put(db, &removed, NULL)); /* and back */
    EXPECT(standings_update(db, &standings, NULL));
    EXPECT_INT(standings.list[0].standing.level, STANDING_POINT);
}
