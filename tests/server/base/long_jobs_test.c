#include "server/base/long_jobs.h"

#include "common/cleanup.h"
#include "tests/server/base/untimed.h"

#include <pthread.h>

#define CROWD (2 * ANSWER_JOBS_MAX)

struct piece {
    struct long_job job;
    struct scene *scene;
    char letter;
    bool stopped; /* it was told that the server stops */
};

/* Jobs that are at work until the gate opens, and note the order in which they were taken. */
struct scene {
    struct notifications *notifications;
    struct long_jobs *jobs;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool open;
    char order[CROWD + 1]; /* a letter of each job that was taken */
    size_t taken;
    struct piece pieces[CROWD]; /* which stay until the last job has ended */
    size_t count;
};

static void open_gate(struct scene *scene)
{
    pthread_mutex_lock(&scene->lock);
    scene->open = true;
    pthread_cond_broadcast(&scene->changed);
    pthread_mutex_unlock(&scene->lock);
}

#define TEST_WITH_JOBS(name) TEST_GIVEN(name, struct scene *scene, with_jobs)

static void with_jobs(void (*test)(struct scene *scene))
{
    struct scene scene = {.notifications = untimed_notifications()};

    pthread_mutex_init(&scene.lock, NULL);
    pthread_cond_init(&scene.changed, NULL);
    scene.jobs = long_jobs_start(scene.notifications, NULL);
    EXPECT(scene.jobs != NULL);
    test(&scene);
    open_gate(&scene);
    long_jobs_stop(scene.jobs);
    long_jobs_free(scene.jobs);
    notifications_free(scene.notifications);
    pthread_cond_destroy(&scene.changed);
    pthread_mutex_destroy(&scene.lock);
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

/* NULL where it is refused. */
static struct piece *put(struct scene *scene, enum job_kind kind, char letter, struct error *err)
{
    struct piece *piece = &scene->pieces[scene->count++];

    *piece = (struct piece){.scene = scene, .letter = letter};
    piece->job = (struct long_job){.work = work, .user = piece, .kind = kind};
    piece->job.client.bytes[0] = (unsigned char)letter;
    return long_jobs_put(scene->jobs, &piece->job, err) ? piece : NULL;
}

static void wait_until_taken(struct scene *scene, size_t count)
{
    pthread_mutex_lock(&scene->lock);
    while (scene->taken < count)
        pthread_cond_wait(&scene->changed, &scene->lock);
    pthread_mutex_unlock(&scene->lock);
}

TEST_WITH_JOBS(a_job_ends_and_its_topic_says_so)
{
    struct error err = {0};
    struct piece *piece = put(scene, JOB_EXPORT, 'a', &err), *other;

    EXPECT_INT(piece->job.topic.kind, TOPIC_LONG_JOB);
    wait_until_taken(scene, 1);
    EXPECT(!long_jobs_has_ended(scene->jobs, &piece->job));
    EXPECT_INT(long_jobs_count(scene->jobs, JOB_EXPORT), 1);
    other = put(scene, JOB_EXPORT, 'b', &err);
    EXPECT(strcmp(piece->job.topic.id.text, other->job.topic.id.text) != 0);
    open_gate(scene);
    long_jobs_finish(scene->jobs, &piece->job);
    long_jobs_finish(scene->jobs, &other->job);
    EXPECT(long_jobs_has_ended(scene->jobs, &piece->job));
    EXPECT(!piece->stopped);
    EXPECT_INT(long_jobs_count(scene->jobs, JOB_EXPORT), 0);
}

TEST_WITH_JOBS(a_kind_at_work_leaves_a_thread_to_lists_and_two_to_imports)
{
    EXPECT_OK(put(scene, JOB_EXPORT, 'e', &err));
    EXPECT_OK(put(scene, JOB_RECOMPUTE, 'e', &err));
    wait_until_taken(scene, 1);
    EXPECT_OK(put(scene, JOB_LIST, 'l', &err));
    wait_until_taken(scene, 2);
    EXPECT_OK(put(scene, JOB_LARGE_IMPORT, 'i', &err));
    wait_until_taken(scene, 3);
    EXPECT_OK(put(scene, JOB_IMPORT, 'i', &err));
    wait_until_taken(scene, 4);
    EXPECT_STR(scene->order, "elii");
}

/* While an export is at work, three more wait, and then another job. */
static void put_behind(struct scene *scene, const char *letters, enum job_kind last)
{
    for (int i = 0; i < 4; i++) {
        EXPECT_OK(put(scene, JOB_EXPORT, letters[i], &err));
        wait_until_taken(scene, 1);
    }
    EXPECT_OK(put(scene, last, letters[4], &err));
    open_gate(scene);
    long_jobs_finish(scene->jobs, &scene->pieces[3].job);
}

TEST_WITH_JOBS(kinds_take_turns)
{
    put_behind(scene, "0eeer", JOB_RECOMPUTE);
    EXPECT_STR(scene->order, "0reee");
}

TEST_WITH_JOBS(another_client_goes_before_the_next_job_of_the_same)
{
    put_behind(scene, "aaaab", JOB_EXPORT);
    EXPECT_STR(scene->order, "abaaa");
}

TEST_WITH_JOBS(a_job_too_many_is_refused_unless_its_answer_has_begun)
{
    struct piece begun = {.scene = scene, .letter = 'z'}, *last;
    struct error err = {0};

    for (int i = 0; i < ANSWER_JOBS_MAX; i++)
        EXPECT(put(scene, JOB_EXPORT, (char)('A' + i % 4), &err));
    EXPECT(!put(scene, JOB_EXPORT, 'z', &err));
    EXPECT_HAS(err, (kind, ERROR_BUSY), (message, "64 exports wait already"));
    begun.job =
        (struct long_job){.work = work, .user = &begun, .kind = JOB_EXPORT, .goes_on = true};
    error_clear(&err);
    EXPECT(long_jobs_put(scene->jobs, &begun.job, &err));
    last = put(scene, JOB_RECOMPUTE, 'z', &err);
    open_gate(scene);
    long_jobs_finish(scene->jobs, &begun.job);
    long_jobs_finish(scene->jobs, &last->job);
}

TEST_WITH_JOBS(one_client_leaves_places_to_others)
{
    struct error err = {0};
    int waiting = 0;

    EXPECT(put(scene, JOB_EXPORT, 'a', &err));
    wait_until_taken(scene, 1);
    while (put(scene, JOB_EXPORT, 'a', &err))
        waiting++;
    EXPECT_INT(waiting, ANSWER_JOBS_OF_CLIENT_MAX);
    EXPECT_STR(err.message, "32 exports of your address wait already");
    error_clear(&err);
    EXPECT(put(scene, JOB_EXPORT, 'b', &err));
}

TEST_WITH_JOBS(a_job_that_waits_is_cancelled_without_its_work)
{
    struct piece *pieces = scene->pieces, *again;
    struct error err = {0};

    for (int i = 0; i < 4; i++) {
        EXPECT(put(scene, JOB_EXPORT, (char)('a' + i), &err));
        wait_until_taken(scene, 1);
    }
    long_jobs_cancel(scene->jobs, &pieces[3].job);
    long_jobs_cancel(scene->jobs, &pieces[1].job);
    EXPECT(long_jobs_has_ended(scene->jobs, &pieces[3].job));
    open_gate(scene);
    long_jobs_cancel(scene->jobs, &pieces[0].job);
    long_jobs_finish(scene->jobs, &pieces[2].job);
    EXPECT_STR(scene->order, "ac");
    again = put(scene, JOB_EXPORT, 'z', &err);
    long_jobs_finish(scene->jobs, &again->job);
}

TEST_WITH_JOBS(a_stop_tells_every_job_and_takes_no_other)
{
    scene->open = true;
    for (int i = 0; i < 8; i++)
        EXPECT_OK(put(scene, JOB_EXPORT, 'a', &err));
    long_jobs_stop(scene->jobs);
    for (int i = 0; i < 8; i++)
        EXPECT(long_jobs_has_ended(scene->jobs, &scene->pieces[i].job));
    EXPECT(scene->taken == 8);
    EXPECT_ERROR(put(scene, JOB_EXPORT, 'a', &err), ERROR_BUSY);
}
