/* Identifies a client by its address, for limits per client. */
#pragma once

#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

/* IPv6, or IPv4 as ::ffff:a.b.c.d; all zero: unknown. */
struct client_address {
    unsigned char bytes[16];
};

struct client_address client_address_of(const struct sockaddr *address); /* NULL is fine */

static inline bool client_address_equal(const struct client_address *a,
                                        const struct client_address *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}
