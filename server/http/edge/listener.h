/* The listening socket, and what the system is asked about the connections that come from it. */
#pragma once

#include "common/error.h"
#include "server/base/config.h"

/* Returns a listening descriptor, or -1. What a client does not take within --send-seconds the
 * system drops, with the connection: also where we are done with it, and it only sends the rest.
 */
MUST_USE int listener_open(const struct config *config, struct error *err);

/* Whether the client closed its end, be there bytes left to read or not: a client that hides its
 * end behind junk would be waited for. */
bool listener_has_left(int descriptor);

/* For a client that has closed its end: makes what was sent before readable to its last byte, and
 * then the end, also where the system has announced that end already. */
void listener_tell_end(int descriptor);

/* Limits what the system buffers of an answer that the client does not take. */
void listener_hold_enough(int descriptor);

/* The same, to hardly anything: for answers that grow old. */
void listener_hold_little(int descriptor);

/* Ends a connection, and frees what the client has not taken. */
void listener_cut(int descriptor);

/* Bytes that the client has taken since the connection began. */
long long listener_taken(int descriptor);

/* The port it is bound to. */
int listener_port(int descriptor);
