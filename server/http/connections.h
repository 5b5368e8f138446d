/* Which clients are connected, what each is doing, and who has to go: a client may take its time,
 * but not all of it, and not everybody else's place. Knows sockets only as numbers to cut. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct connections;
struct client;

enum phase {
    PHASE_REST,   /* between requests: from the end of one to the first line of the next */
    PHASE_HEADER, /* its header is not whole yet */
    PHASE_BODY,   /* nor its body */
    PHASE_ANSWER, /* it waits for us, or we send: no deadline here */
};

struct connection_limits {
    size_t most, most_per_address;
    long long rest_ns, header_ns, body_ns;
};

/* The first tick after a client has come must not be later than this. */
static inline long long connection_limits_shortest(const struct connection_limits *limits)
{
    long long shortest = limits->rest_ns < limits->body_ns ? limits->rest_ns : limits->body_ns;

    return shortest < limits->header_ns ? shortest : limits->header_ns;
}

/* `cut` ends a connection (shutdown(2)); it is called with a lock held and must not call back. */
struct connections *connections_new(const struct connection_limits *limits,
                                    void (*cut)(int descriptor));
void connections_free(struct connections *connections);

/* A client has come. Where there is no room left, the one that has been resting or dawdling
 * longest is cut, of the same address if that has too many. NULL, and *descriptor is to be
 * closed, when all others are being answered, or memory ends. */
struct client *connections_add(struct connections *connections, int descriptor,
                               const struct sockaddr *address, long long now_ns);

/* It has gone. Must be called before its descriptor is closed. */
void connections_remove(struct connections *connections, struct client *client);

void client_phase(struct client *client, enum phase phase, long long now_ns);

/* Drops one client now. */
void connections_cut(struct connections *connections, struct client *client);

/* Cuts those whose time is over. Returns when it wants to be called next, or LLONG_MAX. */
long long connections_tick(struct connections *connections, long long now_ns);

size_t connections_count(struct connections *connections);

/* How many wait for an answer, or for the rest of one. */
size_t connections_answering(struct connections *connections);
