/* The socket we listen on. */
#pragma once

#include "common/error.h"
#include "server/base/config.h"

/* Returns a listening descriptor, or -1. */
int listener_open(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));

/* Whether the other end of a connection was closed, with nothing left to be read of it; of a
 * secure one, in which closing is said in bytes, whatever is left. */
bool listener_has_left(int descriptor, bool secure);

/* From now on the system holds little of what was sent to the other end and not read there. */
void listener_hold_little(int descriptor);

/* The port it is bound to. */
int listener_port(int descriptor);
