/* The valid tokens: from options and from --tokens, which can be reloaded while requests are
 * answered. Thread-safe. */
#pragma once

#include "server/base/config.h"
#include "server/http/tokens/token_usage.h"

struct token_store;

/* The rights of a token; a copy, so that a reload does not block requests. Without configured
 * tokens every request has all scopes and no sender. */
struct grant {
    struct sender *sender; /* NULL without a token */
    unsigned scopes;
    struct limits limits;
    bool many_keys; /* it sends runs that others signed */
    bool is_named;  /* by --tokens: the name identifies the sender */
};

/* `config` must outlive it. */
MUST_USE struct token_store *token_store_new(const struct config *config, struct error *err);
void token_store_free(struct token_store *token_store);

/* Reloads --tokens. On failure the old tokens stay. */
MUST_USE bool token_store_reload(struct token_store *token_store, struct error *err);

/* Returns false for an unknown token, and for NULL if a token is required. */
bool token_store_find(struct token_store *token_store, const char *token,
                      struct grant *ret_grant);

/* Number of tokens. */
size_t token_store_count(struct token_store *token_store);

/* Adds the counters of each sender in Prometheus' text format. */
bool token_store_write(struct token_store *token_store, struct bytes *text);
