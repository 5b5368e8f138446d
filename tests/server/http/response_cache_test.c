#include "server/http/response_cache.h"

#include "common/cleanup.h"
#include "tests/threads.h"

#define KEPT 32 /* as many as are kept */

#define TEST_WITH_CACHE(name) TEST_GIVEN(name, struct response_cache *answers, with_cache)

static void with_cache(void (*test)(struct response_cache *answers))
{
    struct response_cache *answers = response_cache_new();

    EXPECT(answers != NULL);
    test(answers);
    response_cache_free(answers);
}

static void keep(struct response_cache *answers, const struct answer_key *key, const char *text,
                 char ret_etag[ETAG_SIZE])
{
    AUTO(bytes_free) struct bytes body = {.limit = 1 << 20};

    EXPECT(bytes_add(&body, text, strlen(text)));
    response_cache_keep(answers, key, &body, ret_etag);
}

/* The answer, or "" where there is none. */
static const char *find(struct response_cache *answers, const struct answer_key *key)
{
    static char text[100];
    AUTO(bytes_free) struct bytes body = {.limit = sizeof text - 1};
    char etag[ETAG_SIZE];

    snprintf(text, sizeof text, "%s",
             response_cache_find(answers, key, NULL, &body, etag) ? body.data : "");
    return text;
}

TEST_WITH_CACHE(an_answer_is_kept_with_its_name)
{
    const struct answer_key key = {.text = "/a?b", .revision = 5, .minute = 7};
    AUTO(bytes_free) struct bytes body = {.limit = 100};
    char etag[ETAG_SIZE], again[ETAG_SIZE] = "";

    EXPECT(!response_cache_find(answers, &key, NULL, &body, again));
    EXPECT_STR(again, "");
    keep(answers, &key, "the answer", etag);
    EXPECT(response_cache_find(answers, &key, NULL, &body, again));
    EXPECT_STR(body.data, "the answer");
    EXPECT_STR(again, etag);
    EXPECT_INT((long long)strlen(etag), ETAG_SIZE - 2);
    EXPECT(etag[0] == '"' && etag[strlen(etag) - 1] == '"');
    EXPECT(
        response_cache_find(answers, &key, etag, &body, again)); /* as it is known, not copied */
    EXPECT_STR(body.data, "the answer");
}

TEST_WITH_CACHE(another_state_is_another_answer)
{
    const struct answer_key key = {.text = "/a", .revision = 5, .minute = 7};
    struct answer_key other = key;
    char etag[ETAG_SIZE], next[ETAG_SIZE];

    keep(answers, &key, "one", etag);
    other.revision = 6;
    EXPECT_STR(find(answers, &other), "");
    other = key;
    other.minute = 8;
    EXPECT_STR(find(answers, &other), "");
    other = key;
    other.text = "/b";
    EXPECT_STR(find(answers, &other), "");
    EXPECT_STR(find(answers, &key), "one");
    other.text = "/a";
    other.revision = 6;
    keep(answers, &other, "two", next);
    EXPECT_STR(find(answers, &other), "two");
    EXPECT_STR(find(answers, &key), ""); /* its place was taken */
    EXPECT(strcmp(etag, next) != 0);
    keep(answers, &other, "one", next);
    EXPECT_STR(next, etag); /* equal answers, equal names */
}

TEST_WITH_CACHE(the_least_recently_used_entry_is_replaced)
{
    struct answer_key key = {.revision = 1, .minute = 1};
    char text[20], etag[ETAG_SIZE];

    key.text = text;
    for (int i = 0; i < KEPT; i++) {
        snprintf(text, sizeof text, "/%d", i);
        keep(answers, &key, text, etag);
    }
    EXPECT_STR(find(answers, &(struct answer_key){"/0", 1, 1}), "/0"); /* used again */
    keep(answers, &(struct answer_key){"/new", 1, 1}, "/new", etag);
    EXPECT_STR(find(answers, &(struct answer_key){"/0", 1, 1}), "/0");
    EXPECT_STR(find(answers, &(struct answer_key){"/1", 1, 1}), "");
    EXPECT_STR(find(answers, &(struct answer_key){"/2", 1, 1}), "/2");
    EXPECT_STR(find(answers, &(struct answer_key){"/31", 1, 1}), "/31");
    EXPECT_STR(find(answers, &(struct answer_key){"/new", 1, 1}), "/new");
}

TEST_WITH_CACHE(a_text_that_is_too_long_is_named_and_not_stored)
{
    const struct answer_key key = {.text = "/a", .revision = 1, .minute = 1};
    AUTO(freep) char *text = malloc(600 * 1024);
    char etag[ETAG_SIZE] = "";

    EXPECT(text != NULL);
    memset(text, 'x', 600 * 1024);
    text[600 * 1024 - 1] = '\0';
    keep(answers, &key, "short", etag);
    keep(answers, &key, text, etag);
    EXPECT_INT((long long)strlen(etag), ETAG_SIZE - 2);
    EXPECT_STR(find(answers, &key), ""); /* nor is what was there before */
    keep(answers, &key, "short", etag);
    EXPECT_STR(find(answers, &key), "short");
}

TEST_WITH_CACHE(an_answer_that_does_not_fit_the_reply_is_made_again)
{
    const struct answer_key key = {.text = "/a", .revision = 1, .minute = 1};
    AUTO(bytes_free) struct bytes body = {.limit = 3};
    char etag[ETAG_SIZE];

    keep(answers, &key, "more than three", etag);
    EXPECT(!response_cache_find(answers, &key, NULL, &body, etag));
    EXPECT_INT((long long)body.used, 0);
}

TEST(a_client_that_has_it_says_so_in_many_ways)
{
    static const struct {
        const char *header;
        bool known;
    } cases[] = {
        {NULL, false},
        {"", false},
        {"*", true},
        {" * ", true},
        {"\"0123456789abcdef\"", true},
        {"W/\"0123456789abcdef\"", true}, /* weak comparison is what a GET is asked for */
        {"\"a\", \"0123456789abcdef\"", true},
        {"\"a\",\"0123456789abcdef\",\"b\"", true},
        {"\"0123456789abcdee\"", false},
        {"0123456789abcdef", false}, /* a name has quotes */
        {"\"0123456789abcdef", false},
        {"\"*\"", false},
        {"\"x\", *", false},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        if (etag_is_known(cases[i].header, "\"0123456789abcdef\"") != cases[i].known)
            test_fail(__FILE__, __LINE__, cases[i].header ? cases[i].header : "no header");
    EXPECT_INT((long long)COUNT(cases), 13);
}

static void *ask_often(void *user)
{
    struct response_cache *answers = user;
    char text[20], etag[ETAG_SIZE];

    for (int i = 0; i < 500; i++) {
        struct answer_key key = {.text = text, .revision = i % 3, .minute = 1};
        AUTO(bytes_free) struct bytes body = {.limit = 100};

        snprintf(text, sizeof text, "/%d", i % 50);
        if (response_cache_find(answers, &key, NULL, &body, etag))
            EXPECT_STR(body.data, text); /* never another question's */
        else
            keep(answers, &key, text, etag);
    }
    return NULL;
}

TEST_WITH_CACHE(threads_may_share_it)
{
    run_threads(2, ask_often, answers, 0);
    response_cache_free(NULL);
}
