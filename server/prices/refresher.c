/* Tested by tests/api/test_refresh.py. */
#include "server/prices/refresher.h"

#include "common/chance.h"
#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/memory.h"
#include "db/db_open.h"
#include "db/prices/feed_rows.h"
#include "server/base/disk_reserve.h"
#include "server/base/log.h"
#include "server/base/service_thread.h"
#include "server/prices/feed_regions.h"
#include "server/prices/refresh_feed.h"

#include <limits.h>
#include <malloc.h>

#define ROOM_SECONDS 30 /* between two checks of the disk space for prices */
#define AWS_METADATA "http://169.254.169.254"

/* The schedule of a feed; in the order of the settings. */
struct appointment {
    long long due_ns; /* LLONG_MAX: never */
    bool on;
    long long hurried_ns; /* when a new region made it due; 0: never */
    bool asked;           /* by a request */
    bool accept;          /* without confirmation, by that request */
    char idle[160];
};

struct refresher {
    struct refresher_parts parts;
    struct db *db; /* the thread's own */
    struct fetcher *fetcher;
    struct service_thread thread; /* its lock protects all that follows */
    bool waits_for_room;
    struct chance chance;
    struct refresh_progress progress;
    struct appointment appointments[FEEDS_MAX];
};

/* Up to a tenth more or less, so that machines started together ask at different times. */
static long long refresher_jittered(struct refresher *refresher, long long seconds)
{
    return chance_jitter(&refresher->chance, seconds * NS_PER_SECOND, 0.9, 1.1);
}

static bool wait_or_stop(void *user, long long nanoseconds)
{
    struct refresher *refresher = user;
    long long until_ns = clock_monotonic_ns() + nanoseconds;
    bool stopping;

    service_thread_lock(&refresher->thread);
    while (clock_monotonic_ns() < until_ns && service_thread_wait(&refresher->thread, until_ns))
        continue;
    stopping = refresher->thread.stopping;
    service_thread_unlock(&refresher->thread);
    return !stopping;
}

static void keep_progress(void *user, const char *scope, size_t done, size_t total)
{
    struct refresher *refresher = user;

    service_thread_lock(&refresher->thread);
    snprintf(refresher->progress.scope, sizeof refresher->progress.scope, "%s", scope);
    refresher->progress.scopes_done = done;
    refresher->progress.scopes = total;
    service_thread_unlock(&refresher->thread);
}

static void begin_feed(struct refresher *refresher, const struct feed *feed)
{
    struct refresh_progress *progress = &refresher->progress;

    service_thread_lock(&refresher->thread);
    snprintf(progress->feed, sizeof progress->feed, "%s", feed->source->name);
    progress->scope[0] = '\0';
    progress->scopes_done = progress->scopes = 0;
    service_thread_unlock(&refresher->thread);
}

static void end_feed(struct refresher *refresher, size_t index, const struct feed_result *result)
{
    const struct feed *feed = &refresher->parts.feeds->list[index];
    struct appointment *appointment = &refresher->appointments[index];
    long long seconds = refresh_feed_again(result, feed->every_seconds);

    service_thread_lock(&refresher->thread);
    if (result->idle[0] && strcmp(result->idle, appointment->idle) != 0)
        log_line(LOG_INFO, "feed %s is idle: %s", feed->source->name, result->idle);
    memcpy(appointment->idle, result->idle, sizeof appointment->idle);
    appointment->due_ns = clock_monotonic_ns() + refresher_jittered(refresher, seconds);
    refresher->progress.feeds_done++;
    service_thread_unlock(&refresher->thread);
}

/* Whether the request accepts this refresh without confirmation; once only. */
static bool take_belief(struct refresher *refresher, size_t index)
{
    bool accept;

    service_thread_lock(&refresher->thread);
    accept = refresher->appointments[index].accept;
    refresher->appointments[index].accept = false;
    service_thread_unlock(&refresher->thread);
    return accept;
}

static void refresh_one(struct refresher *refresher, size_t index)
{
    const struct feed *feed = &refresher->parts.feeds->list[index];
    const struct config *config = refresher->parts.config;
    struct identity identity;
    struct feed_result result;
    bool on_aws, accept = take_belief(refresher, index);

    this_machine_identity(refresher->parts.this_machine, &identity);
    on_aws = strcmp(identity.provider, "aws") == 0 && strcmp(identity.source, "metadata") == 0;
    begin_feed(refresher, feed);
    refresh_feed(&(struct feed_visit){.db = refresher->db,
                                      .feed = feed,
                                      .identity = &identity,
                                      .fetcher = refresher->fetcher,
                                      .price_regions = config->price_regions,
                                      .key = config->gcp_key,
                                      .metadata_url = strncmp(config->metadata, "aws=", 4) == 0
                                                          ? config->metadata + 4
                                                      : on_aws ? AWS_METADATA
                                                               : NULL,
                                      .seed = (unsigned)chance_next(&refresher->chance),
                                      .accept = accept,
                                      .wait = wait_or_stop,
                                      .progress = keep_progress,
                                      .user = refresher},
                 &result);
    end_feed(refresher, index, &result);
}

/* With the lock held: marks the feeds that are due now in `ret_due`, and counts them. */
static size_t find_due(struct refresher *refresher, bool ret_due[FEEDS_MAX])
{
    long long now_ns = clock_monotonic_ns();
    size_t count = 0;

    for (size_t i = 0; i < refresher->parts.feeds->count; i++) {
        struct appointment *appointment = &refresher->appointments[i];

        ret_due[i] = appointment->asked || appointment->due_ns <= now_ns;
        appointment->asked = false;
        count += ret_due[i];
    }
    return count;
}

/* With the lock held: sleeps until a feed is due. Returns false when the thread has to stop. */
static bool wait_for_work(struct refresher *refresher, bool ret_due[FEEDS_MAX])
{
    size_t count;

    while ((count = find_due(refresher, ret_due)) == 0 && !refresher->thread.stopping) {
        long long next_ns = LLONG_MAX;

        for (size_t i = 0; i < refresher->parts.feeds->count; i++)
            if (refresher->appointments[i].due_ns < next_ns)
                next_ns = refresher->appointments[i].due_ns;
        service_thread_wait(&refresher->thread, next_ns);
    }
    refresher->progress.feeds = count;
    return !refresher->thread.stopping;
}

/* Without disk space no feed is read, because its prices could not be stored: postpones the due
 * feeds. Logs the first refusal. */
static bool has_room(struct refresher *refresher, const bool due[FEEDS_MAX])
{
    long long again_ns = clock_monotonic_ns() + haste_pause(ROOM_SECONDS * NS_PER_SECOND);
    struct error err = {0};
    bool room = disk_reserve_check(refresher->parts.config, &err);

    if (!room && !refresher->waits_for_room)
        log_line(LOG_ERROR, "no prices are read: %s", err.message);
    refresher->waits_for_room = !room;
    service_thread_lock(&refresher->thread);
    for (size_t i = 0; !room && i < refresher->parts.feeds->count; i++)
        if (due[i])
            refresher->appointments[i].due_ns = again_ns;
    service_thread_unlock(&refresher->thread);
    return room;
}

static void refresh_due(struct refresher *refresher, const bool due[FEEDS_MAX])
{
    struct refresh_progress *progress = &refresher->progress;
    bool room = has_room(refresher, due);

    for (size_t i = 0; room && i < refresher->parts.feeds->count; i++)
        if (due[i] && wait_or_stop(refresher, 0))
            refresh_one(refresher, i);
    /* A large feed has tens of thousands of prices, and the next refresh is hours away. */
    malloc_trim(0);
    service_thread_lock(&refresher->thread);
    progress->running = false;
    progress->ended_us = clock_calendar_us();
    progress->feed[0] = progress->scope[0] = '\0';
    service_thread_unlock(&refresher->thread);
}

/* Keeps the latest time at which a scope of the feed was read. */
/* When a feed was last read, and whether it must be read again soon. */
struct last_reading {
    long long checked_us;
    bool waits; /* prices are held back */
};

static void note_checked(void *user, const struct feed_row *row)
{
    struct last_reading *last = user;

    if (row->checked_us > last->checked_us)
        last->checked_us = row->checked_us;
    last->waits |= row->held > 0 || row->doubt.until_us > 0;
}

/* A restart does not make a feed due that was read shortly before. */
static bool plan_one(struct refresher *refresher, size_t i, long long *ret_due_ns,
                     struct error *err)
{
    const struct feed *feed = &refresher->parts.feeds->list[i];
    struct last_reading last = {0};
    long long seconds = feed->every_seconds, left_us;

    if (!feed_rows_each(refresher->db, feed->source->name, note_checked, &last, err))
        return false;
    if (last.waits && seconds > CONFIRM_SECONDS)
        seconds = CONFIRM_SECONDS;
    left_us = last.checked_us + seconds * US_PER_SECOND - clock_calendar_us();
    *ret_due_ns = clock_monotonic_ns() + (left_us > 0 ? left_us * 1000 : 0);
    return true;
}

/* Turns on a feed that replaces one without its key, once it is needed and unless the settings
 * turn it on or off. It stays on. */
static void turn_stand_ins_on(struct refresher *refresher)
{
    const struct config *config = refresher->parts.config;
    struct identity identity;
    struct error err = {0};

    this_machine_identity(refresher->parts.this_machine, &identity);
    for (size_t i = 0; i < refresher->parts.feeds->count; i++) {
        const struct feed *feed = &refresher->parts.feeds->list[i];
        struct appointment *appointment = &refresher->appointments[i];
        long long due_ns;

        if (!feed->source->stands_in || feed->is_told || config->gcp_key[0] || appointment->on ||
            !feed_stands_in(refresher->db, feed, &identity, config->price_regions) ||
            !plan_one(refresher, i, &due_ns, &err))
            continue;
        log_line(LOG_INFO, "feed %s is on: no key of %s is given", feed->source->name,
                 feed->source->provider);
        service_thread_lock(&refresher->thread);
        appointment->on = true;
        appointment->due_ns = due_ns;
        service_thread_unlock(&refresher->thread);
    }
}

/* Makes a feed due if a run came from a new region of its provider; rarely, because reading it
 * may fail. */
static void refresher_hurry(struct refresher *refresher)
{
    const char *price_regions = refresher->parts.config->price_regions;
    struct identity identity;

    this_machine_identity(refresher->parts.this_machine, &identity);
    for (size_t i = 0; i < refresher->parts.feeds->count; i++) {
        struct appointment *appointment = &refresher->appointments[i];
        long long now_ns = clock_monotonic_ns();

        if (!appointment->on || appointment->due_ns <= now_ns ||
            (appointment->hurried_ns > 0 &&
             now_ns - appointment->hurried_ns < RETRY_SECONDS * NS_PER_SECOND) ||
            !feed_has_new_regions(refresher->db, &refresher->parts.feeds->list[i], &identity,
                                  price_regions))
            continue;
        service_thread_lock(&refresher->thread);
        appointment->hurried_ns = now_ns;
        appointment->due_ns = now_ns;
        service_thread_unlock(&refresher->thread);
    }
}

static void *refresher_work(void *user)
{
    struct refresher *refresher = user;
    bool due[FEEDS_MAX];
    bool going;

    this_machine_ask(refresher->parts.this_machine, fetch_with_curl, refresher->fetcher);
    do {
        turn_stand_ins_on(refresher);
        refresher_hurry(refresher);
        service_thread_lock(&refresher->thread);
        going = wait_for_work(refresher, due);
        if (going) {
            refresher->progress.running = true;
            refresher->progress.feeds_done = 0;
            refresher->progress.started_us = clock_calendar_us();
        }
        service_thread_unlock(&refresher->thread);
        if (going)
            refresh_due(refresher, due);
    } while (going);
    return NULL;
}

static bool refresher_plan_all(struct refresher *refresher, struct error *err)
{
    for (size_t i = 0; i < refresher->parts.feeds->count; i++) {
        struct appointment *appointment = &refresher->appointments[i];

        appointment->on = refresher->parts.feeds->list[i].on;
        appointment->due_ns = LLONG_MAX;
        if (appointment->on && !plan_one(refresher, i, &appointment->due_ns, err))
            return false;
    }
    return true;
}

void refresher_free(struct refresher *refresher)
{
    if (!refresher)
        return;
    db_free(refresher->db);
    fetcher_free(refresher->fetcher);
    service_thread_clear(&refresher->thread);
    free(refresher);
}

struct refresher *refresher_start(const struct refresher_parts *parts, struct error *err)
{
    struct refresher *refresher = xcalloc(1, sizeof *refresher);

    refresher->parts = *parts;
    refresher->chance = (struct chance){(uint64_t)clock_calendar_us()};
    service_thread_init(&refresher->thread);
    refresher->fetcher = fetcher_new(err);
    refresher->db = refresher->fetcher ? db_open(parts->config->database, err) : NULL;
    if (!refresher->db || !refresher_plan_all(refresher, err) ||
        !service_thread_start(&refresher->thread, "refresher", refresher_work, refresher, err)) {
        refresher_free(refresher);
        return NULL;
    }
    return refresher;
}

/* With the lock held. */
static bool refresher_appoint(struct refresher *refresher, const char *name, bool accept,
                              struct error *err)
{
    const struct feeds *feeds = refresher->parts.feeds;
    size_t count = 0;

    if (refresher->progress.running)
        return error_set(
            err, ERROR_CONFLICT, NULL,
            "a refresh is under way, at feed %.31s: GET /v1/feeds shows when it ends",
            refresher->progress.feed);
    for (size_t i = 0; i < feeds->count; i++)
        if (refresher->appointments[i].on &&
            (!name || strcmp(feeds->list[i].source->name, name) == 0)) {
            refresher->appointments[i].asked = true;
            refresher->appointments[i].accept = accept;
            count++;
        }
    if (count == 0 && name)
        return error_set(err, ERROR_UNABLE, "feed", "the feed %.40s is switched off", name);
    if (count == 0)
        return error_set(err, ERROR_UNABLE, NULL, "every feed is switched off");
    refresher->progress.running = true; /* so that the next request gets a conflict */
    refresher->progress.feeds_done = 0;
    refresher->progress.feeds = count;
    refresher->progress.started_us = clock_calendar_us();
    service_thread_wake(&refresher->thread);
    return true;
}

bool refresher_ask(struct refresher *refresher, const char *feed, bool accept, struct error *err)
{
    bool ok;

    service_thread_lock(&refresher->thread);
    ok = refresher_appoint(refresher, feed, accept, err);
    service_thread_unlock(&refresher->thread);
    return ok;
}

void refresher_progress(struct refresher *refresher, struct refresh_progress *ret_progress)
{
    service_thread_lock(&refresher->thread);
    *ret_progress = refresher->progress;
    service_thread_unlock(&refresher->thread);
}

bool refresher_is_settled(struct refresher *refresher)
{
    bool settled = this_machine_was_asked(refresher->parts.this_machine);

    service_thread_lock(&refresher->thread);
    settled = settled && !refresher->progress.running;
    for (size_t i = 0; i < refresher->parts.feeds->count; i++)
        settled = settled && refresher->appointments[i].due_ns > clock_monotonic_ns();
    service_thread_unlock(&refresher->thread);
    return settled;
}

bool refresher_plan(struct refresher *refresher, const char *feed, long long *ret_due_us,
                    char ret_idle[160])
{
    bool on = false;

    *ret_due_us = 0;
    ret_idle[0] = '\0';
    service_thread_lock(&refresher->thread);
    for (size_t i = 0; i < refresher->parts.feeds->count; i++) {
        const struct appointment *appointment = &refresher->appointments[i];

        if (strcmp(refresher->parts.feeds->list[i].source->name, feed) != 0)
            continue;
        if (appointment->due_ns != LLONG_MAX)
            *ret_due_us =
                clock_calendar_us() + (appointment->due_ns - clock_monotonic_ns()) / 1000;
        on = appointment->on;
        memcpy(ret_idle, appointment->idle, sizeof appointment->idle);
    }
    service_thread_unlock(&refresher->thread);
    return on;
}

void refresher_stop(struct refresher *refresher)
{
    if (!refresher)
        return;
    service_thread_ask_to_stop(&refresher->thread);
    fetcher_stop(refresher->fetcher);
    service_thread_join(&refresher->thread);
}
