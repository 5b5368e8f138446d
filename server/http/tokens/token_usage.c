#include "server/http/tokens/token_usage.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"

#include <pthread.h>
#include <stdatomic.h>

struct sender {
    struct sender *next;
    char name[TOKEN_NAME_SIZE];
    atomic_llong requests, runs, limited;
    atomic_int large_bodies;
    pthread_mutex_t lock;       /* guards the fields below */
    long long empty_ns[LIMITS]; /* when the limit will be full again */
};

struct token_usage {
    pthread_mutex_t lock;
    struct sender *first;
};

static const long long periods_ns[LIMITS] = {60 * NS_PER_SECOND, 3600 * NS_PER_SECOND,
                                             3600 * NS_PER_SECOND};

struct token_usage *token_usage_new(void)
{
    struct token_usage *token_usage = xcalloc(1, sizeof *token_usage);

    pthread_mutex_init(&token_usage->lock, NULL);
    return token_usage;
}

void token_usage_free(struct token_usage *token_usage)
{
    if (!token_usage)
        return;
    while (token_usage->first) {
        struct sender *sender = token_usage->first;

        token_usage->first = sender->next;
        pthread_mutex_destroy(&sender->lock);
        free(sender);
    }
    pthread_mutex_destroy(&token_usage->lock);
    free(token_usage);
}

static struct sender *usage_find(struct sender *first, const char *name)
{
    while (first && strcmp(first->name, name) != 0)
        first = first->next;
    return first;
}

struct sender *token_usage_get(struct token_usage *token_usage, const char *name)
{
    struct sender *sender;

    pthread_mutex_lock(&token_usage->lock);
    sender = usage_find(token_usage->first, name);
    if (!sender) {
        sender = xcalloc(1, sizeof *sender);
        snprintf(sender->name, sizeof sender->name, "%s", name);
        pthread_mutex_init(&sender->lock, NULL);
        sender->next = token_usage->first;
        token_usage->first = sender;
    }
    pthread_mutex_unlock(&token_usage->lock);
    return sender;
}

const char *sender_name(const struct sender *sender)
{
    return sender->name;
}

/* Rounded down, so that `most` of them never exceed the period. */
static long long cost_of(enum limit_kind kind, long long most, long long amount)
{
    return (long long)((double)amount / (double)most * (double)periods_ns[kind]);
}

/* One number holds the state of a limit: the time until it is full again. */
enum spent sender_spend(struct sender *sender, enum limit_kind kind, long long most,
                        long long amount, long long now_ns, long long *ret_wait_ns)
{
    long long period = periods_ns[kind], *empty_ns = &sender->empty_ns[kind];
    enum spent spent = SPENT_OK;

    *ret_wait_ns = 0;
    if (most == 0 || amount == 0)
        return SPENT_OK;
    if (amount > most) {
        atomic_fetch_add_explicit(&sender->limited, 1, memory_order_relaxed);
        return SPENT_NEVER;
    }
    pthread_mutex_lock(&sender->lock);
    long long then = (*empty_ns > now_ns ? *empty_ns : now_ns) + cost_of(kind, most, amount);
    if (then - now_ns <= period) {
        *empty_ns = then;
    } else {
        *ret_wait_ns = then - now_ns - period;
        spent = SPENT_LATER;
    }
    pthread_mutex_unlock(&sender->lock);
    if (spent != SPENT_OK)
        atomic_fetch_add_explicit(&sender->limited, 1, memory_order_relaxed);
    return spent;
}

void sender_give_back(struct sender *sender, enum limit_kind kind, long long most,
                      long long amount)
{
    if (most == 0)
        return;
    pthread_mutex_lock(&sender->lock);
    sender->empty_ns[kind] -= cost_of(kind, most, amount);
    pthread_mutex_unlock(&sender->lock);
}

bool sender_begin_large(struct sender *sender)
{
    if (atomic_fetch_add(&sender->large_bodies, 1) < LARGE_BODIES_OF_SENDER)
        return true;
    sender_end_large(sender);
    return false;
}

void sender_end_large(struct sender *sender)
{
    atomic_fetch_sub(&sender->large_bodies, 1);
}

void sender_count_request(struct sender *sender)
{
    atomic_fetch_add_explicit(&sender->requests, 1, memory_order_relaxed);
}

void sender_count_runs(struct sender *sender, long long count)
{
    atomic_fetch_add_explicit(&sender->runs, count, memory_order_relaxed);
}

static const struct {
    const char *name, *help;
    size_t offset;
} counters[] = {
    {"requests", "Requests of a token.", offsetof(struct sender, requests)},
    {"runs", "Runs that a token imported or queued.", offsetof(struct sender, runs)},
    {"limited", "Requests of a token that a limit of it refused.",
     offsetof(struct sender, limited)},
};

static long long usage_counted(struct sender *sender, size_t i)
{
    atomic_llong *counter = (void *)((char *)sender + counters[i].offset);

    return atomic_load_explicit(counter, memory_order_relaxed);
}

bool token_usage_write(struct token_usage *token_usage, struct bytes *text)
{
    struct sender *first;
    bool ok = true;

    pthread_mutex_lock(&token_usage->lock);
    first = token_usage->first; /* later elements never change */
    pthread_mutex_unlock(&token_usage->lock);
    for (size_t i = 0; ok && first && i < COUNT(counters); i++) {
        ok = bytes_printf(text,
                          "# HELP pennyworth_sender_%s_total %s\n"
                          "# TYPE pennyworth_sender_%s_total counter\n",
                          counters[i].name, counters[i].help, counters[i].name);
        for (struct sender *sender = first; ok && sender; sender = sender->next)
            ok = bytes_printf(text, "pennyworth_sender_%s_total{sender=\"%s\"} %lld\n",
                              counters[i].name, sender->name, usage_counted(sender, i));
    }
    return ok;
}
