/* What a request meets before its handler: a server that knows some tokens. */
#pragma once

#include "server/http/access.h"
#include "server/http/exchange.h"
#include "server/http/server.h"
#include "tests/test.h"

/* The hashes of "abc" and "abd". */
#define OF_ABC "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define OF_ABD "sha256:a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"

struct stage {
    struct config config;
    struct server server;
    struct large_body_slots room;
    struct exchange exchange;
    struct route route;
};

static inline void stage_write_tokens(struct stage *stage, const char *text)
{
    FILE *out = fopen(stage->config.tokens, "w");

    EXPECT(out && fputs(text, out) >= 0);
    if (out)
        fclose(out);
}

/* With NULL, a server that knows no tokens. */
static inline struct stage *stage_set(const char *tokens)
{
    struct stage *stage = calloc(1, sizeof *stage);

    if (tokens) {
        snprintf(stage->config.tokens, sizeof stage->config.tokens, "/tmp/pennyworth-XXXXXX");
        close(mkstemp(stage->config.tokens));
        stage_write_tokens(stage, tokens);
    }
    stage->server.config = &stage->config;
    stage->server.large_body_slots = &stage->room;
    stage->server.token_store = token_store_new(&stage->config, NULL);
    stage->server.audit = audit_open("/dev/null", NULL);
    EXPECT(stage->server.token_store && stage->server.audit);
    return stage;
}

/* An exchange in which nothing happened yet. */
static inline struct exchange *stage_renew(struct stage *stage)
{
    struct exchange *exchange = &stage->exchange;

    bytes_free(&exchange->request.body);
    bytes_free(&exchange->reply.body);
    freep(&exchange->request.parameters);
    memset(exchange, 0, offsetof(struct exchange, request.target));
    exchange->server = &stage->server;
    return exchange;
}

static inline void stage_clear(struct stage **stage)
{
    (void)!stage_renew(*stage);
    token_store_free((*stage)->server.token_store);
    (void)!unlink((*stage)->config.tokens);
    audit_free((*stage)->server.audit);
    free(*stage);
}

static inline void stage_test(void (*test)(struct stage *stage), const char *tokens)
{
    AUTO(stage_clear) struct stage *stage = stage_set(tokens);

    test(stage);
}

#define TEST_ON_STAGE(name, tokens)                                                              \
    static void name(struct stage *stage);                                                       \
    TEST_FOUND(name, stage_test(name, tokens))                                                   \
    static void name(struct stage *stage)
