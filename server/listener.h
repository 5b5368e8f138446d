/* The socket we listen on. */
#pragma once

#include "common/error.h"
#include "server/config.h"

/* Returns a listening descriptor, or -1. */
int listener_open(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));

/* The port it is bound to. */
int listener_port(int descriptor);
