/* Connected clients, the phase each is in, and which of them to cut: those that exceed the
 * deadline of their phase, or the limits on connections. Knows sockets only as descriptors. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct connections;
struct client;

enum phase {
    PHASE_REST,   /* between requests: from the end of one to the first line of the next */
    PHASE_HEADER, /* its header is not complete */
    PHASE_BODY,   /* its body is not complete */
    PHASE_ANSWER, /* it waits for us: no deadline here */
    PHASE_HOLD,   /* it waits for something to end */
    PHASE_SEND,   /* it must take what we send */
};

struct connection_limits {
    size_t most, most_per_address;
    long long rest_ns, header_ns, body_ns;
    long long send_ns; /* in which it must take SEND_LEAST, or the rest */
};

#define SEND_LEAST 16384 /* bytes */

/* Functions on sockets, which the table knows only as descriptors. */
struct connection_calls {
    /* These two are called with a lock held and must not call back. */
    void (*cut)(int descriptor);        /* ends it, and drops what it has not taken */
    void (*finish)(int descriptor);     /* ends it; what was sent still arrives */
    long long (*taken)(int descriptor); /* bytes that the client has taken so far */
};

/* The time from a new connection to the first tick must not be longer than this. */
static inline long long connection_limits_shortest(const struct connection_limits *limits)
{
    const long long each[] = {limits->rest_ns, limits->header_ns, limits->body_ns,
                              limits->send_ns};
    long long shortest = each[0];

    for (size_t i = 1; i < sizeof each / sizeof each[0]; i++)
        shortest = each[i] < shortest ? each[i] : shortest;
    return shortest;
}

struct connections *connections_new(const struct connection_limits *limits,
                                    const struct connection_calls *calls);
void connections_free(struct connections *connections);

/* Adds a client. At a limit, cuts the client that has been idle, sending its request or not
 * taking its answer for longest; at the limit per address, one of that address. A client whose
 * answer has just begun is cut only as a last resort, and never for its own address. Returns NULL
 * if all others wait for answers: the caller must close `descriptor`. */
struct client *connections_add(struct connections *connections, int descriptor,
                               const struct sockaddr *address, long long now_ns);

/* Removes a client; call it before its descriptor is closed. */
void connections_remove(struct connections *connections, struct client *client);

void client_phase(struct client *client, enum phase phase, long long now_ns);

/* Lets a client wait for something to end. False if half of the connections, of its address or in
 * all, do so already: the rest is for other requests. */
bool connections_hold(struct connections *connections, struct client *client, long long now_ns);

/* Cuts one client now. */
void connections_cut(struct connections *connections, struct client *client);

/* Ends all clients, each once. Returns how many are not removed yet. */
size_t connections_finish(struct connections *connections);

/* Cuts clients whose deadline has passed. Returns when to call it next, or LLONG_MAX. */
long long connections_tick(struct connections *connections, long long now_ns);

size_t connections_count(struct connections *connections);

/* Number of clients that wait for an answer, or for the rest of one. */
size_t connections_answering(struct connections *connections);
