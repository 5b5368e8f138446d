#include "server/http/edge/connections.h"

#include "common/clock.h"
#include "common/memory.h"
#include "server/base/client_address.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SEND_AT_ONCE_NS                                                                          \
    (NS_PER_SECOND / 4) /* in which a client on a good line takes an answer                      \
                         */

struct client {
    struct client *next, *previous;
    int descriptor;
    struct client_address address;
    _Atomic enum phase phase; /* these two change with every request: not under the lock */
    atomic_llong since_ns;    /* when the phase began */
    long long taken;          /* bytes, when the progress of an answer was last looked at */
    bool cut;                 /* its connection is ending; not in `count` */
    bool finished;            /* its connection is ending because all are; still in `count` */
};

struct connections {
    pthread_mutex_t lock;
    struct connection_limits limits;
    struct connection_calls calls;
    struct client *first;
    size_t count; /* those that are not cut */
};

struct connections *connections_new(const struct connection_limits *limits,
                                    const struct connection_calls *calls)
{
    struct connections *connections = xcalloc(1, sizeof *connections);

    pthread_mutex_init(&connections->lock, NULL);
    connections->limits = *limits;
    connections->calls = *calls;
    return connections;
}

void connections_free(struct connections *connections)
{
    if (!connections)
        return;
    while (connections->first) {
        struct client *client = connections->first;

        connections->first = client->next;
        free(client);
    }
    pthread_mutex_destroy(&connections->lock);
    free(connections);
}

static void cut_client(struct connections *connections, struct client *client)
{
    if (client->cut)
        return;
    client->cut = true;
    connections->count--;
    connections->calls.cut(client->descriptor);
}

/* `address` NULL: of any address. */
static size_t count_of(const struct connections *connections,
                       const struct client_address *address)
{
    size_t count = 0;

    if (!address)
        return connections->count;
    for (const struct client *client = connections->first; client; client = client->next)
        count += !client->cut && client_address_equal(&client->address, address);
    return count;
}

/* Whether a client may be cut to make room: not if it waits for us, or if its answer began after
 * `sends_since_ns`. */
static bool may_go(const struct client *client, long long sends_since_ns)
{
    enum phase phase = client->phase;

    return !client->cut && phase != PHASE_ANSWER && phase != PHASE_HOLD &&
           (phase != PHASE_SEND || client->since_ns <= sends_since_ns);
}

/* Cuts the client that has been in its phase for longest; false if none may be cut. `address`
 * NULL: of any address. */
static bool make_room(struct connections *connections, const struct client_address *address,
                      long long sends_since_ns)
{
    struct client *oldest = NULL;

    for (struct client *client = connections->first; client; client = client->next) {
        if (!may_go(client, sends_since_ns) ||
            (address && !client_address_equal(&client->address, address)))
            continue;
        if (!oldest || client->since_ns < oldest->since_ns)
            oldest = client;
    }
    if (oldest)
        cut_client(connections, oldest);
    return oldest != NULL;
}

static bool find_room(struct connections *connections, const struct client_address *address,
                      long long now_ns)
{
    const struct connection_limits *limits = &connections->limits;
    const long long old_ns = now_ns - SEND_AT_ONCE_NS;

    /* Counting an address walks the list: do it only where the limit can be reached. */
    if (connections->count >= limits->most_per_address &&
        count_of(connections, address) >= limits->most_per_address &&
        !make_room(connections, address, old_ns))
        return false;
    /* Answers that have just begun are cut last, but before refusing a newcomer: else many
     * clients that come at once and take nothing would lock out all others. */
    return connections->count < limits->most || make_room(connections, NULL, old_ns) ||
           make_room(connections, NULL, now_ns);
}

struct client *connections_add(struct connections *connections, int descriptor,
                               const struct sockaddr *address, long long now_ns)
{
    struct client *client = xcalloc(1, sizeof *client);

    client->descriptor = descriptor;
    client->phase = PHASE_HEADER;
    client->since_ns = now_ns;
    client->address = client_address_of(address);

    pthread_mutex_lock(&connections->lock);
    if (!find_room(connections, &client->address, now_ns)) {
        pthread_mutex_unlock(&connections->lock);
        free(client);
        return NULL;
    }
    client->next = connections->first;
    if (client->next)
        client->next->previous = client;
    connections->first = client;
    connections->count++;
    pthread_mutex_unlock(&connections->lock);
    return client;
}

void connections_remove(struct connections *connections, struct client *client)
{
    pthread_mutex_lock(&connections->lock);
    if (client->previous)
        client->previous->next = client->next;
    else
        connections->first = client->next;
    if (client->next)
        client->next->previous = client->previous;
    connections->count -= !client->cut;
    pthread_mutex_unlock(&connections->lock);
    free(client);
}

void client_phase(struct client *client, enum phase phase, long long now_ns)
{
    atomic_store_explicit(&client->since_ns, now_ns, memory_order_relaxed);
    atomic_store_explicit(&client->phase, phase, memory_order_release);
}

void connections_cut(struct connections *connections, struct client *client)
{
    pthread_mutex_lock(&connections->lock);
    cut_client(connections, client);
    pthread_mutex_unlock(&connections->lock);
}

size_t connections_finish(struct connections *connections)
{
    size_t left = 0;

    pthread_mutex_lock(&connections->lock);
    for (struct client *client = connections->first; client; client = client->next, left++)
        if (!client->finished) {
            client->finished = true;
            connections->calls.finish(client->descriptor);
        }
    pthread_mutex_unlock(&connections->lock);
    return left;
}

static long long connections_deadline(const struct connections *connections,
                                      const struct client *client)
{
    enum phase phase = client->phase;

    switch (phase) {
    case PHASE_REST:
        return client->since_ns + connections->limits.rest_ns;
    case PHASE_HEADER:
        return client->since_ns + connections->limits.header_ns;
    case PHASE_BODY:
        return client->since_ns + connections->limits.body_ns;
    case PHASE_SEND:
        return client->since_ns + connections->limits.send_ns;
    default:
        return LLONG_MAX;
    }
}

/* Whether a client took enough of its answer in time; if so its time starts again. */
static bool goes_on(struct connections *connections, struct client *client, long long now_ns)
{
    long long taken;

    if (client->phase != PHASE_SEND)
        return false;
    taken = connections->calls.taken(client->descriptor);
    if (taken - client->taken < SEND_LEAST)
        return false;
    client->taken = taken;
    client->since_ns = now_ns;
    return true;
}

bool connections_hold(struct connections *connections, struct client *client, long long now_ns)
{
    size_t held = 0, of_address = 0;
    bool may;

    pthread_mutex_lock(&connections->lock);
    for (const struct client *other = connections->first; other; other = other->next)
        if (!other->cut && other != client && other->phase == PHASE_HOLD) {
            held++;
            of_address += client_address_equal(&other->address, &client->address);
        }
    may = held < (connections->limits.most + 1) / 2 &&
          of_address < (connections->limits.most_per_address + 1) / 2;
    if (may)
        client_phase(client, PHASE_HOLD, now_ns);
    pthread_mutex_unlock(&connections->lock);
    return may;
}

long long connections_tick(struct connections *connections, long long now_ns)
{
    long long next = LLONG_MAX;

    pthread_mutex_lock(&connections->lock);
    for (struct client *client = connections->first; client; client = client->next) {
        long long due = client->cut ? LLONG_MAX : connections_deadline(connections, client);

        if (due <= now_ns && !goes_on(connections, client, now_ns))
            cut_client(connections, client);
        else if (due > now_ns && due < next)
            next = due;
    }
    /* A client that is being answered may become idle before the next tick. */
    long long soonest = now_ns + connection_limits_shortest(&connections->limits);
    if (connections->count > 0 && soonest < next)
        next = soonest;
    pthread_mutex_unlock(&connections->lock);
    return next;
}

size_t connections_count(struct connections *connections)
{
    pthread_mutex_lock(&connections->lock);
    size_t count = connections->count;
    pthread_mutex_unlock(&connections->lock);
    return count;
}

size_t connections_answering(struct connections *connections)
{
    size_t count = 0;

    pthread_mutex_lock(&connections->lock);
    for (const struct client *client = connections->first; client; client = client->next)
        count += !client->cut && client->phase >= PHASE_ANSWER;
    pthread_mutex_unlock(&connections->lock);
    return count;
}
