/* The listening socket, and system calls on its connections. */
#pragma once

#include "common/error.h"
#include "server/base/config.h"

/* Returns a listening descriptor, or -1. The system drops a connection whose client takes nothing
 * for --send-seconds, also after we closed it. */
MUST_USE int listener_open(const struct config *config, struct error *err);

/* Whether the client closed its end, even if unread bytes remain: else junk could hide the
 * end. */
bool listener_has_left(int descriptor);

/* For a client that has closed its end: makes the remaining bytes and then the end readable, even
 * if the system has already announced that end. */
void listener_tell_end(int descriptor);

/* Limits the system's send buffer. */
void listener_hold_enough(int descriptor);

/* Makes the send buffer minimal, for live answers. */
void listener_hold_little(int descriptor);

/* Ends a connection and drops what is still buffered. */
void listener_cut(int descriptor);

/* Ends a connection; what was sent still arrives. */
void listener_finish(int descriptor);

/* Bytes that the client has taken since the connection began. */
long long listener_taken(int descriptor);

/* The port it is bound to. */
int listener_port(int descriptor);
