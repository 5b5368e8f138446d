/* Which sweeps are advanced, and what they come to when their runs were cancelled one by one. */
#include "server/runs/sweeper.h"

#include "common/clock.h"
#include "db/runs/runs.h"
#include "db/runs/sweeps.h"
#include "tests/db/database.h"

struct scene {
    struct folder folder;
    struct config config;
    struct db *db;
    struct sweeper_parts parts;
};

static void ignore(void *user, long long when_ns)
{
    (void)user;
    (void)when_ns;
}

static void begin(struct scene *scene)
{
    struct error err = {0};

    *scene = (struct scene){.folder = folder_make(),
                            .config = {.metadata = "off", .life_cycle = "auto"}};
    scene->db = open_database(&scene->folder);
    scene->parts =
        (struct sweeper_parts){.db = scene->db,
                               .here = this_machine_new(&scene->config),
                               .notifications = notifications_new(NS_PER_SECOND, ignore, NULL)};
    EXPECT(scene->parts.here != NULL);
    this_machine_look(scene->parts.here);
    EXPECT_STR(err.message, "");
}

static void end(struct scene *scene)
{
    this_machine_free(scene->parts.here);
    notifications_free(scene->parts.notifications);
    db_free(scene->db);
    folder_remove(&scene->folder);
}

#define SWEEP                                                                                    \
    "{\"base\":{\"engine\":\"ok\",\"steps\":3,\"warmup_steps\":0},\"knobs\":{\"seed\":[1]},"     \
    "\"blocks\":1}"

static struct run_id add_sweep(struct scene *scene)
{
    AUTO(sweep_clear) struct sweep sweep = {0};
    struct place place = this_machine_place(scene->parts.here, scene->db);
    struct run_id id = {""};
    struct error err = {0};
    bool replayed;

    EXPECT(sweep_from_text(SWEEP, strlen(SWEEP), &place, &sweep, &err));
    EXPECT(sweeps_create(scene->db,
                         &(struct sweep_order){.sweep = &sweep,
                                               .blocks = sweep.blocks,
                                               .request = SWEEP,
                                               .instance = "",
                                               .now_us = NOON_US,
                                               .queue_limit = 9},
                         &id, &replayed, &err));
    EXPECT_STR(err.message, "");
    return id;
}

static enum sweep_state state_of(struct scene *scene, const struct run_id *id)
{
    AUTO(sweep_row_clear) struct sweep_row row = {0};

    EXPECT(sweeps_find(scene->db, id->text, &row, NULL));
    return row.state;
}

static void cancel_all_runs(struct scene *scene)
{
    EXPECT(db_execute(scene->db, "UPDATE runs SET state = 'cancelled', ended_us = created_us",
                      NULL));
}

TEST(one_sweep_is_advanced_and_others_are_left_alone)
{
    struct scene scene;

    begin(&scene);
    struct run_id first = add_sweep(&scene), second = add_sweep(&scene);
    cancel_all_runs(&scene);
    EXPECT(sweeper_advance(&scene.parts, &second, NULL));
    EXPECT_INT(state_of(&scene, &first), SWEEP_RUNNING);
    EXPECT_INT(state_of(&scene, &second), SWEEP_FINISHED);
    EXPECT(
        sweeper_advance(&scene.parts, &second, NULL)); /* it has ended: nothing is left to do */
    EXPECT_INT(state_of(&scene, &second), SWEEP_FINISHED);
    end(&scene);
}

TEST(every_sweep_is_advanced_that_has_not_ended)
{
    struct scene scene;

    begin(&scene);
    struct run_id first = add_sweep(&scene), second = add_sweep(&scene);
    cancel_all_runs(&scene);
    struct run_id third = add_sweep(&scene);
    EXPECT(sweeper_advance_all(&scene.parts, NULL));
    EXPECT_INT(state_of(&scene, &first), SWEEP_FINISHED);
    EXPECT_INT(state_of(&scene, &second), SWEEP_FINISHED);
    EXPECT_INT(state_of(&scene, &third), SWEEP_RUNNING); /* its run is queued */
    end(&scene);
}

TEST(a_sweep_that_is_not_there_is_an_error)
{
    static const struct run_id missing = {"00000000000000000000000000"};
    struct scene scene;
    struct error err = {0};

    begin(&scene);
    EXPECT(!sweeper_advance(&scene.parts, &missing, &err));
    EXPECT_INT(err.kind, ERROR_NOT_FOUND);
    end(&scene);
}
