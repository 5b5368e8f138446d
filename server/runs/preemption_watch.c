#include "server/runs/preemption_watch.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/service_thread.h"
#include "pricing/machine/preemption_notice.h"
#include "server/base/log.h"

#include <limits.h>

#define PERIOD_NS (5 * NS_PER_SECOND)
#define MOMENT_NS (100 * NS_PER_MS) /* while somebody else asks which machine this is */
#define UNHEARD_PERIODS 12          /* until that is asked again where nobody answered */
#define LEFT_PERIODS 6              /* between questions while a notice stands */
#define CALM 2                      /* answers in a row after which none stands any more */
#define SETTLE_NS (10 * NS_PER_SECOND)

struct preemption_watch {
    struct preemption_watch_parts parts;
    struct fetcher *fetcher; /* our own; NULL where a test brought one */
    struct service_thread thread;
    /* Under its lock: */
    bool busy;
    bool known;        /* what was found out last holds until then: */
    long long next_ns; /* nothing is asked before; LLONG_MAX: never */
    /* The thread's own: */
    struct preemption_notice_asker asker;
    bool asking;                   /* asker is one */
    bool failing, hinted, unheard; /* and that was logged */
    bool left;                     /* a notice stands, as far as we know */
    int calm;                      /* how often in a row that was denied */
};

/* Where this cloud's service is; NULL for where it always is. */
static const char *url_of(const char *metadata, const char *provider)
{
    size_t length = strlen(provider);

    return strncmp(metadata, provider, length) == 0 && metadata[length] == '='
               ? metadata + length + 1
               : NULL;
}

enum forecast_inputs {
    OUTLOOK_STAYS,
    OUTLOOK_LEAVES,
    OUTLOOK_UNASKED, /* which machine this is will be known in a moment */
    OUTLOOK_UNHEARD, /* there is a cloud that did not say it */
    OUTLOOK_NEVER    /* nobody could ever say so */
};

/* Finds out whom to ask, as far as it is known who we are. */
static enum forecast_inputs choose(struct preemption_watch *watch)
{
    struct preemption_watch_parts *parts = &watch->parts;
    bool asked = this_machine_was_asked(parts->here); /* before looking */
    struct identity identity;

    this_machine_identity(parts->here, &identity);
    if (identity.life_cycle[0] && strcmp(identity.life_cycle, "spot") != 0)
        return OUTLOOK_NEVER;
    watch->asking = identity.life_cycle[0] &&
                    preemption_notice_begin(&watch->asker, identity.provider,
                                            url_of(parts->metadata, identity.provider),
                                            parts->fetch, parts->fetcher);
    if (watch->asking)
        return OUTLOOK_STAYS;
    if (!asked)
        return OUTLOOK_UNASKED;
    return identity.unheard && (!identity.life_cycle[0] || !identity.provider[0])
               ? OUTLOOK_UNHEARD
               : OUTLOOK_NEVER;
}

/* A failure is told of once, and so is its end. */
static void note_unheard(struct preemption_watch *watch, bool unheard)
{
    struct identity identity;

    this_machine_identity(watch->parts.here, &identity);
    if (unheard && !watch->unheard)
        log_line(LOG_ERROR,
                 "whether this machine is taken back is not known, nor which one it is: %s",
                 identity.note);
    if (!unheard && watch->unheard)
        log_line(LOG_INFO, "it is known now which machine this is: %s %s, %s", identity.provider,
                 identity.instance_type, identity.life_cycle);
    watch->unheard = unheard;
}

/* One question that failed must not leave a spot machine without warning for as long as it runs.
 */
static enum forecast_inputs begin_asking(struct preemption_watch *watch)
{
    enum forecast_inputs forecast_inputs = choose(watch);

    if (forecast_inputs != OUTLOOK_UNHEARD)
        return forecast_inputs;
    this_machine_ask(watch->parts.here, watch->parts.fetch, watch->parts.fetcher);
    forecast_inputs = choose(watch);
    note_unheard(watch, forecast_inputs == OUTLOOK_UNHEARD);
    return forecast_inputs;
}

static void note_hint(struct preemption_watch *watch)
{
    if (watch->asker.at_risk && !watch->hinted)
        log_line(LOG_INFO, "the cloud hints that it may take this machine back soon");
    watch->hinted = watch->asker.at_risk;
}

/* A failure is told of once, until it works again. */
static void note_failure(struct preemption_watch *watch, const struct error *err)
{
    if (!watch->failing)
        log_line(LOG_ERROR, "whether this machine is taken back is not known: %s", err->message);
    watch->failing = true;
}

static enum forecast_inputs note_notice(struct preemption_watch *watch, const char *why)
{
    watch->calm = 0;
    if (!watch->left)
        watch->parts.leave(watch->parts.user, why);
    watch->left = true;
    return OUTLOOK_LEAVES;
}

/* A machine that was only put to sleep goes on with the memory it had. */
static enum forecast_inputs note_none(struct preemption_watch *watch)
{
    if (watch->left && ++watch->calm < CALM)
        return OUTLOOK_LEAVES;
    if (watch->left)
        watch->parts.stay(watch->parts.user);
    watch->left = false;
    note_hint(watch);
    return OUTLOOK_STAYS;
}

static enum forecast_inputs look(struct preemption_watch *watch)
{
    struct notice notice;
    struct error err = {0};
    enum forecast_inputs forecast_inputs;

    if (!watch->asking &&
        ((forecast_inputs = begin_asking(watch)) != OUTLOOK_STAYS || !watch->asking))
        return forecast_inputs;
    switch (preemption_notice_ask(&watch->asker, &notice, &err)) {
    case NOTICE_LEAVING:
        return note_notice(watch, notice.why);
    case NOTICE_NONE:
        watch->failing = false;
        return note_none(watch);
    default:
        watch->calm = 0;
        note_failure(watch, &err);
        return watch->left ? OUTLOOK_LEAVES : OUTLOOK_STAYS;
    }
}

static long long next_look(const struct preemption_watch *watch,
                           enum forecast_inputs forecast_inputs)
{
    long long now_ns = clock_monotonic_ns(), period_ns = watch->parts.period_ns;

    switch (forecast_inputs) {
    case OUTLOOK_NEVER:
        return LLONG_MAX;
    case OUTLOOK_LEAVES:
        return now_ns + LEFT_PERIODS * period_ns;
    case OUTLOOK_UNHEARD:
        return now_ns + UNHEARD_PERIODS * period_ns;
    case OUTLOOK_UNASKED:
        return now_ns + (period_ns < MOMENT_NS ? period_ns : MOMENT_NS);
    default:
        return now_ns + period_ns;
    }
}

/* With the lock held: sleeps until it is time to look. False when it stops. */
static bool wait_for_time(struct preemption_watch *watch)
{
    while (!watch->thread.stopping) {
        if (!watch->busy && !watch->left)
            service_thread_wait(&watch->thread, LLONG_MAX);
        else if (clock_monotonic_ns() < watch->next_ns)
            service_thread_wait(&watch->thread, watch->next_ns);
        else
            break;
    }
    return !watch->thread.stopping;
}

static void *work(void *user)
{
    struct preemption_watch *watch = user;

    service_thread_lock(&watch->thread);
    while (wait_for_time(watch)) {
        service_thread_unlock(&watch->thread);
        enum forecast_inputs forecast_inputs = look(watch);
        service_thread_lock(&watch->thread);
        watch->next_ns = next_look(watch, forecast_inputs);
        watch->known = forecast_inputs != OUTLOOK_UNASKED;
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

static struct preemption_watch *make(const struct preemption_watch_parts *parts,
                                     struct error *err)
{
    struct preemption_watch *watch = calloc(1, sizeof *watch);

    if (!watch) {
        error_no_memory(err);
        return NULL;
    }
    watch->parts = *parts;
    if (watch->parts.period_ns == 0)
        watch->parts.period_ns = PERIOD_NS;
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
    watch = make(parts, err);
    if (!watch)
        return false;
    if (!parts->fetch) {
        watch->fetcher = fetcher_new(err);
        watch->parts.fetch = fetch_with_curl;
        watch->parts.fetcher = watch->fetcher;
    }
    if ((!parts->fetch && !watch->fetcher) ||
        !service_thread_start(&watch->thread, "preemption watch", work, watch, err)) {
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
