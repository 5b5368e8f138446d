/* A container's health check, for images without an HTTP client: a bench or push must make
 * progress (its heartbeat), a server must be ready. */
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
    HEALTH_ASK_SERVER, /* ret_words: why the heartbeat says nothing; "" for a push while a server
                        * runs
                        */
};

#define HEALTH_WORDS 400

/* The verdict from the heartbeat on the database of `config`. `served`: a process has locked the
 * database; next to a push that is a server, whose answer then counts. */
enum health_verdict health_of_command(const struct config *config, bool served, long long now_ns,
                                      char ret_words[HEALTH_WORDS]);

command_fn health_command;
