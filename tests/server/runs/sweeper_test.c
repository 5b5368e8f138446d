/* Which sweeps are advanced, and how they end when their runs are cancelled one by one. */
#include "server/runs/sweeper.h"

#include "common/clock.h"
#include "db/runs/runs.h"
#include "tests/db/database.h"
#include "tests/server/base/untimed.h"
#include "tests/server/runs/queued_sweep.h"

struct scene {
    struct folder folder;
    struct config config;
    struct db *db;
    struct sweeper_parts parts;
};

static void begin(struct scene *scene)
{
    struct error err = {0};

    *scene = (struct scene){.folder = folder_make(),
                            .config = {.metadata = "off", .life_cycle = "auto"}};
    scene->db = open_database(&scene->folder);
    scene->parts = (struct sweeper_parts){.db = scene->db,
                                          .here = this_machine_new(&scene->config),
                                          .notifications = untimed_notifications()};
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

#define TEST_WITH_SCENE(name) TEST_GIVEN(name, struct scene *scene, with_scene)

TEST_MAKER(with_scene, struct scene, begin, end)

static struct run_id add_sweep(struct scene *scene)
{
    const struct place place = this_machine_place(scene->parts.here, scene->db);

    return queued_sweep(scene->db, &place, ONE_RUN);
}

static void cancel_all_runs(struct scene *scene)
{
    execute(scene->db, "UPDATE runs SET state = 'cancelled', ended_us = created_us");
}

TEST_WITH_SCENE(one_sweep_is_advanced_and_others_are_left_alone)
{
    struct run_id first = add_sweep(scene), second = add_sweep(scene);
    cancel_all_runs(scene);
    EXPECT(sweeper_advance(&scene->parts, &second, NULL));
    EXPECT_INT(sweep_state_of(scene->db, &first), SWEEP_RUNNING);
    EXPECT_INT(sweep_state_of(scene->db, &second), SWEEP_FINISHED);
    EXPECT(
        sweeper_advance(&scene->parts, &second, NULL)); /* it has ended: nothing is left to do */
    EXPECT_INT(sweep_state_of(scene->db, &second), SWEEP_FINISHED);
}

TEST_WITH_SCENE(every_sweep_is_advanced_that_has_not_ended)
{
    struct run_id first = add_sweep(scene), second = add_sweep(scene);
    cancel_all_runs(scene);
    struct run_id third = add_sweep(scene);
    EXPECT(sweeper_advance_all(&scene->parts, NULL));
    EXPECT_INT(sweep_state_of(scene->db, &first), SWEEP_FINISHED);
    EXPECT_INT(sweep_state_of(scene->db, &second), SWEEP_FINISHED);
    EXPECT_INT(sweep_state_of(scene->db, &third), SWEEP_RUNNING); /* its run is queued */
}

TEST_WITH_SCENE(a_sweep_that_is_not_there_is_an_error)
{
    static const struct run_id missing = {"00000000000000000000000000"};

    EXPECT_ERROR(sweeper_advance(&scene->parts, &missing, &err), ERROR_NOT_FOUND);
}
