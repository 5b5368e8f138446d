#include "server/http/token_store.h"

#include "common/cleanup.h"
#include "common/text.h"

#include <pthread.h>

struct guard {
    const struct config *config;
    struct senders *senders;
    bool is_open;
    pthread_rwlock_t lock; /* of all that follows */
    struct tokens tokens;
    struct sender **by_token; /* as many */
};

static bool is_open(const struct config *config)
{
    return !config->read_token[0] && !config->write_token[0] && !config->tokens[0];
}

/* Who has the same token to read and to write may write. */
static bool read_all(const struct config *config, struct tokens *tokens, struct error *err)
{
    const char *reads = config->read_token, *writes = config->write_token;

    return (!*writes || tokens_add_option(tokens, WRITE_TOKEN_NAME, SCOPES_ALL, writes, err)) &&
           (!*reads || strcmp(reads, writes) == 0 ||
            tokens_add_option(tokens, READ_TOKEN_NAME, SCOPE_READ, reads, err)) &&
           (!config->tokens[0] || tokens_read(config->tokens, tokens, err));
}

static struct sender **find_senders(struct senders *senders, const struct tokens *tokens,
                                    struct error *err)
{
    /* One more: of nothing, NULL would be no failure. */
    AUTO(freep) struct sender **list = calloc(tokens->count + 1, sizeof(struct sender *));

    for (size_t i = 0; list && i < tokens->count; i++)
        if ((list[i] = senders_get(senders, tokens->list[i].name)) == NULL)
            freep(&list);
    if (!list)
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    return take(&list);
}

bool guard_reload(struct guard *guard, struct error *err)
{
    AUTO(tokens_clear) struct tokens tokens = {0};
    AUTO(freep) struct sender **by_token = NULL;

    if (!read_all(guard->config, &tokens, err))
        return false;
    by_token = find_senders(guard->senders, &tokens, err);
    if (!by_token)
        return false;
    pthread_rwlock_wrlock(&guard->lock);
    struct tokens old = guard->tokens;
    struct sender **old_senders = guard->by_token;
    guard->tokens = tokens;
    guard->by_token = by_token;
    pthread_rwlock_unlock(&guard->lock);
    tokens = old; /* for the end of the scope */
    by_token = old_senders;
    return true;
}

struct guard *guard_new(const struct config *config, struct error *err)
{
    struct guard *guard = calloc(1, sizeof *guard);

    if (!guard) {
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
        return NULL;
    }
    guard->config = config;
    guard->is_open = is_open(config);
    guard->senders = senders_new();
    pthread_rwlock_init(&guard->lock, NULL);
    if (!guard->senders)
        error_set(err, ERROR_INTERNAL, NULL, "out of memory");
    if (!guard->senders || !guard_reload(guard, err)) {
        guard_free(guard);
        return NULL;
    }
    return guard;
}

void guard_free(struct guard *guard)
{
    if (!guard)
        return;
    tokens_clear(&guard->tokens);
    free(guard->by_token);
    senders_free(guard->senders);
    pthread_rwlock_destroy(&guard->lock);
    free(guard);
}

bool guard_find(struct guard *guard, const char *token, struct grant *ret_grant)
{
    const struct token *found;

    *ret_grant = (struct grant){.scopes = guard->is_open ? SCOPES_ALL : 0};
    if (guard->is_open || !token || strlen(token) >= TEXT_SECRET_MAX)
        return guard->is_open;
    pthread_rwlock_rdlock(&guard->lock);
    found = tokens_find(&guard->tokens, token);
    if (found)
        *ret_grant = (struct grant){.sender = guard->by_token[found - guard->tokens.list],
                                    .scopes = found->scopes,
                                    .limits = found->limits,
                                    .is_named = !found->is_option};
    pthread_rwlock_unlock(&guard->lock);
    return found != NULL;
}

size_t guard_count(struct guard *guard)
{
    size_t count;

    pthread_rwlock_rdlock(&guard->lock);
    count = guard->tokens.count;
    pthread_rwlock_unlock(&guard->lock);
    return count;
}

bool guard_write(struct guard *guard, struct bytes *text)
{
    return senders_write(guard->senders, text);
}
