#include "server/hub/hub_uploader.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "db/db.h"
#include "db/db_open.h"
#include "server/base/log.h"
#include "server/base/service_thread.h"
#include "server/keys/key_file.h"

#include <limits.h>

struct hub_uploader {
    struct hub_uploader_parts parts;
    struct hub_upload upload;
    struct db *db;
    struct signing_key key;
    struct fetcher *fetcher;      /* NULL if a test has its own */
    struct service_thread thread; /* its lock protects all that follows */
    unsigned long long wanted,
        done;         /* calls of hub_uploader_wake(), and those that a complete pass covers */
    long long due_ns; /* of the next try; 0: at once */
    bool deferred;    /* the hub set `due_ns`: do not hurry */
    struct hub_uploader_status status;
};

/* With the lock held: sleeps until a try is due or the thread has to stop. */
static void wait_for_work(struct hub_uploader *uploader)
{
    while (!uploader->thread.stopping) {
        if (uploader->wanted == uploader->done)
            service_thread_wait(&uploader->thread, LLONG_MAX);
        else if (clock_monotonic_ns() < uploader->due_ns)
            service_thread_wait(&uploader->thread, uploader->due_ns);
        else
            return;
    }
}

/* Logs the outcome; does not repeat the last error. */
static void log_outcome(const struct hub_uploader *uploader,
                        const struct hub_upload_outcome *outcome)
{
    const struct hub_uploader_status *status = &uploader->status;
    const char *message = outcome->error.message;

    if (outcome->refusal[0])
        log_line(LOG_ERROR, "hub %s refused run %s", status->hub, outcome->refusal);
    if (outcome->event_refusal[0])
        log_line(LOG_ERROR, "hub %s refused to count a preemption: %s", status->hub,
                 outcome->event_refusal);
    if (*message && strcmp(message, status->last_error) != 0)
        log_line(LOG_ERROR, "hub %s: %s; trying again", status->hub, message);
    if (outcome->accepted > 0)
        log_line(LOG_INFO, "hub %s runs_accepted=%lld", status->hub, outcome->accepted);
}

/* With the lock held. `wanted` is the value when the pass began. */
static void take_outcome(struct hub_uploader *uploader, const struct hub_upload_outcome *outcome,
                         unsigned long long wanted)
{
    struct hub_uploader_status *status = &uploader->status;
    long long pause_ns = outcome->wait_ns;

    status->accepted += outcome->accepted;
    status->refused += outcome->refused;
    if (outcome->refusal[0])
        memcpy(status->last_refusal, outcome->refusal, sizeof status->last_refusal);
    if (outcome->result != HUB_UPLOAD_SENT)
        memcpy(status->last_error, outcome->error.message, sizeof status->last_error);
    if (outcome->result == HUB_UPLOAD_DONE)
        uploader->done = wanted;
    if (uploader->parts.pause_ns > 0 && pause_ns > uploader->parts.pause_ns)
        pause_ns = uploader->parts.pause_ns;
    uploader->due_ns = pause_ns > 0 ? clock_monotonic_ns() + pause_ns : 0;
    uploader->deferred = outcome->result == HUB_UPLOAD_DEFERRED;
    status->idle = uploader->wanted == uploader->done;
    service_thread_wake(&uploader->thread);
}

static void *uploader_work(void *user)
{
    struct hub_uploader *uploader = user;
    struct hub_upload_outcome outcome;
    unsigned long long wanted = 0;

    service_thread_lock(&uploader->thread);
    for (;;) {
        wait_for_work(uploader);
        if (uploader->thread.stopping)
            break;
        /* A pass begins at the oldest run: it may be past a run that ends meanwhile. */
        if (uploader->upload.after == 0)
            wanted = uploader->wanted;
        service_thread_unlock(&uploader->thread);
        hub_upload_send(&uploader->upload, &outcome);
        service_thread_lock(&uploader->thread);
        if (uploader->thread.stopping)
            break;
        log_outcome(uploader, &outcome);
        take_outcome(uploader, &outcome, wanted);
    }
    service_thread_unlock(&uploader->thread);
    return NULL;
}

/* Whether the request crosses a network unencrypted. */
static bool is_plain(const char *url)
{
    static const char *const safe[] = {"https:", "http://127.", "http://localhost",
                                       "http://[::1]"};

    for (size_t i = 0; i < COUNT(safe); i++)
        if (strncmp(url, safe[i], strlen(safe[i])) == 0)
            return false;
    return true;
}

static bool uploader_begin(struct hub_uploader *uploader, struct error *err)
{
    const struct config *config = uploader->parts.config;

    if (!uploader->parts.fetch) {
        uploader->fetcher = fetcher_new(err);
        if (!uploader->fetcher)
            return false;
    }
    uploader->db = db_open(config->database, err);
    if (!uploader->db || !key_file_load(config->database, &uploader->key, err))
        return false;
    hub_upload_hub(config->report_to, uploader->status.hub);
    uploader->upload = (struct hub_upload){
        .db = uploader->db,
        .hub = uploader->status.hub,
        .token = config->report_token,
        .key = &uploader->key,
        .ca = config->report_ca,
        .fetch = uploader->parts.fetch ? uploader->parts.fetch : fetch_with_curl,
        .fetcher = uploader->parts.fetch ? uploader->parts.fetcher : uploader->fetcher,
        .chance = {(uint64_t)clock_calendar_us()}};
    if (config->report_token[0] && is_plain(config->report_to))
        log_line(LOG_ERROR, "hub %s: the token travels unencrypted: better say https://",
                 uploader->status.hub);
    return service_thread_start(&uploader->thread, "upload", uploader_work, uploader, err);
}

struct hub_uploader *hub_uploader_start(const struct hub_uploader_parts *parts, struct error *err)
{
    struct hub_uploader *uploader = xcalloc(1, sizeof *uploader);

    uploader->parts = *parts;
    uploader->wanted = 1; /* an earlier process may have left runs to send */
    service_thread_init(&uploader->thread);
    if (!uploader_begin(uploader, err)) {
        hub_uploader_free(uploader);
        return NULL;
    }
    return uploader;
}

void hub_uploader_wake(struct hub_uploader *uploader)
{
    service_thread_lock(&uploader->thread);
    uploader->wanted++;
    uploader->status.idle = false;
    service_thread_wake(&uploader->thread);
    service_thread_unlock(&uploader->thread);
}

void hub_uploader_status(struct hub_uploader *uploader, struct hub_uploader_status *ret_status)
{
    service_thread_lock(&uploader->thread);
    *ret_status = uploader->status;
    service_thread_unlock(&uploader->thread);
}

void hub_uploader_hurry(struct hub_uploader *uploader)
{
    service_thread_lock(&uploader->thread);
    if (!uploader->deferred)
        uploader->due_ns = 0;
    service_thread_wake(&uploader->thread);
    service_thread_unlock(&uploader->thread);
}

bool hub_uploader_wait(struct hub_uploader *uploader, long long deadline_ns)
{
    unsigned long long wanted;
    bool done;

    service_thread_lock(&uploader->thread);
    wanted = uploader->wanted;
    while (uploader->done < wanted && clock_monotonic_ns() < deadline_ns &&
           service_thread_wait(&uploader->thread, deadline_ns))
        continue;
    done = uploader->done >= wanted;
    service_thread_unlock(&uploader->thread);
    return done;
}

void hub_uploader_free(struct hub_uploader *uploader)
{
    if (!uploader)
        return;
    service_thread_ask_to_stop(&uploader->thread);
    if (uploader->fetcher)
        fetcher_stop(uploader->fetcher);
    service_thread_join(&uploader->thread);
    fetcher_free(uploader->fetcher);
    db_free(uploader->db);
    service_thread_clear(&uploader->thread);
    free(uploader);
}
