/* Checks from outside the process that runs on a database, for a container's health check in an
 * image without a client: a bench or a push must make progress, by its heartbeat; a server must
 * be ready. */
#pragma once

#include "pricing/feeds/fetch.h"
#include "server/base/config.h"
#include "server/cli/commands.h"

/* Requests /readyz at the address in `config`. Returns true if the server is ready; else err
 * gives the request and its result. Takes three seconds at most. `user` is passed to fetch. */
MUST_USE bool health_ask(const struct config *config, fetch_fn *fetch, void *user,
                         struct error *err);

enum health_verdict {
    HEALTH_WELL,       /* ret_words: its current work */
    HEALTH_ILL,        /* ret_words: the problem */
    HEALTH_ASK_SERVER, /* ret_words: why the heartbeat says nothing; "" for a push beside a server
                        */
};

#define HEALTH_WORDS 400

/* The verdict from the heartbeat on the database of `config`. A push may run beside a server,
 * whose answer then counts: `served` says that a process has locked the database. */
enum health_verdict health_of_command(const struct config *config, bool served, long long now_ns,
                                      char ret_words[HEALTH_WORDS]);

command_fn health_command;
