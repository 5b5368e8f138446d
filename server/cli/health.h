/* Whether what runs on a database is well, asked from outside: what a container's health check
 * runs, in an image without any client. Of a bench or a push that is whether it makes progress,
 * by its heartbeat; of a server, whether it is ready. */
#pragma once

#include "pricing/feeds/fetch.h"
#include "server/base/config.h"

/* Asks /readyz where `config` says that a server listens. True when it is ready; else err says
 * what was asked and what came of it. Takes at most three seconds. `user` is fetch's. */
bool health_ask(const struct config *config, fetch_fn *fetch, void *user, struct error *err)
    __attribute__((warn_unused_result));

enum health_verdict {
    HEALTH_WELL,       /* ret_words: what it does */
    HEALTH_ILL,        /* ret_words: what is wrong */
    HEALTH_ASK_SERVER, /* ret_words: why nothing else can be said, "" of a push beside a server */
};

#define HEALTH_WORDS 400

/* What a command without a port says of itself, on the database of `config`. A push may run
 * beside a server, which counts then: `served` says that somebody has the database for itself. */
enum health_verdict health_of_command(const struct config *config, bool served, long long now_ns,
                                      char ret_words[HEALTH_WORDS]);
