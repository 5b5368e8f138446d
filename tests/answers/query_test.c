#include "answers/query.h"

#include "tests/test.h"

static const struct {
    const char *target, *path;
    size_t count;
    const char *names[4], *values[4];
} readings[] = {
    {.target = "/", .path = "/"},
    {.target = "/v1/runs", .path = "/v1/runs"},
    {"/v1/runs?limit=5", "/v1/runs", 1, {"limit"}, {"5"}},
    {"/v1/runs?limit=5&state=failed", "/v1/runs", 2, {"limit", "state"}, {"5", "failed"}},
    {"/a?x=1&x=2", "/a", 2, {"x", "x"}, {"1", "2"}},
    {"/a?bare&empty=", "/a", 2, {"bare", "empty"}, {"", ""}},
    {"/a?x=b=c", "/a", 1, {"x"}, {"b=c"}},
    {"/a?x=b?c", "/a", 1, {"x"}, {"b?c"}},
    {"/a?&&x=1&&", "/a", 1, {"x"}, {"1"}},
    {"/a?x=1#fragment?y=2", "/a", 1, {"x"}, {"1"}},
    {.target = "/a#fragment?x=1", .path = "/a"},
    {"/%61%2D%7e?%78=%26%3d", "/a-~", 1, {"x"}, {"&="}},
    {"/a+b?x+y=c+d%2B", "/a+b", 1, {"x y"}, {"c d+"}},
    {"/%C3%BC?x=%c3%bc", "/\303\274", 1, {"x"}, {"\303\274"}},
    {"/a?x=%2Fetc", "/a", 1, {"x"}, {"/etc"}},
};

TEST(a_target_is_taken_apart_and_decoded)
{
    for (size_t i = 0; i < COUNT(readings); i++) {
        struct query query;

        EXPECT_OK(query_read(readings[i].target, &query, &err));
        EXPECT_SAME(query, readings[i], path, count);
        for (size_t k = 0; k < query.count && k < readings[i].count; k++) {
            EXPECT_STR(query.parameters[k].name, readings[i].names[k]);
            EXPECT_STR(query.parameters[k].value, readings[i].values[k]);
        }
    }
}

static const struct {
    const char *target, *message;
} refusals[] = {
    {"", "the URL must start with a slash"},
    {"*", "the URL must start with a slash"},
    {"v1/runs", "the URL must start with a slash"},
    {"http://host/v1/runs", "the URL must start with a slash"},
    {"/a%", "the URL has a broken %-escape"},
    {"/a%4", "the URL has a broken %-escape"},
    {"/a%4?1", "the URL has a broken %-escape"}, /* an escape does not reach over the '?' */
    {"/a%g1", "the URL has a broken %-escape"},
    {"/a?x=%4&1", "the URL has a broken %-escape"},
    {"/a?%x=1", "the URL has a broken %-escape"},
    {"/a%2fb", "the path has an encoded slash"},
    {"/a%2Fb", "the path has an encoded slash"},
    {"/a%00", "the path has an encoded slash"},
    {"/a?x=1&=nameless", "the URL has a parameter without a name"},
    {"/a?x=%00", "the URL has control characters"},
    {"/a?x=%0d%0aSet-Cookie:y", "the URL has control characters"},
    {"/a?%7f=1", "the URL has control characters"},
    {"/a\tb", "the URL has control characters"},
};

TEST(an_ambiguous_target_is_refused)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct query query;

        EXPECT_ERROR_MESSAGE(query_read(refusals[i].target, &query, &err), ERROR_INVALID,
                             refusals[i].message);
    }
}

/* "/?p&p&p..." with `count` parameters. */
static void many_parameters(size_t count, char *target)
{
    *target++ = '/';
    for (size_t i = 0; i < count; i++) {
        *target++ = i == 0 ? '?' : '&';
        *target++ = 'p';
    }
    *target = '\0';
}

TEST(the_number_of_parameters_is_bounded)
{
    char target[200];
    struct query query;

    many_parameters(QUERY_PARAMETERS_MAX, target);
    EXPECT_OK(query_read(target, &query, &err));
    EXPECT_INT((long long)query.count, QUERY_PARAMETERS_MAX);

    many_parameters(QUERY_PARAMETERS_MAX + 1, target);
    EXPECT_ERROR_MESSAGE(query_read(target, &query, &err), ERROR_INVALID,
                         "the URL has more than 48 parameters");
}

TEST(the_length_of_a_target_is_bounded)
{
    char target[QUERY_MAX + 10];
    struct query query;
    size_t longest = QUERY_MAX - 1 - QUERY_PARAMETERS_MAX;

    /* The worst case for the buffer: bare names; each gets one NUL more than it has. */
    memset(target, 'a', sizeof target);
    many_parameters(QUERY_PARAMETERS_MAX, target + longest - 1 - 2 * QUERY_PARAMETERS_MAX);
    target[longest - 1 - 2 * QUERY_PARAMETERS_MAX] = 'a';
    target[0] = '/';
    EXPECT_INT((long long)strlen(target), (long long)longest);
    EXPECT_OK(query_read(target, &query, &err));
    EXPECT_INT((long long)query.count, QUERY_PARAMETERS_MAX);
    EXPECT_STR(query.parameters[QUERY_PARAMETERS_MAX - 1].value, "");

    memset(target, 'a', longest + 1);
    target[0] = '/';
    target[longest + 1] = '\0';
    EXPECT_ERROR_MESSAGE(query_read(target, &query, &err), ERROR_INVALID,
                         "the URL is longer than 1999 bytes");
}

TEST(a_parameter_is_found_by_its_whole_name)
{
    struct query query;

    EXPECT(query_read("/a?limit=5&lim=6&empty&limit=7", &query, NULL));
    EXPECT_STR(query_find(&query, "limit"), "5");
    EXPECT_STR(query_find(&query, "lim"), "6");
    EXPECT_STR(query_find(&query, "empty"), "");
    EXPECT_STR(query_find(&query, "limi"), NULL);
    EXPECT_STR(query_find(&query, "limits"), NULL);
    EXPECT_STR(query_find(&query, ""), NULL);
}
