#include "server/imports/import_jobs.h"

#include "common/clock.h"
#include "common/service_thread.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* A thread, and which jobs it takes. */
struct lane {
    struct import_jobs *jobs;
    pthread_t thread;
    bool started, small_only;
};

struct import_jobs {
    struct db_pool *pool;
    struct notifications *notifications;
    pthread_mutex_t lock; /* of all that follows, and of the state of each job */
    pthread_cond_t changed;
    struct import_job *first, *last; /* that wait, the oldest first */
    int count;                       /* that wait or are at work */
    long long number;                /* of the last one */
    atomic_bool stopping;
    struct lane lanes[IMPORT_THREADS];
};

static bool is_for(const struct import_job *job, const struct lane *lane)
{
    return !lane->small_only || job->body.length <= SMALL_IMPORT;
}

/* The oldest that this thread takes, out of the queue; NULL when none waits. */
static struct import_job *take_job(struct import_jobs *jobs, const struct lane *lane)
{
    struct import_job *previous = NULL, *job = jobs->first;

    while (job && !is_for(job, lane)) {
        previous = job;
        job = job->next;
    }
    if (!job)
        return NULL;
    if (previous)
        previous->next = job->next;
    else
        jobs->first = job->next;
    if (jobs->last == job)
        jobs->last = previous;
    job->next = NULL;
    job->state = IMPORT_WORKS;
    return job;
}

static void do_job(struct import_jobs *jobs, struct import_job *job)
{
    job->body.stop = &jobs->stopping;
    job->ok = job->lines ? import_lines(jobs->pool, &job->body, &job->report, &job->err)
                         : import_one(jobs->pool, &job->body, &job->id, &job->fate, &job->err);
}

/* With the lock held. From then on the job is its owner's, who may free it. */
static void end_job(struct import_jobs *jobs, struct import_job *job)
{
    const struct topic topic = job->topic;

    job->state = IMPORT_ENDED;
    jobs->count--;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    notifications_publish(jobs->notifications, &topic, clock_monotonic_ns());
    pthread_mutex_lock(&jobs->lock);
}

static void *work(void *user)
{
    const struct lane *lane = user;
    struct import_jobs *jobs = lane->jobs;

    pthread_mutex_lock(&jobs->lock);
    for (;;) {
        struct import_job *job = take_job(jobs, lane);

        if (job) {
            pthread_mutex_unlock(&jobs->lock);
            do_job(jobs, job);
            pthread_mutex_lock(&jobs->lock);
            end_job(jobs, job);
        } else if (jobs->stopping) {
            break;
        } else {
            pthread_cond_wait(&jobs->changed, &jobs->lock);
        }
    }
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

static bool start_lanes(struct import_jobs *jobs, struct error *err)
{
    for (int i = 0; i < IMPORT_THREADS; i++) {
        struct lane *lane = &jobs->lanes[i];

        lane->jobs = jobs;
        lane->small_only = i > 0;
        lane->started = pthread_create(&lane->thread, NULL, work, lane) == 0;
        if (!lane->started)
            return error_set(err, ERROR_INTERNAL, NULL, "cannot start the import thread");
    }
    return true;
}

struct import_jobs *import_jobs_start(struct db_pool *pool, struct notifications *notifications,
                                      struct error *err)
{
    struct import_jobs *jobs = calloc(1, sizeof *jobs);

    if (!jobs) {
        error_no_memory(err);
        return NULL;
    }
    jobs->pool = pool;
    jobs->notifications = notifications;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->changed, NULL);
    if (!start_lanes(jobs, err)) {
        import_jobs_stop(jobs);
        import_jobs_free(jobs);
        return NULL;
    }
    return jobs;
}

static void append(struct import_jobs *jobs, struct import_job *job)
{
    job->state = IMPORT_WAITS;
    job->next = NULL;
    job->topic = (struct topic){.kind = TOPIC_IMPORT};
    snprintf(job->topic.id.text, sizeof job->topic.id.text, "%lld", ++jobs->number);
    if (jobs->last)
        jobs->last->next = job;
    else
        jobs->first = job;
    jobs->last = job;
    jobs->count++;
    pthread_cond_broadcast(&jobs->changed);
}

bool import_jobs_put(struct import_jobs *jobs, struct import_job *job, struct error *err)
{
    bool ok = true;

    pthread_mutex_lock(&jobs->lock);
    if (jobs->stopping)
        ok = error_set(err, ERROR_BUSY, NULL, "the server is stopping");
    else if (jobs->count >= IMPORT_JOBS_MAX)
        ok = error_set(err, ERROR_BUSY, NULL, "%d imports wait already", IMPORT_JOBS_MAX);
    else
        append(jobs, job);
    pthread_mutex_unlock(&jobs->lock);
    return ok;
}

bool import_jobs_has_ended(struct import_jobs *jobs, const struct import_job *job)
{
    bool ended;

    pthread_mutex_lock(&jobs->lock);
    ended = job->state == IMPORT_ENDED;
    pthread_mutex_unlock(&jobs->lock);
    return ended;
}

void import_jobs_finish(struct import_jobs *jobs, const struct import_job *job)
{
    pthread_mutex_lock(&jobs->lock);
    while (job->state != IMPORT_ENDED)
        pthread_cond_wait(&jobs->changed, &jobs->lock);
    pthread_mutex_unlock(&jobs->lock);
}

void import_jobs_stop(struct import_jobs *jobs)
{
    if (!jobs)
        return;
    pthread_mutex_lock(&jobs->lock);
    jobs->stopping = true;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    for (int i = 0; i < IMPORT_THREADS; i++) {
        if (jobs->lanes[i].started)
            pthread_join(jobs->lanes[i].thread, NULL);
        jobs->lanes[i].started = false;
    }
}

void import_jobs_free(struct import_jobs *jobs)
{
    if (!jobs)
        return;
    assert(!jobs->first && jobs->count == 0);
    pthread_cond_destroy(&jobs->changed);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}
