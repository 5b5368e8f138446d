/* Asks a hub's GET /v1/wanted what a machine should measure next. */
#pragma once

#include "engine/spec/run_spec.h"
#include "pricing/feeds/fetch.h"
#include "server/hub/hub_reply.h"

#define HUB_WANTED_MAX 10

struct hub_wanted {
    struct run_spec list[HUB_WANTED_MAX]; /* the most useful first; without labels */
    char words[HUB_WANTED_MAX][160];      /* why it is wanted: clean text for a terminal */
    size_t count;                         /* 0: the hub wants nothing of this type */
};

/* Parses the answer; ERROR_UPSTREAM describes the mistake. Skips a spec that this version cannot
 * read: a newer hub may know more. Ignores unknown members. Pure. */
MUST_USE bool hub_wanted_read(const struct hub_answer *answer, struct hub_wanted *ret_wanted,
                              struct error *err);

struct hub_wanted_question {
    const char *hub;                      /* its URL */
    const char *token;                    /* "" for none */
    const char *ca;                       /* as in struct fetch_request */
    const char *instance_type, *provider; /* of this machine; provider may be "" */
    fetch_fn *fetch;
    void *fetcher;
};

/* Makes one request, for specs of the native engine. */
MUST_USE bool hub_wanted_ask(const struct hub_wanted_question *question,
                             struct hub_wanted *ret_wanted, struct error *err);
