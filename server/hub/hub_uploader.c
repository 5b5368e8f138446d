#include "server/hub/hub_uploader.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "db/db.h"
#include "server/base/log.h"

#include <pthread.h>
#include <time.h>

struct outbox {
    struct outbox_parts parts;
    struct courier courier;
    struct db *db;
    struct fetcher *fetcher; /* NULL where a test brought its own */
    pthread_t thread;
    bool began;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    bool stopping;
    unsigned long long wanted, done; /* calls of outbox_wake(), and those that a pass has seen */
    long long due_ns;                /* of the next try; 0: at once */
    bool told_off;                   /* not before that */
    struct outbox_status status;
};

/* With the lock held. */
static void sleep_until(struct outbox *outbox, long long when_ns)
{
    struct timespec when = {.tv_sec = when_ns / NS_PER_SECOND,
                            .tv_nsec = when_ns % NS_PER_SECOND};

    pthread_cond_timedwait(&outbox->changed, &outbox->lock, &when);
}

/* With the lock held: until there is something to do, or it stops. */
static void wait_for_work(struct outbox *outbox)
{
    while (!outbox->stopping) {
        if (outbox->wanted == outbox->done)
            pthread_cond_wait(&outbox->changed, &outbox->lock);
        else if (clock_monotonic_ns() < outbox->due_ns)
            sleep_until(outbox, outbox->due_ns);
        else
            return;
    }
}

/* Says the same thing once. */
static void tell(const struct outbox *outbox, const struct courier_outcome *outcome)
{
    const struct outbox_status *status = &outbox->status;
    const char *message = outcome->error.message;

    if (outcome->refusal[0])
        log_line(LOG_ERROR, "hub %s refused run %s", status->hub, outcome->refusal);
    if (*message && strcmp(message, status->last_error) != 0)
        log_line(LOG_ERROR, "hub %s: %s; trying again", status->hub, message);
    if (outcome->accepted > 0)
        log_line(LOG_INFO, "hub %s runs_accepted=%lld", status->hub, outcome->accepted);
}

/* With the lock held. `wanted` is what was asked for when the pass began. */
static void take_outcome(struct outbox *outbox, const struct courier_outcome *outcome,
                         unsigned long long wanted)
{
    struct outbox_status *status = &outbox->status;
    long long pause_ns = outcome->wait_ns;

    status->accepted += outcome->accepted;
    status->refused += outcome->refused;
    if (outcome->refusal[0])
        memcpy(status->last_refusal, outcome->refusal, sizeof status->last_refusal);
    if (outcome->news != COURIER_SENT)
        memcpy(status->last_error, outcome->error.message, sizeof status->last_error);
    if (outcome->news == COURIER_DONE)
        outbox->done = wanted;
    if (outbox->parts.pause_ns > 0 && pause_ns > outbox->parts.pause_ns)
        pause_ns = outbox->parts.pause_ns;
    outbox->due_ns = pause_ns > 0 ? clock_monotonic_ns() + pause_ns : 0;
    outbox->told_off = outcome->news == COURIER_TOLD_OFF;
    status->idle = outbox->wanted == outbox->done;
    pthread_cond_broadcast(&outbox->changed);
}

static void *work(void *user)
{
    struct outbox *outbox = user;
    struct courier_outcome outcome;
    unsigned long long wanted = 0;

    pthread_mutex_lock(&outbox->lock);
    for (;;) {
        wait_for_work(outbox);
        if (outbox->stopping)
            break;
        /* A pass begins at the oldest run; what ends during it may have been passed already. */
        if (outbox->courier.after == 0)
            wanted = outbox->wanted;
        pthread_mutex_unlock(&outbox->lock);
        courier_send(&outbox->courier, &outcome);
        pthread_mutex_lock(&outbox->lock);
        if (outbox->stopping)
            break;
        tell(outbox, &outcome);
        take_outcome(outbox, &outcome, wanted);
    }
    pthread_mutex_unlock(&outbox->lock);
    return NULL;
}

/* Whether others on the way can read what is sent. */
static bool is_plain(const char *url)
{
    static const char *const safe[] = {"https:", "http://127.", "http://localhost",
                                       "http://[::1]"};

    for (size_t i = 0; i < COUNT(safe); i++)
        if (strncmp(url, safe[i], strlen(safe[i])) == 0)
            return false;
    return true;
}

static bool begin(struct outbox *outbox, struct error *err)
{
    const struct config *config = outbox->parts.config;

    if (!outbox->parts.fetch) {
        outbox->fetcher = fetcher_new(err);
        if (!outbox->fetcher)
            return false;
    }
    outbox->db = db_open(config->database, err);
    if (!outbox->db)
        return false;
    courier_hub(config->report_to, outbox->status.hub);
    outbox->courier =
        (struct courier){.db = outbox->db,
                         .hub = outbox->status.hub,
                         .token = config->report_token,
                         .ca = config->report_ca,
                         .fetch = outbox->parts.fetch ? outbox->parts.fetch : fetch_with_curl,
                         .fetcher = outbox->parts.fetch ? outbox->parts.fetcher : outbox->fetcher,
                         .chance = (unsigned)clock_calendar_us()};
    if (config->report_token[0] && is_plain(config->report_to))
        log_line(LOG_ERROR, "hub %s: the token travels unencrypted: better say https://",
                 outbox->status.hub);
    outbox->began = pthread_create(&outbox->thread, NULL, work, outbox) == 0;
    return outbox->began ||
           error_set(err, ERROR_INTERNAL, NULL, "cannot start the thread that reports");
}

struct outbox *outbox_start(const struct outbox_parts *parts, struct error *err)
{
    struct outbox *outbox = calloc(1, sizeof *outbox);
    pthread_condattr_t monotonic;

    if (!outbox) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    outbox->parts = *parts;
    outbox->wanted = 1; /* there may be runs of earlier times */
    pthread_mutex_init(&outbox->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&outbox->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (!begin(outbox, err)) {
        outbox_free(outbox);
        return NULL;
    }
    return outbox;
}

void outbox_wake(struct outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    outbox->wanted++;
    outbox->status.idle = false;
    pthread_cond_broadcast(&outbox->changed);
    pthread_mutex_unlock(&outbox->lock);
}

void outbox_status(struct outbox *outbox, struct outbox_status *ret_status)
{
    pthread_mutex_lock(&outbox->lock);
    *ret_status = outbox->status;
    pthread_mutex_unlock(&outbox->lock);
}

void outbox_hurry(struct outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    if (!outbox->told_off)
        outbox->due_ns = 0;
    pthread_cond_broadcast(&outbox->changed);
    pthread_mutex_unlock(&outbox->lock);
}

bool outbox_wait(struct outbox *outbox, long long deadline_ns)
{
    unsigned long long wanted;
    bool done;

    pthread_mutex_lock(&outbox->lock);
    wanted = outbox->wanted;
    while (outbox->done < wanted && clock_monotonic_ns() < deadline_ns)
        sleep_until(outbox, deadline_ns);
    done = outbox->done >= wanted;
    pthread_mutex_unlock(&outbox->lock);
    return done;
}

void outbox_free(struct outbox *outbox)
{
    if (!outbox)
        return;
    if (outbox->began) {
        pthread_mutex_lock(&outbox->lock);
        outbox->stopping = true;
        pthread_cond_broadcast(&outbox->changed);
        pthread_mutex_unlock(&outbox->lock);
        if (outbox->fetcher)
            fetcher_stop(outbox->fetcher);
        pthread_join(outbox->thread, NULL);
    }
    fetcher_free(outbox->fetcher);
    db_free(outbox->db);
    pthread_cond_destroy(&outbox->changed);
    pthread_mutex_destroy(&outbox->lock);
    free(outbox);
}
