#include "server/bench_watch.h"

#include "common/clock.h"
#include "tests/db/database.h"

#define REQUEST "{\"knobs\":{\"batch_size\":[8]},\"blocks\":2}"

struct scene {
    struct folder folder;
    struct db *db;
    struct db_pool *pool;
    struct live *live;
    struct server server;
    struct bench_watch watch;
    FILE *out;
    char *text;
    size_t size;
};

static void ignore(void *user, long long when_ns)
{
    (void)user;
    (void)when_ns;
}

static struct run_id place_sweep(struct db *db)
{
    static struct topology topology = {
        .cpu_count = 4, .core_count = 4, .package_count = 1, .node_count = 1};
    const struct place place = {.topology = &topology, .isa = CPU_AVX2, .root = "/nowhere"};
    AUTO(sweep_clear) struct sweep sweep = {0};
    struct run_id id = {""};
    bool replayed;

    EXPECT(sweep_from_text(REQUEST, strlen(REQUEST), &place, &sweep, NULL));
    EXPECT(sweeps_create(db,
                         &(struct sweep_order){.sweep = &sweep,
                                               .blocks = sweep.blocks,
                                               .request = REQUEST,
                                               .instance = "",
                                               .now_us = NOON_US,
                                               .queue_limit = 9},
                         &id, &replayed, NULL));
    return id;
}

static void begin(struct scene *scene)
{
    *scene = (struct scene){.folder = folder_make()};
    scene->db = open_database(&scene->folder);
    scene->pool = db_pool_open(scene->folder.file, 1, NULL);
    scene->live = live_new(NS_PER_SECOND, ignore, NULL);
    scene->out = open_memstream(&scene->text, &scene->size);
    EXPECT(scene->pool && scene->live && scene->out);
    scene->server = (struct server){.pool = scene->pool, .live = scene->live};
    scene->watch = (struct bench_watch){.server = &scene->server,
                                        .out = scene->out,
                                        .sweep = place_sweep(scene->db),
                                        .planned = 2};
}

static void end(struct scene *scene)
{
    EXPECT_INT(fclose(scene->out), 0);
    free(scene->text);
    live_free(scene->live);
    db_pool_free(scene->pool);
    db_free(scene->db);
    folder_remove(&scene->folder);
}

static struct bench_sight look(struct scene *scene)
{
    struct bench_sight sight = {0};

    EXPECT(bench_watch_look(&scene->watch, &sight, NULL));
    fflush(scene->out);
    return sight;
}

/* The next run begins and ends so. */
static void run_one(struct scene *scene, enum run_state state)
{
    AUTO(run_clear) struct run run = claim_run(scene->db);

    run.state = state;
    run.ended_us = NOON_US + 9;
    snprintf(run.reason, sizeof run.reason, "for a reason");
    EXPECT(runs_end(scene->db, &run, NULL));
}

static void expect_settled(enum run_state state, size_t settled)
{
    struct scene scene;
    struct bench_sight sight;

    begin(&scene);
    sight = look(&scene);
    EXPECT_INT((long long)sight.settled, 0);
    EXPECT(!sight.idle && !sight.over);
    run_one(&scene, state);
    sight = look(&scene);
    EXPECT_INT((long long)sight.ended, 1);
    EXPECT_INT((long long)sight.settled, (long long)settled);
    claim_one(scene.db);
    sight = look(&scene);
    EXPECT(sight.running.text[0] != '\0');
    EXPECT(strstr(scene.text, settled ? "run 2 of 2 begins" : "run 1 of 2 begins") != NULL);
    end(&scene);
}

static void what_has_failed_is_settled(void)
{
    expect_settled(RUN_FAILED, 1);
}

static void what_is_tried_again_is_not_settled(void)
{
    expect_settled(RUN_INTERRUPTED, 0);
    expect_settled(RUN_PREEMPTED, 0);
}

int main(void)
{
    RUN(what_has_failed_is_settled);
    RUN(what_is_tried_again_is_not_settled);
    return test_result();
}
