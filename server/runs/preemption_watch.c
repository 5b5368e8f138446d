#include "server/runs/preemption_watch.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/haste.h"
#include "common/memory.h"
#include "pricing/machine/preemption_notice.h"
#include "server/base/log.h"
#include "server/base/service_thread.h"

#include <limits.h>

#define PERIOD_NS (5 * NS_PER_SECOND)
#define MOMENT_NS (100 * NS_PER_MS) /* while the refresher asks which machine this is */
#define NO_ANSWER_PERIODS 12        /* until we ask again which machine this is */
#define NOTICE_PERIODS 6            /* between two questions while a notice stands */
#define WITHDRAWN_ANSWERS 2         /* answers in a row that withdraw a notice */
#define SETTLE_NS (10 * NS_PER_SECOND)

struct preemption_watch {
    struct preemption_watch_parts parts;
    struct fetcher *fetcher; /* NULL if a test has its own */
    struct service_thread thread;
    /* Under its lock: */
    bool busy;
    bool known;        /* the last answer holds until `next_ns` */
    long long next_ns; /* of the next question; LLONG_MAX: never */
    /* The thread's own: */
    struct preemption_notice_asker asker;
    bool asking;                   /* `asker` is ready */
    bool failing, hinted, unheard; /* and the log says so */
    bool noticed;                  /* a notice stands */
    int denials;                   /* answers without a notice, in a row, while one stands */
};

/* The URL of this cloud's service that the option gives, or NULL for the usual one. */
static const char *url_of(const char *metadata, const char *provider)
{
    size_t length = strlen(provider);

    return strncmp(metadata, provider, length) == 0 && metadata[length] == '='
               ? metadata + length + 1
               : NULL;
}

enum watch_result {
    WATCH_NO_NOTICE,
    WATCH_NOTICE,
    WATCH_NOT_ASKED_YET, /* the refresher is about to find out which machine this is */
    WATCH_NO_ANSWER,     /* the cloud did not say which machine this is */
    WATCH_NO_SERVICE     /* not a spot machine of a cloud that gives notice */
};

/* Chooses the service to ask, from what is known of this machine. */
static enum watch_result preemption_choose(struct preemption_watch *watch)
{
    struct preemption_watch_parts *parts = &watch->parts;
    bool asked = this_machine_was_asked(parts->this_machine); /* before we read the identity */
    struct identity identity;

    this_machine_identity(parts->this_machine, &identity);
    if (identity.life_cycle[0] && strcmp(identity.life_cycle, "spot") != 0)
        return WATCH_NO_SERVICE;
    watch->asking = identity.life_cycle[0] &&
                    preemption_notice_begin(&watch->asker, identity.provider,
                                            url_of(parts->metadata, identity.provider),
                                            parts->fetch, parts->fetcher);
    if (watch->asking)
        return WATCH_NO_NOTICE;
    if (!asked)
        return WATCH_NOT_ASKED_YET;
    return identity.unheard && (!identity.life_cycle[0] || !identity.provider[0])
               ? WATCH_NO_ANSWER
               : WATCH_NO_SERVICE;
}

/* Logs a failure once, and its end. */
static void note_unheard(struct preemption_watch *watch, bool unheard)
{
    struct identity identity;

    this_machine_identity(watch->parts.this_machine, &identity);
    if (unheard && !watch->unheard)
        log_line(
            LOG_ERROR,
            "cannot ask for preemption notices: the cloud does not say which machine this is: %s",
            identity.note);
    if (!unheard && watch->unheard)
        log_line(LOG_INFO, "the cloud now says which machine this is: %s %s, %s",
                 identity.provider, identity.instance_type, identity.life_cycle);
    watch->unheard = unheard;
}

/* One failed question must not leave a spot machine without notices for its whole life. */
static enum watch_result begin_asking(struct preemption_watch *watch)
{
    enum watch_result result = preemption_choose(watch);

    if (result != WATCH_NO_ANSWER)
        return result;
    this_machine_ask(watch->parts.this_machine, watch->parts.fetch, watch->parts.fetcher);
    result = preemption_choose(watch);
    note_unheard(watch, result == WATCH_NO_ANSWER);
    return result;
}

static void note_hint(struct preemption_watch *watch)
{
    if (watch->asker.at_risk && !watch->hinted)
        log_line(LOG_INFO, "the cloud hints that it may take this machine back soon");
    watch->hinted = watch->asker.at_risk;
}

/* Logs a failure once, until an answer comes. */
static void note_failure(struct preemption_watch *watch, const struct error *err)
{
    if (!watch->failing)
        log_line(LOG_ERROR, "cannot read the preemption notice: %s", err->message);
    watch->failing = true;
}

static enum watch_result note_notice(struct preemption_watch *watch, const char *why)
{
    watch->denials = 0;
    if (!watch->noticed)
        watch->parts.notice(watch->parts.user, why);
    watch->noticed = true;
    return WATCH_NOTICE;
}

/* After a hibernation the process goes on, and the notice is gone. */
static enum watch_result note_none(struct preemption_watch *watch)
{
    if (watch->noticed && ++watch->denials < WITHDRAWN_ANSWERS)
        return WATCH_NOTICE;
    if (watch->noticed)
        watch->parts.withdraw(watch->parts.user);
    watch->noticed = false;
    note_hint(watch);
    return WATCH_NO_NOTICE;
}

static enum watch_result preemption_look(struct preemption_watch *watch)
{
    struct notice notice;
    struct error err = {0};
    enum watch_result result;

    if (!watch->asking && ((result = begin_asking(watch)) != WATCH_NO_NOTICE || !watch->asking))
        return result;
    switch (preemption_notice_ask(&watch->asker, &notice, &err)) {
    case NOTICE_LEAVING:
        return note_notice(watch, notice.why);
    case NOTICE_NONE:
        watch->failing = false;
        return note_none(watch);
    default:
        watch->denials = 0;
        note_failure(watch, &err);
        return watch->noticed ? WATCH_NOTICE : WATCH_NO_NOTICE;
    }
}

static long long next_look(const struct preemption_watch *watch, enum watch_result result)
{
    long long now_ns = clock_monotonic_ns(), period_ns = watch->parts.period_ns;

    switch (result) {
    case WATCH_NO_SERVICE:
        return LLONG_MAX;
    case WATCH_NOTICE:
        return now_ns + NOTICE_PERIODS * period_ns;
    case WATCH_NO_ANSWER:
        return now_ns + NO_ANSWER_PERIODS * period_ns;
    case WATCH_NOT_ASKED_YET:
        return now_ns + (period_ns < MOMENT_NS ? period_ns : MOMENT_NS);
    default:
        return now_ns + period_ns;
    }
}

/* With the lock held: sleeps until the next question. Returns false when the thread has to stop.
 */
static bool wait_for_time(struct preemption_watch *watch)
{
    while (!watch->thread.stopping) {
        if (!watch->busy && !watch->noticed)
            service_thread_wait(&watch->thread, LLONG_MAX);
        else if (clock_monotonic_ns() < watch->next_ns)
            service_thread_wait(&watch->thread, watch->next_ns);
        else
            break;
    }
    return !watch->thread.stopping;
}

static void *preemption_work(void *user)
{
    struct preemption_watch *watch = user;

    service_thread_lock(&watch->thread);
    while (wait_for_time(watch)) {
        service_thread_unlock(&watch->thread);
        enum watch_result result = preemption_look(watch);
        service_thread_lock(&watch->thread);
        watch->next_ns = next_look(watch, result);
        watch->known = result != WATCH_NOT_ASKED_YET;
        service_thread_wake(&watch->thread);
    }
    service_thread_unlock(&watch->thread);
    preemption_notice_end(&watch->asker); /* forgets the token */
    return NULL;
}

void preemption_watch_free(struct preemption_watch *watch)
{
    if (!watch)
        return;
    fetcher_free(watch->fetcher);
    service_thread_clear(&watch->thread);
    free(watch);
}

static struct preemption_watch *preemption_make(const struct preemption_watch_parts *parts)
{
    struct preemption_watch *watch = xcalloc(1, sizeof *watch);

    watch->parts = *parts;
    if (watch->parts.period_ns == 0)
        watch->parts.period_ns = haste_pause(PERIOD_NS);
    service_thread_init(&watch->thread);
    return watch;
}

bool preemption_watch_start(const struct preemption_watch_parts *parts,
                            struct preemption_watch **ret_watch, struct error *err)
{
    struct preemption_watch *watch;

    *ret_watch = NULL;
    if (strcmp(parts->metadata, "off") == 0)
        return true;
    watch = preemption_make(parts);
    if (!parts->fetch) {
        watch->fetcher = fetcher_new(err);
        watch->parts.fetch = fetch_with_curl;
        watch->parts.fetcher = watch->fetcher;
    }
    if ((!parts->fetch && !watch->fetcher) ||
        !service_thread_start(&watch->thread, "preemption watch", preemption_work, watch, err)) {
        preemption_watch_free(watch);
        return false;
    }
    *ret_watch = watch;
    return true;
}

void preemption_watch_watch(struct preemption_watch *watch, bool busy)
{
    if (!watch)
        return;
    service_thread_lock(&watch->thread);
    if (watch->busy != busy)
        service_thread_wake(&watch->thread);
    watch->busy = busy;
    service_thread_unlock(&watch->thread);
}

void preemption_watch_settle(struct preemption_watch *watch)
{
    long long now_ns = clock_monotonic_ns();

    if (!watch)
        return;
    preemption_watch_watch(watch, true);
    service_thread_lock(&watch->thread);
    while (!(watch->known && watch->next_ns > now_ns) &&
           clock_monotonic_ns() < now_ns + SETTLE_NS &&
           service_thread_wait(&watch->thread, now_ns + SETTLE_NS))
        continue;
    service_thread_unlock(&watch->thread);
}

void preemption_watch_stop(struct preemption_watch *watch)
{
    if (!watch)
        return;
    service_thread_ask_to_stop(&watch->thread);
    if (watch->fetcher)
        fetcher_stop(watch->fetcher);
    service_thread_join(&watch->thread);
}
