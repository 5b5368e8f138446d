#include "server/http/access.h"

#include "tests/server/http/stage.h"

#include <pthread.h>

/* The status that a request is refused with, 0 where it is let in. */
static int status(struct stage *stage, enum access access, const char *authorization)
{
    struct exchange *exchange = stage_renew(stage);

    stage->route.access = access;
    exchange->request.method = "POST";
    exchange->request.query.path = "/";
    exchange->request.match.route = &stage->route;
    exchange->request.headers.authorization = authorization;
    exchange->reply.body.limit = REPLY_MAX;
    bool admitted = access_admit(exchange);
    EXPECT_INT(admitted, exchange->reply.status == 0);
    return exchange->reply.status;
}

static const char *field(const struct stage *stage, const char *name)
{
    const struct reply *reply = &stage->exchange.reply;

    for (int i = 0; i < reply->field_count; i++)
        if (strcmp(reply->fields[i].name, name) == 0)
            return reply->fields[i].value;
    return NULL;
}

TEST_ON_STAGE(without_tokens_every_client_may_do_everything, NULL)
{
    for (int access = ACCESS_OPEN; access < ACCESS_COPY; access++)
        EXPECT_INT(status(stage, (enum access)access, NULL), 0);
    EXPECT_INT(status(stage, ACCESS_COPY, NULL), 403); /* but copy the database */
    EXPECT(access_spend(&stage->exchange, LIMIT_RUNS, 1000000000));
    EXPECT_STR(access_sender(&stage->exchange), "");
}

TEST(each_scope_opens_what_it_says)
{
    static const struct {
        const char *scopes;
        int read, write, import;
    } cases[] = {
        {"read", 0, 403, 403},      {"write", 403, 0, 0},           {"import", 403, 403, 0},
        {"read,import", 0, 403, 0}, {"read,write,import", 0, 0, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[200];

        snprintf(text, sizeof text, "c1 %s " OF_ABC "\n", cases[i].scopes);
        AUTO(stage_clear) struct stage *stage = stage_set(text);
        EXPECT_INT(status(stage, ACCESS_OPEN, NULL), 0);
        EXPECT_INT(status(stage, ACCESS_READ, "Bearer abc"), cases[i].read);
        EXPECT_INT(status(stage, ACCESS_WRITE, "Bearer abc"), cases[i].write);
        EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), cases[i].import);
        if (cases[i].import == 0)
            EXPECT_STR(access_sender(&stage->exchange), "c1");
    }
}

TEST_ON_STAGE(an_unknown_client_gets_401_with_the_scheme, "c1 read " OF_ABC "\n")
{
    static const char *const headers[] = {
        NULL, "", "Bearer", "Bearer ", "Bearer ab", "Bearer abcd", "Basic abc", "abc"};
    char longest[2000] = "Bearer ";

    for (size_t i = 0; i < COUNT(headers); i++) {
        EXPECT_INT(status(stage, ACCESS_READ, headers[i]), 401);
        EXPECT_STR(field(stage, "WWW-Authenticate"), "Bearer realm=\"pennyworth\"");
    }
    memset(longest + 7, 'a', sizeof longest - 8);
    EXPECT_INT(status(stage, ACCESS_READ, longest), 401);
}

TEST_ON_STAGE(a_missing_scope_is_named, "c1 read " OF_ABC "\n")
{
    EXPECT_INT(status(stage, ACCESS_WRITE, "Bearer abc"), 403);
    EXPECT_PART(stage->exchange.reply.body.data,
                "the scope write is missing: this token has read");
    EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 403);
    EXPECT_PART(stage->exchange.reply.body.data, "the scope import (or write) is missing");
}

TEST_ON_STAGE(over_a_limit_the_answer_says_which_and_when,
              "c1 import " OF_ABC " requests_per_minute=2 runs_per_hour=10\n")
{
    EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 0);
    EXPECT(access_spend(&stage->exchange, LIMIT_RUNS, 10));
    EXPECT(!access_spend(&stage->exchange, LIMIT_RUNS, 5));
    EXPECT_INT(stage->exchange.reply.status, 429);
    EXPECT_PART(stage->exchange.reply.body.data, "\"field\":\"runs_per_hour\"");
    EXPECT_STR(field(stage, "Retry-After"), "1800");
    EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 0);
    EXPECT(!access_spend(&stage->exchange, LIMIT_RUNS, 11));
    EXPECT_PART(stage->exchange.reply.body.data, "split the request");
    EXPECT(!field(stage, "Retry-After"));
    EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 429);
    EXPECT_PART(stage->exchange.reply.body.data, "\"field\":\"requests_per_minute\"");
    EXPECT_STR(field(stage, "Retry-After"), "30");
}

TEST_ON_STAGE(a_request_above_the_limit_of_runs_costs_no_bytes,
              "c1 import " OF_ABC " mib_per_hour=1 runs_per_hour=10\n")
{
    for (int i = 0; i < 3; i++) { /* else the second one finds nothing left */
        EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 0);
        EXPECT(access_spend(&stage->exchange, LIMIT_BYTES, 700000));
        EXPECT(!access_spend(&stage->exchange, LIMIT_RUNS, 11));
    }
    EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 0);
    EXPECT(access_spend(&stage->exchange, LIMIT_BYTES, 700000));
    EXPECT(access_spend(&stage->exchange, LIMIT_RUNS, 10));
    EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 0);
    EXPECT(!access_spend(&stage->exchange, LIMIT_BYTES, 700000));
}

TEST_ON_STAGE(only_what_writes_is_for_the_audit, "c1 read " OF_ABC "\n")
{
    static const struct {
        enum access access;
        bool logged;
    } cases[] = {{ACCESS_OPEN, false}, {ACCESS_READ, false},  {ACCESS_EXPORT, false},
                 {ACCESS_WRITE, true}, {ACCESS_IMPORT, true}, {ACCESS_COPY, true}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)!status(stage, cases[i].access, "Bearer abc");
        access_audit(&stage->exchange);
        EXPECT_INT(stage->exchange.audit.written, cases[i].logged);
    }
}

TEST_ON_STAGE(the_tokens_of_options_give_no_sender, "c1 import " OF_ABC "\n")
{
    snprintf(stage->config.read_token, sizeof stage->config.read_token, "the-reader");
    snprintf(stage->config.write_token, sizeof stage->config.write_token, "the-writer");
    EXPECT(token_store_reload(stage->server.token_store, NULL));
    EXPECT_INT((long long)token_store_count(stage->server.token_store), 3);
    EXPECT_INT(status(stage, ACCESS_WRITE, "Bearer the-reader"), 403);
    EXPECT_INT(status(stage, ACCESS_READ, "Bearer the-reader"), 0);
    EXPECT_INT(status(stage, ACCESS_WRITE, "Bearer the-writer"), 0);
    EXPECT_STR(access_sender(&stage->exchange), "");
    EXPECT_STR(sender_name(stage->exchange.request.grant.sender), "write-token");
    snprintf(stage->config.read_token, sizeof stage->config.read_token, "the-writer");
    EXPECT(token_store_reload(stage->server.token_store, NULL));
    EXPECT_INT(status(stage, ACCESS_WRITE, "Bearer the-writer"), 0);
}

TEST_ON_STAGE(a_wrong_file_changes_nothing, "c1 read " OF_ABC "\n")
{
    struct error err = {0};

    stage_write_tokens(stage, "c2 read " OF_ABD "\nc1 nothing\n");
    EXPECT(!token_store_reload(stage->server.token_store, &err));
    EXPECT_PART(err.field, ":2");
    EXPECT_INT(status(stage, ACCESS_READ, "Bearer abc"), 0);
    EXPECT_INT(status(stage, ACCESS_READ, "Bearer abd"), 401);
    stage_write_tokens(stage, "c2 read " OF_ABD "\n");
    EXPECT(token_store_reload(stage->server.token_store, NULL));
    EXPECT_INT(status(stage, ACCESS_READ, "Bearer abc"), 401);
    EXPECT_INT(status(stage, ACCESS_READ, "Bearer abd"), 0);
}

static atomic_int ended;

static void *find_many(void *user)
{
    for (int i = 0; i < 3000; i++) {
        struct grant grant;
        long long wait;

        EXPECT(token_store_find(user, "abc", &grant));
        EXPECT_STR(sender_name(grant.sender), "c1");
        (void)sender_spend(grant.sender, LIMIT_REQUESTS, 10, 1, i, &wait);
        EXPECT(!token_store_find(user, "unknown", &grant));
        EXPECT(!grant.sender && grant.scopes == 0);
    }
    ended++;
    return NULL;
}

TEST_ON_STAGE(a_file_is_read_again_while_tokens_are_looked_for,
              "c0 read " OF_ABD "\nc1 read,import " OF_ABC " runs_per_hour=3\n")
{
    pthread_t threads[3];

    ended = 0;
    for (size_t i = 0; i < COUNT(threads); i++)
        EXPECT_INT(pthread_create(&threads[i], NULL, find_many, stage->server.token_store), 0);
    while (ended < (int)COUNT(threads))
        EXPECT(token_store_reload(stage->server.token_store, NULL));
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
}
