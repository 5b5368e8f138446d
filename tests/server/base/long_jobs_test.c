#include "server/base/long_jobs.h"

#include "common/cleanup.h"
#include "tests/test.h"

#include <limits.h>
#include <pthread.h>

#define CROWD (2 * ANSWER_JOBS_MAX)

/* Jobs that are at work until the gate opens, and note the order in which they were taken. */
struct scene {
    struct notifications *notifications;
    struct long_jobs *jobs;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
    char order[CROWD + 1]; /* a letter of each job that was taken */
    size_t taken;
};

struct piece {
    struct long_job job;
    struct scene *scene;
    char letter;
    bool stopped; /* it was told that the server stops */
};

static void wake_by(void *user, long long when_ns)
{
    (void)user, (void)when_ns;
}

static void scene_set(struct scene *scene)
{
    struct error err = {0};

    pthread_mutex_init(&scene->lock, NULL);
    pthread_cond_init(&scene->changed, NULL);
    scene->notifications = notifications_new(LLONG_MAX, wake_by, NULL);
    scene->jobs = long_jobs_start(scene->notifications, &err);
    EXPECT(scene->notifications && scene->jobs);
}

static void open_gate(struct scene *scene)
{
    pthread_mutex_lock(&scene->lock);
    scene->open = true;
    pthread_cond_broadcast(&scene->changed);
    pthread_mutex_unlock(&scene->lock);
}

static void scene_clear(struct scene *scene)
{
    open_gate(scene);
    long_jobs_stop(scene->jobs);
    long_jobs_free(scene->jobs);
    notifications_free(scene->notifications);
    pthread_cond_destroy(&scene->changed);
    pthread_mutex_destroy(&scene->lock);
}

static void work(void *user, const atomic_bool *stop)
{
    struct piece *piece = user;
    struct scene *scene = piece->scene;

    piece->stopped = *stop;
    pthread_mutex_lock(&scene->lock);
    scene->order[scene->taken++] = piece->letter;
    pthread_cond_broadcast(&scene->changed);
    while (!scene->open)
        pthread_cond_wait(&scene->changed, &scene->lock);
    pthread_mutex_unlock(&scene->lock);
}

static bool put(struct scene *scene, struct piece *piece, enum job_kind kind, char letter,
                struct error *err)
{
    *piece = (struct piece){.scene = scene, .letter = letter};
    piece->job = (struct long_job){.work = work, .user = piece, .kind = kind};
    piece->job.client.bytes[0] = (unsigned char)letter;
    return long_jobs_put(scene->jobs, &piece->job, err);
}

static void wait_until_taken(struct scene *scene, size_t count)
{
    pthread_mutex_lock(&scene->lock);
    while (scene->taken < count)
        pthread_cond_wait(&scene->changed, &scene->lock);
    pthread_mutex_unlock(&scene->lock);
}

TEST(a_job_ends_and_its_topic_says_so)
{
    AUTO(scene_clear) struct scene scene = {0};
    struct piece piece, other;
    struct error err = {0};

    scene_set(&scene);
    EXPECT(put(&scene, &piece, JOB_EXPORT, 'a', &err));
    EXPECT_INT(piece.job.topic.kind, TOPIC_LONG_JOB);
    wait_until_taken(&scene, 1);
    EXPECT(!long_jobs_has_ended(scene.jobs, &piece.job));
    EXPECT_INT(long_jobs_count(scene.jobs, JOB_EXPORT), 1);
    EXPECT(put(&scene, &other, JOB_EXPORT, 'b', &err));
    EXPECT(strcmp(piece.job.topic.id.text, other.job.topic.id.text) != 0);
    open_gate(&scene);
    long_jobs_finish(scene.jobs, &piece.job);
    long_jobs_finish(scene.jobs, &other.job);
    EXPECT(long_jobs_has_ended(scene.jobs, &piece.job));
    EXPECT(!piece.stopped);
    EXPECT_INT(long_jobs_count(scene.jobs, JOB_EXPORT), 0);
}

TEST(a_kind_at_work_leaves_a_thread_to_lists_and_two_to_imports)
{
    AUTO(scene_clear) struct scene scene = {0};
    struct piece exports[2], list, imports[2];
    struct error err = {0};

    scene_set(&scene);
    EXPECT(put(&scene, &exports[0], JOB_EXPORT, 'e', &err));
    EXPECT(put(&scene, &exports[1], JOB_RECOMPUTE, 'e', &err));
    wait_until_taken(&scene, 1);
    EXPECT(put(&scene, &list, JOB_LIST, 'l', &err));
    wait_until_taken(&scene, 2);
    EXPECT(put(&scene, &imports[0], JOB_LARGE_IMPORT, 'i', &err));
    wait_until_taken(&scene, 3);
    EXPECT(put(&scene, &imports[1], JOB_IMPORT, 'i', &err));
    wait_until_taken(&scene, 4);
    EXPECT_STR(scene.order, "elii");
}

TEST(kinds_take_turns)
{
    AUTO(scene_clear) struct scene scene = {0};
    struct piece first, exports[3], recomputation;
    struct error err = {0};

    scene_set(&scene);
    EXPECT(put(&scene, &first, JOB_EXPORT, '0', &err));
    wait_until_taken(&scene, 1);
    for (size_t i = 0; i < COUNT(exports); i++)
        EXPECT(put(&scene, &exports[i], JOB_EXPORT, 'e', &err));
    EXPECT(put(&scene, &recomputation, JOB_RECOMPUTE, 'r', &err));
    open_gate(&scene);
    long_jobs_finish(scene.jobs, &exports[2].job);
    EXPECT_STR(scene.order, "0reee");
}

TEST(another_client_goes_before_the_next_job_of_the_same)
{
    AUTO(scene_clear) struct scene scene = {0};
    struct piece first, many[3], other;
    struct error err = {0};

    scene_set(&scene);
    EXPECT(put(&scene, &first, JOB_EXPORT, 'a', &err));
    wait_until_taken(&scene, 1);
    for (size_t i = 0; i < COUNT(many); i++)
        EXPECT(put(&scene, &many[i], JOB_EXPORT, 'a', &err));
    EXPECT(put(&scene, &other, JOB_EXPORT, 'b', &err));
    open_gate(&scene);
    long_jobs_finish(scene.jobs, &many[2].job);
    EXPECT_STR(scene.order, "abaaa");
}

TEST(a_job_too_many_is_refused_unless_its_answer_has_begun)
{
    static struct piece pieces[CROWD];
    AUTO(scene_clear) struct scene scene = {0};
    struct piece begun = {.scene = &scene, .letter = 'z'};
    struct error err = {0};

    scene_set(&scene);
    for (int i = 0; i < ANSWER_JOBS_MAX; i++)
        EXPECT(put(&scene, &pieces[i], JOB_EXPORT, (char)('A' + i % 4), &err));
    EXPECT(!put(&scene, &pieces[ANSWER_JOBS_MAX], JOB_EXPORT, 'z', &err));
    EXPECT_INT(err.kind, ERROR_BUSY);
    EXPECT_STR(err.message, "64 exports wait already");
    begun.job =
        (struct long_job){.work = work, .user = &begun, .kind = JOB_EXPORT, .goes_on = true};
    error_clear(&err);
    EXPECT(long_jobs_put(scene.jobs, &begun.job, &err));
    EXPECT(put(&scene, &pieces[ANSWER_JOBS_MAX], JOB_RECOMPUTE, 'z', &err));
    open_gate(&scene);
    long_jobs_finish(scene.jobs, &begun.job);
    long_jobs_finish(scene.jobs, &pieces[ANSWER_JOBS_MAX].job);
}

TEST(one_client_leaves_places_to_others)
{
    static struct piece pieces[CROWD];
    AUTO(scene_clear) struct scene scene = {0};
    struct error err = {0};
    int count = 0;

    scene_set(&scene);
    EXPECT(put(&scene, &pieces[count++], JOB_EXPORT, 'a', &err));
    wait_until_taken(&scene, 1);
    while (put(&scene, &pieces[count], JOB_EXPORT, 'a', &err))
        count++;
    EXPECT_INT(count, 1 + ANSWER_JOBS_OF_CLIENT_MAX);
    EXPECT_STR(err.message, "32 exports of your address wait already");
    error_clear(&err);
    EXPECT(put(&scene, &pieces[count], JOB_EXPORT, 'b', &err));
}

TEST(a_job_that_waits_is_cancelled_without_its_work)
{
    AUTO(scene_clear) struct scene scene = {0};
    struct piece pieces[4];
    struct error err = {0};

    scene_set(&scene);
    for (size_t i = 0; i < COUNT(pieces); i++) {
        EXPECT(put(&scene, &pieces[i], JOB_EXPORT, (char)('a' + i), &err));
        wait_until_taken(&scene, 1);
    }
    long_jobs_cancel(scene.jobs, &pieces[3].job);
    long_jobs_cancel(scene.jobs, &pieces[1].job);
    EXPECT(long_jobs_has_ended(scene.jobs, &pieces[3].job));
    open_gate(&scene);
    long_jobs_cancel(scene.jobs, &pieces[0].job);
    long_jobs_finish(scene.jobs, &pieces[2].job);
    EXPECT_STR(scene.order, "ac");
    EXPECT(put(&scene, &pieces[1], JOB_EXPORT, 'z', &err));
    long_jobs_finish(scene.jobs, &pieces[1].job);
}

TEST(a_stop_tells_every_job_and_takes_no_other)
{
    AUTO(scene_clear) struct scene scene = {0};
    struct piece pieces[8], later;
    struct error err = {0};

    scene_set(&scene);
    scene.open = true;
    for (size_t i = 0; i < COUNT(pieces); i++)
        EXPECT(put(&scene, &pieces[i], JOB_EXPORT, 'a', &err));
    long_jobs_stop(scene.jobs);
    for (size_t i = 0; i < COUNT(pieces); i++)
        EXPECT(long_jobs_has_ended(scene.jobs, &pieces[i].job));
    EXPECT(scene.taken == COUNT(pieces));
    EXPECT(!put(&scene, &later, JOB_EXPORT, 'a', &err));
    EXPECT_INT(err.kind, ERROR_BUSY);
}
