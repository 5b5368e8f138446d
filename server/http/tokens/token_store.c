/* Tested by tests/server/http/access_test.c and tests/api/test_tokens.py. */
#include "server/http/tokens/token_store.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"

#include <pthread.h>

struct token_store {
    const struct config *config;
    struct token_usage *token_usage;
    bool is_open;
    pthread_rwlock_t lock; /* guards the fields below */
    struct tokens tokens;
    struct sender **by_token; /* as many */
};

static bool is_open(const struct config *config)
{
    return !config->read_token[0] && !config->write_token[0] && !config->tokens[0];
}

/* One token for both options may write. */
static bool read_all(const struct config *config, struct tokens *tokens, struct error *err)
{
    const char *reads = config->read_token, *writes = config->write_token;

    if (*writes)
        tokens_add_option(tokens, WRITE_TOKEN_NAME, SCOPES_ALL, writes);
    if (*reads && strcmp(reads, writes) != 0)
        tokens_add_option(tokens, READ_TOKEN_NAME, SCOPE_READ, reads);
    return !config->tokens[0] || tokens_read(config->tokens, tokens, err);
}

static struct sender **find_senders(struct token_usage *token_usage, const struct tokens *tokens)
{
    struct sender **list = xcalloc(tokens->count, sizeof(struct sender *));

    for (size_t i = 0; i < tokens->count; i++)
        list[i] = token_usage_get(token_usage, tokens->list[i].name);
    return list;
}

bool token_store_reload(struct token_store *token_store, struct error *err)
{
    AUTO(tokens_clear) struct tokens tokens = {0};
    AUTO(freep) struct sender **by_token = NULL;

    if (!read_all(token_store->config, &tokens, err))
        return false;
    by_token = find_senders(token_store->token_usage, &tokens);
    pthread_rwlock_wrlock(&token_store->lock);
    struct tokens old = token_store->tokens;
    struct sender **old_senders = token_store->by_token;
    token_store->tokens = tokens;
    token_store->by_token = by_token;
    pthread_rwlock_unlock(&token_store->lock);
    tokens = old; /* AUTO frees it */
    by_token = old_senders;
    return true;
}

struct token_store *token_store_new(const struct config *config, struct error *err)
{
    struct token_store *token_store = xcalloc(1, sizeof *token_store);

    token_store->config = config;
    token_store->is_open = is_open(config);
    token_store->token_usage = token_usage_new();
    pthread_rwlock_init(&token_store->lock, NULL);
    if (!token_store_reload(token_store, err)) {
        token_store_free(token_store);
        return NULL;
    }
    return token_store;
}

void token_store_free(struct token_store *token_store)
{
    if (!token_store)
        return;
    tokens_clear(&token_store->tokens);
    free(token_store->by_token);
    token_usage_free(token_store->token_usage);
    pthread_rwlock_destroy(&token_store->lock);
    free(token_store);
}

bool token_store_find(struct token_store *token_store, const char *token, struct grant *ret_grant)
{
    const struct token *found;

    *ret_grant = (struct grant){.scopes = token_store->is_open ? SCOPES_ALL : 0};
    if (token_store->is_open || !token || strlen(token) >= TOKEN_PRESENTED_MAX)
        return token_store->is_open;
    pthread_rwlock_rdlock(&token_store->lock);
    found = tokens_find(&token_store->tokens, token);
    if (found)
        *ret_grant =
            (struct grant){.sender = token_store->by_token[found - token_store->tokens.list],
                           .scopes = found->scopes,
                           .limits = found->limits,
                           .many_keys = found->many_keys,
                           .is_named = !found->is_option};
    pthread_rwlock_unlock(&token_store->lock);
    return found != NULL;
}

size_t token_store_count(struct token_store *token_store)
{
    size_t count;

    pthread_rwlock_rdlock(&token_store->lock);
    count = token_store->tokens.count;
    pthread_rwlock_unlock(&token_store->lock);
    return count;
}

bool token_store_write(struct token_store *token_store, struct bytes *text)
{
    return token_usage_write(token_store->token_usage, text);
}
