/* What is asked of a run while the keeper thins it: the answer is as it was just before. */
#include "db/runs/evidence_rows.h"
#include "db/runs/step_rows.h"
#include "db/runs/thinning.h"
#include "server/http/exchange.h"
#include "server/http/handlers/handlers.h"
#include "server/http/server.h"
#include "tests/db/finished.h"

#define STEPS 700

struct scene {
    struct folder folder;
    struct db *db;
    struct db_pool *pool;
    struct server server;
    struct run_id id;
    const char *thins_at; /* when that is read, once */
};

static void end_long_run(struct scene *scene)
{
    AUTO(run_clear) struct run run = run_about_to_end(scene->db, &(struct ended){.value = 100});

    for (int i = 0; i < STEPS; i++) {
        struct step step = {.nanoseconds = 1000000 + i, .loss = 0.5};
        struct observation seen = {.steps = i};
        struct evidence evidence = {.observations = &seen, .observation_count = 1};

        EXPECT(step_rows_append(scene->db, run.number, i, &step, 1, NULL));
        EXPECT(evidence_rows_append(scene->db, run.number, i, 0, &evidence, NULL));
    }
    run.steps = STEPS;
    EXPECT(runs_end(scene->db, &run, NULL));
    scene->id = run.id;
}

static int thin_meanwhile(unsigned event, void *user, void *stmt, void *text)
{
    struct thinning thinning = {.before_us = NOON_US + 99, .now_us = NOON_US};
    struct scene *scene = user;

    (void)event, (void)text;
    if (scene->thins_at && strstr(sqlite3_sql(stmt), scene->thins_at)) {
        EXPECT(thinning_step(scene->db, &thinning, NULL));
        EXPECT_INT(thinning.runs, 1);
        scene->thins_at = NULL;
    }
    return 0;
}

static void begin(struct scene *scene)
{
    *scene = (struct scene){.folder = folder_make()};
    scene->db = open_database(&scene->folder);
    do_not_sync(scene->db);
    end_long_run(scene);
    scene->pool = db_pool_open(scene->folder.file, 1, NULL);
    scene->server = (struct server){.pool = scene->pool};
    AUTO(db_loan_end) struct db_loan loan = db_borrow(scene->pool);
    EXPECT_INT(sqlite3_trace_v2(loan.db->handle, SQLITE_TRACE_STMT, thin_meanwhile, scene), 0);
}

static void end(struct scene *scene)
{
    db_pool_free(scene->pool);
    db_free(scene->db);
    folder_remove(&scene->folder);
}

/* The answer; the caller gives it back. */
static struct bytes ask(struct scene *scene, void (*handler)(struct exchange *), int status)
{
    static struct exchange exchange;

    exchange.server = &scene->server;
    exchange.request.id = scene->id;
    exchange.reply.body = (struct bytes){.limit = REPLY_MAX};
    handler(&exchange);
    EXPECT_INT(exchange.reply.status, status);
    return exchange.reply.body;
}

static bool says(const struct bytes *answer, const char *words)
{
    return answer->used > 0 && strstr(answer->data, words);
}

static void who_asks_while_it_is_thinned(void (*handler)(struct exchange *), const char *reads,
                                         int status_then, const char *words_then)
{
    struct scene scene;

    begin(&scene);
    AUTO(bytes_free) struct bytes before = ask(&scene, handler, 200);
    scene.thins_at = reads;
    AUTO(bytes_free) struct bytes meanwhile = ask(&scene, handler, 200);
    EXPECT(!scene.thins_at);
    AUTO(bytes_free) struct bytes then = ask(&scene, handler, status_then);
    EXPECT(!says(&before, words_then) && says(&then, words_then));
    EXPECT(before.used == meanwhile.used &&
           memcmp(before.data, meanwhile.data, before.used) == 0);
    end(&scene);
}

TEST(a_number_is_made_again_from_all_its_steps_or_from_none)
{
    who_asks_while_it_is_thinned(recompute_handler, "FROM steps WHERE run", 409,
                                 "its steps were thinned on");
}

TEST(evidence_is_whole_or_said_to_be_thinned)
{
    who_asks_while_it_is_thinned(evidence_handler, "FROM observations WHERE run", 200,
                                 "\"thinned\":true");
}
