#include "server/runs/preemption_watch.h"

#include "common/cleanup.h"
#include "common/condition.h"
#include "pricing/machine/preemption_notice.h"
#include "server/base/log.h"

#define PERIOD_NS (5 * NS_PER_SECOND)
#define MOMENT_NS (100 * NS_PER_MS) /* while somebody else asks which machine this is */
#define UNHEARD_PERIODS 12          /* until that is asked again where nobody answered */
#define LEFT_PERIODS 6              /* between questions while a notice stands */
#define CALM 2                      /* answers in a row after which none stands any more */
#define SETTLE_NS (10 * NS_PER_SECOND)

struct lookout {
    struct lookout_parts parts;
    struct fetcher *fetcher; /* our own; NULL where a test brought one */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool busy, stopping, joined;
    bool known;        /* what was found out last holds until then: */
    long long next_ns; /* nothing is asked before; LLONG_MAX: never */
    /* The thread's own: */
    struct notice_asker asker;
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

enum outlook {
    OUTLOOK_STAYS,
    OUTLOOK_LEAVES,
    OUTLOOK_UNASKED, /* which machine this is will be known in a moment */
    OUTLOOK_UNHEARD, /* there is a cloud that did not say it */
    OUTLOOK_NEVER    /* nobody could ever say so */
};

/* Finds out whom to ask, as far as it is known who we are. */
static enum outlook choose(struct lookout *lookout)
{
    struct lookout_parts *parts = &lookout->parts;
    bool asked = this_machine_was_asked(parts->here); /* before looking */
    struct identity identity;

    this_machine_identity(parts->here, &identity);
    if (identity.life_cycle[0] && strcmp(identity.life_cycle, "spot") != 0)
        return OUTLOOK_NEVER;
    lookout->asking =
        identity.life_cycle[0] &&
        notice_begin(&lookout->asker, identity.provider,
                     url_of(parts->metadata, identity.provider), parts->fetch, parts->fetcher);
    if (lookout->asking)
        return OUTLOOK_STAYS;
    if (!asked)
        return OUTLOOK_UNASKED;
    return identity.unheard && (!identity.life_cycle[0] || !identity.provider[0])
               ? OUTLOOK_UNHEARD
               : OUTLOOK_NEVER;
}

/* A failure is told of once, and so is its end. */
static void note_unheard(struct lookout *lookout, bool unheard)
{
    struct identity identity;

    this_machine_identity(lookout->parts.here, &identity);
    if (unheard && !lookout->unheard)
        log_line(LOG_ERROR,
                 "whether this machine is taken back is not known, nor which one it is: %s",
                 identity.note);
    if (!unheard && lookout->unheard)
        log_line(LOG_INFO, "it is known now which machine this is: %s %s, %s", identity.provider,
                 identity.instance_type, identity.life_cycle);
    lookout->unheard = unheard;
}

/* One question that failed must not leave a spot machine without warning for as long as it runs.
 */
static enum outlook begin_asking(struct lookout *lookout)
{
    enum outlook outlook = choose(lookout);

    if (outlook != OUTLOOK_UNHEARD)
        return outlook;
    this_machine_ask(lookout->parts.here, lookout->parts.fetch, lookout->parts.fetcher);
    outlook = choose(lookout);
    note_unheard(lookout, outlook == OUTLOOK_UNHEARD);
    return outlook;
}

static void note_hint(struct lookout *lookout)
{
    if (lookout->asker.at_risk && !lookout->hinted)
        log_line(LOG_INFO, "the cloud hints that it may take this machine back soon");
    lookout->hinted = lookout->asker.at_risk;
}

/* A failure is told of once, until it works again. */
static void note_failure(struct lookout *lookout, const struct error *err)
{
    if (!lookout->failing)
        log_line(LOG_ERROR, "whether this machine is taken back is not known: %s", err->message);
    lookout->failing = true;
}

static enum outlook note_notice(struct lookout *lookout, const char *why)
{
    lookout->calm = 0;
    if (!lookout->left)
        lookout->parts.leave(lookout->parts.user, why);
    lookout->left = true;
    return OUTLOOK_LEAVES;
}

/* A machine that was only put to sleep goes on with the memory it had. */
static enum outlook note_none(struct lookout *lookout)
{
    if (lookout->left && ++lookout->calm < CALM)
        return OUTLOOK_LEAVES;
    if (lookout->left)
        lookout->parts.stay(lookout->parts.user);
    lookout->left = false;
    note_hint(lookout);
    return OUTLOOK_STAYS;
}

static enum outlook look(struct lookout *lookout)
{
    struct notice notice;
    struct error err = {0};
    enum outlook outlook;

    if (!lookout->asking &&
        ((outlook = begin_asking(lookout)) != OUTLOOK_STAYS || !lookout->asking))
        return outlook;
    switch (notice_ask(&lookout->asker, &notice, &err)) {
    case NOTICE_LEAVING:
        return note_notice(lookout, notice.why);
    case NOTICE_NONE:
        lookout->failing = false;
        return note_none(lookout);
    default:
        lookout->calm = 0;
        note_failure(lookout, &err);
        return lookout->left ? OUTLOOK_LEAVES : OUTLOOK_STAYS;
    }
}

static long long next_look(const struct lookout *lookout, enum outlook outlook)
{
    long long now_ns = clock_monotonic_ns(), period_ns = lookout->parts.period_ns;

    switch (outlook) {
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
static bool wait_for_time(struct lookout *lookout)
{
    while (!lookout->stopping) {
        if (!lookout->busy && !lookout->left)
            condition_wait(&lookout->changed, &lookout->lock, LLONG_MAX);
        else if (clock_monotonic_ns() < lookout->next_ns)
            condition_wait(&lookout->changed, &lookout->lock, lookout->next_ns);
        else
            break;
    }
    return !lookout->stopping;
}

static void *work(void *user)
{
    struct lookout *lookout = user;

    pthread_mutex_lock(&lookout->lock);
    while (wait_for_time(lookout)) {
        pthread_mutex_unlock(&lookout->lock);
        enum outlook outlook = look(lookout);
        pthread_mutex_lock(&lookout->lock);
        lookout->next_ns = next_look(lookout, outlook);
        lookout->known = outlook != OUTLOOK_UNASKED;
        pthread_cond_broadcast(&lookout->changed);
    }
    pthread_mutex_unlock(&lookout->lock);
    notice_end(&lookout->asker); /* forgets the token */
    return NULL;
}

void lookout_free(struct lookout *lookout)
{
    if (!lookout)
        return;
    fetcher_free(lookout->fetcher);
    pthread_cond_destroy(&lookout->changed);
    pthread_mutex_destroy(&lookout->lock);
    free(lookout);
}

static struct lookout *make(const struct lookout_parts *parts, struct error *err)
{
    struct lookout *lookout = calloc(1, sizeof *lookout);

    if (!lookout) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    lookout->parts = *parts;
    if (lookout->parts.period_ns == 0)
        lookout->parts.period_ns = PERIOD_NS;
    pthread_mutex_init(&lookout->lock, NULL);
    condition_init(&lookout->changed);
    return lookout;
}

bool lookout_start(const struct lookout_parts *parts, struct lookout **ret_lookout,
                   struct error *err)
{
    struct lookout *lookout;

    *ret_lookout = NULL;
    if (strcmp(parts->metadata, "off") == 0)
        return true;
    lookout = make(parts, err);
    if (!lookout)
        return false;
    if (!parts->fetch) {
        lookout->fetcher = fetcher_new(err);
        lookout->parts.fetch = fetch_with_curl;
        lookout->parts.fetcher = lookout->fetcher;
    }
    if ((!parts->fetch && !lookout->fetcher) ||
        (pthread_create(&lookout->thread, NULL, work, lookout) != 0 &&
         !error_set(err, ERROR_INTERNAL, NULL, "cannot start the lookout thread"))) {
        lookout_free(lookout);
        return false;
    }
    *ret_lookout = lookout;
    return true;
}

void lookout_watch(struct lookout *lookout, bool busy)
{
    if (!lookout)
        return;
    pthread_mutex_lock(&lookout->lock);
    if (lookout->busy != busy)
        pthread_cond_broadcast(&lookout->changed);
    lookout->busy = busy;
    pthread_mutex_unlock(&lookout->lock);
}

void lookout_settle(struct lookout *lookout)
{
    long long now_ns = clock_monotonic_ns();

    if (!lookout)
        return;
    lookout_watch(lookout, true);
    pthread_mutex_lock(&lookout->lock);
    while (!lookout->stopping && !(lookout->known && lookout->next_ns > now_ns) &&
           clock_monotonic_ns() < now_ns + SETTLE_NS)
        condition_wait(&lookout->changed, &lookout->lock, now_ns + SETTLE_NS);
    pthread_mutex_unlock(&lookout->lock);
}

void lookout_stop(struct lookout *lookout)
{
    if (!lookout || lookout->joined)
        return;
    pthread_mutex_lock(&lookout->lock);
    lookout->stopping = true;
    pthread_cond_broadcast(&lookout->changed);
    pthread_mutex_unlock(&lookout->lock);
    if (lookout->fetcher)
        fetcher_stop(lookout->fetcher);
    pthread_join(lookout->thread, NULL);
    lookout->joined = true;
}
