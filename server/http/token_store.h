/* Who is let in: the tokens of the options and of --tokens, which can be read again while
 * requests are answered. Any thread. */
#pragma once

#include "server/base/config.h"
#include "server/http/token_usage.h"

struct token_store;

/* What a token stands for; a copy, so that nobody waits for a file that is read again. Without
 * any token configured everybody has all scopes and no name. */
struct grant {
    struct sender *sender; /* NULL of nobody in particular */
    unsigned scopes;
    struct limits limits;
    bool is_named; /* by --tokens: its name says who it is */
};

/* `config` must outlive it. */
struct token_store *token_store_new(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));
void token_store_free(struct token_store *token_store);

/* Reads --tokens again. When that is wrong all stays as it was. */
bool token_store_reload(struct token_store *token_store, struct error *err)
    __attribute__((warn_unused_result));

/* False when a token is needed and this one, or none (NULL), is not known. */
bool token_store_find(struct token_store *token_store, const char *token,
                      struct grant *ret_grant);

/* How many tokens there are. */
size_t token_store_count(struct token_store *token_store);

/* Adds what each sender has done, in Prometheus' text format. */
bool token_store_write(struct token_store *token_store, struct bytes *text);
