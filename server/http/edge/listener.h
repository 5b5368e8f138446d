/* The listening socket. */
#pragma once

#include "common/error.h"
#include "server/base/config.h"

/* Returns a listening descriptor, or -1. */
int listener_open(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));

/* Whether the client closed its end and no bytes are left to read. Over TLS bytes may be left,
 * because closing itself sends some. */
bool listener_has_left(int descriptor, bool secure);

/* Makes the system buffer little that the client has not read. */
void listener_hold_little(int descriptor);

/* The port it is bound to. */
int listener_port(int descriptor);
