#include "server/base/long_jobs.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const struct kind {
    const char *name;
    int most, most_of_client;
} kinds[JOB_KINDS] = {
    [JOB_IMPORT] = {"imports", IMPORT_JOBS_MAX, IMPORT_JOBS_MAX},
    [JOB_LARGE_IMPORT] = {"large imports", IMPORT_JOBS_MAX, IMPORT_JOBS_MAX},
    [JOB_EXPORT] = {"exports", ANSWER_JOBS_MAX, ANSWER_JOBS_OF_CLIENT_MAX},
    [JOB_RECOMPUTE] = {"recomputations", ANSWER_JOBS_MAX, ANSWER_JOBS_OF_CLIENT_MAX},
    [JOB_LIST] = {"lists", ANSWER_JOBS_MAX, ANSWER_JOBS_OF_CLIENT_MAX},
};

#define TAKES(kind) (1u << (kind))

/* The kinds that each thread takes. Short kinds have a thread without long ones. */
static const unsigned takes[LONG_JOB_THREADS] = {
    TAKES(JOB_IMPORT) | TAKES(JOB_LARGE_IMPORT),
    TAKES(JOB_IMPORT),
    TAKES(JOB_EXPORT) | TAKES(JOB_RECOMPUTE) | TAKES(JOB_LIST),
    TAKES(JOB_LIST),
};

struct lane {
    struct long_jobs *jobs;
    pthread_t thread;
    bool started;
    unsigned takes;
    int last; /* the last kind taken */
};

struct queue {
    struct long_job *first, *last; /* waiting jobs, the oldest first */
    int count;                     /* waiting or running */
    struct client_address served;  /* the client of the last job taken */
};

struct long_jobs {
    struct notifications *notifications;
    pthread_mutex_t lock; /* guards the fields below and the state of each job */
    pthread_cond_t changed;
    struct queue queues[JOB_KINDS];
    long long number; /* of the last job */
    atomic_bool stopping;
    struct lane lanes[LONG_JOB_THREADS];
};

const char *job_kind_name(enum job_kind kind)
{
    return kinds[kind].name;
}

static void unlink_job(struct queue *queue, struct long_job *job)
{
    struct long_job *previous = NULL;

    for (struct long_job *other = queue->first; other != job; other = other->next)
        previous = other;
    if (previous)
        previous->next = job->next;
    else
        queue->first = job->next;
    if (queue->last == job)
        queue->last = previous;
    job->next = NULL;
}

/* The oldest job of a client other than the last served; else the oldest. */
static struct long_job *jobs_choose(const struct queue *queue)
{
    for (struct long_job *job = queue->first; job; job = job->next)
        if (!client_address_equal(&job->client, &queue->served))
            return job;
    return queue->first;
}

/* Removes the next job of this thread from its queue; NULL if none waits. */
static struct long_job *take_job(struct lane *lane)
{
    for (int i = 1; i <= JOB_KINDS; i++) {
        int kind = (lane->last + i) % JOB_KINDS;
        struct queue *queue = &lane->jobs->queues[kind];
        struct long_job *job = lane->takes & TAKES(kind) ? jobs_choose(queue) : NULL;

        if (!job)
            continue;
        unlink_job(queue, job);
        queue->served = job->client;
        lane->last = kind;
        job->state = JOB_WORKS;
        return job;
    }
    return NULL;
}

/* With the lock held. Afterwards the owner may free the job. */
static void end_job(struct long_jobs *jobs, struct long_job *job)
{
    const struct topic topic = job->topic;

    job->state = JOB_ENDED;
    jobs->queues[job->kind].count--;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    notifications_publish(jobs->notifications, &topic, clock_monotonic_ns());
    pthread_mutex_lock(&jobs->lock);
}

static void *jobs_work(void *user)
{
    struct lane *lane = user;
    struct long_jobs *jobs = lane->jobs;

    pthread_mutex_lock(&jobs->lock);
    for (;;) {
        struct long_job *job = take_job(lane);

        if (job) {
            pthread_mutex_unlock(&jobs->lock);
            job->work(job->user, &jobs->stopping);
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

static bool start_lanes(struct long_jobs *jobs, struct error *err)
{
    for (int i = 0; i < LONG_JOB_THREADS; i++) {
        struct lane *lane = &jobs->lanes[i];

        lane->jobs = jobs;
        lane->takes = takes[i];
        lane->started = pthread_create(&lane->thread, NULL, jobs_work, lane) == 0;
        if (!lane->started)
            return error_set(err, ERROR_INTERNAL, NULL, "cannot start a thread for long work");
    }
    return true;
}

struct long_jobs *long_jobs_start(struct notifications *notifications, struct error *err)
{
    struct long_jobs *jobs = xcalloc(1, sizeof *jobs);

    jobs->notifications = notifications;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->changed, NULL);
    if (!start_lanes(jobs, err)) {
        long_jobs_stop(jobs);
        long_jobs_free(jobs);
        return NULL;
    }
    return jobs;
}

static int waiting_of(const struct queue *queue, const struct client_address *client)
{
    int count = 0;

    for (const struct long_job *job = queue->first; job; job = job->next)
        count += client_address_equal(&job->client, client);
    return count;
}

/* With the lock held. */
static bool may_wait(struct long_jobs *jobs, const struct long_job *job, struct error *err)
{
    const struct kind *kind = &kinds[job->kind];
    const struct queue *queue = &jobs->queues[job->kind];

    if (jobs->stopping)
        return error_set(err, ERROR_BUSY, NULL, "the server is stopping");
    if (job->goes_on)
        return true;
    if (queue->count >= kind->most)
        return error_set(err, ERROR_BUSY, NULL, "%d %s wait already", kind->most, kind->name);
    if (waiting_of(queue, &job->client) >= kind->most_of_client)
        return error_set(err, ERROR_BUSY, NULL, "%d %s of your address wait already",
                         kind->most_of_client, kind->name);
    return true;
}

static void jobs_append(struct long_jobs *jobs, struct long_job *job)
{
    struct queue *queue = &jobs->queues[job->kind];

    job->state = JOB_WAITS;
    job->next = NULL;
    job->topic = (struct topic){.kind = TOPIC_LONG_JOB};
    snprintf(job->topic.id.text, sizeof job->topic.id.text, "%lld", ++jobs->number);
    if (queue->last)
        queue->last->next = job;
    else
        queue->first = job;
    queue->last = job;
    queue->count++;
    pthread_cond_broadcast(&jobs->changed);
}

bool long_jobs_put(struct long_jobs *jobs, struct long_job *job, struct error *err)
{
    bool ok;

    pthread_mutex_lock(&jobs->lock);
    ok = may_wait(jobs, job, err);
    if (ok)
        jobs_append(jobs, job);
    pthread_mutex_unlock(&jobs->lock);
    return ok;
}

bool long_jobs_has_ended(struct long_jobs *jobs, const struct long_job *job)
{
    bool ended;

    pthread_mutex_lock(&jobs->lock);
    ended = job->state == JOB_ENDED;
    pthread_mutex_unlock(&jobs->lock);
    return ended;
}

static void wait_for(struct long_jobs *jobs, const struct long_job *job)
{
    while (job->state != JOB_ENDED)
        pthread_cond_wait(&jobs->changed, &jobs->lock);
}

void long_jobs_finish(struct long_jobs *jobs, const struct long_job *job)
{
    pthread_mutex_lock(&jobs->lock);
    wait_for(jobs, job);
    pthread_mutex_unlock(&jobs->lock);
}

void long_jobs_cancel(struct long_jobs *jobs, struct long_job *job)
{
    struct queue *queue = &jobs->queues[job->kind];

    pthread_mutex_lock(&jobs->lock);
    if (job->state == JOB_WAITS) {
        unlink_job(queue, job);
        queue->count--;
        job->state = JOB_ENDED;
    }
    wait_for(jobs, job);
    pthread_mutex_unlock(&jobs->lock);
}

int long_jobs_count(struct long_jobs *jobs, enum job_kind kind)
{
    int count;

    pthread_mutex_lock(&jobs->lock);
    count = jobs->queues[kind].count;
    pthread_mutex_unlock(&jobs->lock);
    return count;
}

void long_jobs_stop(struct long_jobs *jobs)
{
    if (!jobs)
        return;
    pthread_mutex_lock(&jobs->lock);
    jobs->stopping = true;
    pthread_cond_broadcast(&jobs->changed);
    pthread_mutex_unlock(&jobs->lock);
    for (int i = 0; i < LONG_JOB_THREADS; i++) {
        if (jobs->lanes[i].started)
            pthread_join(jobs->lanes[i].thread, NULL);
        jobs->lanes[i].started = false;
    }
}

void long_jobs_free(struct long_jobs *jobs)
{
    if (!jobs)
        return;
    for (int kind = 0; kind < JOB_KINDS; kind++)
        assert(!jobs->queues[kind].first && jobs->queues[kind].count == 0);
    pthread_cond_destroy(&jobs->changed);
    pthread_mutex_destroy(&jobs->lock);
    free(jobs);
}
