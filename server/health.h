/* Whether the server of this machine is ready, asked from outside: what a container's health
 * check runs, in an image without any client. */
#pragma once

#include "pricing/fetch.h"
#include "server/config.h"

/* Asks /readyz where `config` says that a server listens. True when it is ready; else err says
 * what was asked and what came of it. Takes at most three seconds. `user` is fetch's. */
bool health_ask(const struct config *config, fetch_fn *fetch, void *user, struct error *err)
    __attribute__((warn_unused_result));
