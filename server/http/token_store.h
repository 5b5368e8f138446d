/* Who is let in: the tokens of the options and of --tokens, which can be read again while
 * requests are answered. Any thread. */
#pragma once

#include "server/base/config.h"
#include "server/http/token_usage.h"

struct guard;

/* What a token stands for; a copy, so that nobody waits for a file that is read again. Without
 * any token configured everybody has all scopes and no name. */
struct grant {
    struct sender *sender; /* NULL of nobody in particular */
    unsigned scopes;
    struct limits limits;
    bool is_named; /* by --tokens: its name says who it is */
};

/* `config` must outlive it. */
struct guard *guard_new(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));
void guard_free(struct guard *guard);

/* Reads --tokens again. When that is wrong all stays as it was. */
bool guard_reload(struct guard *guard, struct error *err) __attribute__((warn_unused_result));

/* False when a token is needed and this one, or none (NULL), is not known. */
bool guard_find(struct guard *guard, const char *token, struct grant *ret_grant);

/* How many tokens there are. */
size_t guard_count(struct guard *guard);

/* Adds what each sender has done, in Prometheus' text format. */
bool guard_write(struct guard *guard, struct bytes *text);
