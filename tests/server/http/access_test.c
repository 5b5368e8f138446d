#include "server/http/access.h"

#include "common/cleanup.h"
#include "server/http/server.h"
#include "tests/test.h"

#include <pthread.h>

/* The hashes of "abc" and "abd". */
#define OF_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define OF_ABD "a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"

/* What access needs of a server. */
struct stage {
    struct config config;
    struct server server;
    struct exchange exchange;
    struct route route;
};

static void write_file(struct stage *stage, const char *text)
{
    FILE *out = fopen(stage->config.tokens, "w");

    EXPECT(out && fputs(text, out) >= 0);
    if (out)
        fclose(out);
}

static void stage_clear(struct stage **stage)
{
    bytes_free(&(*stage)->exchange.reply.body);
    token_store_free((*stage)->server.token_store);
    (void)!unlink((*stage)->config.tokens);
    audit_free((*stage)->server.audit);
    free(*stage);
}

/* With NULL, of a server that knows no tokens. */
static struct stage *set(const char *tokens)
{
    struct stage *stage = calloc(1, sizeof *stage);

    if (tokens) {
        snprintf(stage->config.tokens, sizeof stage->config.tokens, "/tmp/pennyworth-XXXXXX");
        close(mkstemp(stage->config.tokens));
        write_file(stage, tokens);
    }
    stage->server.token_store = token_store_new(&stage->config, NULL);
    stage->server.audit = audit_open("/dev/null", NULL);
    stage->server.config = &stage->config;
    EXPECT(stage->server.token_store && stage->server.audit);
    return stage;
}

/* The status that a request is refused with, 0 where it is let in. */
static int status(struct stage *stage, enum access access, const char *authorization)
{
    struct exchange *exchange = &stage->exchange;

    bytes_free(&exchange->reply.body);
    memset(exchange, 0, offsetof(struct exchange, request.target));
    stage->route.access = access;
    exchange->server = &stage->server;
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

TEST(without_tokens_every_client_may_do_everything)
{
    AUTO(stage_clear) struct stage *stage = set(NULL);

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

        snprintf(text, sizeof text, "c1 %s sha256:" OF_ABC "\n", cases[i].scopes);
        AUTO(stage_clear) struct stage *stage = set(text);
        EXPECT_INT(status(stage, ACCESS_OPEN, NULL), 0);
        EXPECT_INT(status(stage, ACCESS_READ, "Bearer abc"), cases[i].read);
        EXPECT_INT(status(stage, ACCESS_WRITE, "Bearer abc"), cases[i].write);
        EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), cases[i].import);
        if (cases[i].import == 0)
            EXPECT_STR(access_sender(&stage->exchange), "c1");
    }
}

TEST(an_unknown_client_gets_401_with_the_scheme)
{
    static const char *const headers[] = {
        NULL, "", "Bearer", "Bearer ", "Bearer ab", "Bearer abcd", "Basic abc", "abc"};
    AUTO(stage_clear) struct stage *stage = set("c1 read sha256:" OF_ABC "\n");
    char longest[2000] = "Bearer ";

    for (size_t i = 0; i < COUNT(headers); i++) {
        EXPECT_INT(status(stage, ACCESS_READ, headers[i]), 401);
        EXPECT_STR(field(stage, "WWW-Authenticate"), "Bearer realm=\"pennyworth\"");
    }
    memset(longest + 7, 'a', sizeof longest - 8);
    EXPECT_INT(status(stage, ACCESS_READ, longest), 401);
}

TEST(a_missing_scope_is_named)
{
    AUTO(stage_clear) struct stage *stage = set("c1 read sha256:" OF_ABC "\n");

    EXPECT_INT(status(stage, ACCESS_WRITE, "Bearer abc"), 403);
    EXPECT(strstr(stage->exchange.reply.body.data,
                  "the scope write is missing: this token has read") != NULL);
    EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 403);
    EXPECT(strstr(stage->exchange.reply.body.data, "the scope import (or write) is missing"));
}

TEST(over_a_limit_the_answer_says_which_and_when)
{
    AUTO(stage_clear)
    struct stage *stage =
        set("c1 import sha256:" OF_ABC " requests_per_minute=2 runs_per_hour=10\n");

    EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 0);
    EXPECT(access_spend(&stage->exchange, LIMIT_RUNS, 10));
    EXPECT(!access_spend(&stage->exchange, LIMIT_RUNS, 5));
    EXPECT_INT(stage->exchange.reply.status, 429);
    EXPECT(strstr(stage->exchange.reply.body.data, "\"field\":\"runs_per_hour\"") != NULL);
    EXPECT_STR(field(stage, "Retry-After"), "1800");
    EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 0);
    EXPECT(!access_spend(&stage->exchange, LIMIT_RUNS, 11));
    EXPECT(strstr(stage->exchange.reply.body.data, "split the request") != NULL);
    EXPECT(!field(stage, "Retry-After"));
    EXPECT_INT(status(stage, ACCESS_IMPORT, "Bearer abc"), 429);
    EXPECT(strstr(stage->exchange.reply.body.data, "\"field\":\"requests_per_minute\""));
    EXPECT_STR(field(stage, "Retry-After"), "30");
}

TEST(a_request_above_the_limit_of_runs_costs_no_bytes)
{
    AUTO(stage_clear)
    struct stage *stage = set("c1 import sha256:" OF_ABC " mib_per_hour=1 runs_per_hour=10\n");

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

TEST(only_what_writes_is_for_the_audit)
{
    AUTO(stage_clear) struct stage *stage = set("c1 read sha256:" OF_ABC "\n");
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

TEST(the_tokens_of_options_give_no_sender)
{
    AUTO(stage_clear) struct stage *stage = set("c1 import sha256:" OF_ABC "\n");

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

TEST(a_wrong_file_changes_nothing)
{
    AUTO(stage_clear) struct stage *stage = set("c1 read sha256:" OF_ABC "\n");
    struct error err = {0};

    write_file(stage, "c2 read sha256:" OF_ABD "\nc1 nothing\n");
    EXPECT(!token_store_reload(stage->server.token_store, &err));
    EXPECT(strstr(err.field, ":2") != NULL);
    EXPECT_INT(status(stage, ACCESS_READ, "Bearer abc"), 0);
    EXPECT_INT(status(stage, ACCESS_READ, "Bearer abd"), 401);
    write_file(stage, "c2 read sha256:" OF_ABD "\n");
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

TEST(a_file_is_read_again_while_tokens_are_looked_for)
{
    AUTO(stage_clear)
    struct stage *stage =
        set("c0 read sha256:" OF_ABD "\nc1 read,import sha256:" OF_ABC " runs_per_hour=3\n");
    pthread_t threads[3];

    ended = 0;
    for (size_t i = 0; i < COUNT(threads); i++)
        EXPECT_INT(pthread_create(&threads[i], NULL, find_many, stage->server.token_store), 0);
    while (ended < (int)COUNT(threads))
        EXPECT(token_store_reload(stage->server.token_store, NULL));
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
}
