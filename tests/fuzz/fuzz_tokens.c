/* Property: a file of tokens that is accepted knows only valid names, scopes and limits, each
 * name and each hash once, and finds no name for any other token; one that is refused says
 * where and why. */
#include "common/cleanup.h"
#include "server/http/tokens/tokens.h"
#include "tests/fuzz/fuzz.h"

static void check_token(const struct tokens *tokens, size_t i)
{
    const struct token *token = &tokens->list[i];

    ALWAYS(token_name_check(token->name, NULL));
    ALWAYS(token->scopes > 0 && token->scopes <= SCOPES_ALL && !token->is_option);
    for (size_t k = 0; k < LIMITS; k++)
        ALWAYS(token->limits.most[k] >= 0 && token->limits.most[k] <= 1048576LL * 1048576);
    for (size_t k = 0; k < i; k++) {
        ALWAYS(strcmp(tokens->list[k].name, token->name) != 0);
        ALWAYS(memcmp(tokens->list[k].hash, token->hash, SHA256_SIZE) != 0);
    }
    ALWAYS(!tokens_find(tokens, token->name));
}

FUZZ(data, size)
{
    AUTO(tokens_clear) struct tokens tokens = {0};
    struct error err = {0};

    if (!tokens_parse("tokens", (const char *)data, size, &tokens, &err)) {
        ALWAYS(err.kind == ERROR_INVALID && strncmp(err.field, "tokens:", 7) == 0);
        ALWAYS(err.message[0]);
        return;
    }
    ALWAYS(err.kind == ERROR_NONE);
    for (size_t i = 0; i < tokens.count; i++)
        check_token(&tokens, i);
}
