#include "answers/query.h"

#include "common/cleanup.h"
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
    {"/a?=nameless", "/a", 1, {""}, {"nameless"}},
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

static void a_target_is_taken_apart_and_decoded(void)
{
    for (size_t i = 0; i < COUNT(readings); i++) {
        struct query query;
        struct error err = {0};

        EXPECT(query_read(readings[i].target, &query, &err));
        EXPECT_STR(err.message, "");
        EXPECT_STR(query.path, readings[i].path);
        EXPECT_INT((long long)query.count, (long long)readings[i].count);
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
    {"/a?x=%00", "the URL has control characters"},
    {"/a?x=%0d%0aSet-Cookie:y", "the URL has control characters"},
    {"/a?%7f=1", "the URL has control characters"},
    {"/a\tb", "the URL has control characters"},
};

static void an_ambiguous_target_is_refused(void)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct query query;
        struct error err = {0};

        EXPECT(!query_read(refusals[i].target, &query, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT_STR(err.message, refusals[i].message);
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

static void the_number_of_parameters_is_bounded(void)
{
    char target[200];
    struct query query;
    struct error err = {0};

    many_parameters(QUERY_PARAMETERS_MAX, target);
    EXPECT(query_read(target, &query, &err));
    EXPECT_INT((long long)query.count, QUERY_PARAMETERS_MAX);

    many_parameters(QUERY_PARAMETERS_MAX + 1, target);
    EXPECT(!query_read(target, &query, &err));
    EXPECT_STR(err.message, "the URL has more than 48 parameters");
}

static void the_length_of_a_target_is_bounded(void)
{
    char target[QUERY_MAX + 10];
    struct query query;
    struct error err = {0};
    size_t longest = QUERY_MAX - 1 - QUERY_PARAMETERS_MAX;

    /* The worst case for the buffer: bare names, each of which gets a NUL more than it has. */
    memset(target, 'a', sizeof target);
    many_parameters(QUERY_PARAMETERS_MAX, target + longest - 1 - 2 * QUERY_PARAMETERS_MAX);
    target[longest - 1 - 2 * QUERY_PARAMETERS_MAX] = 'a';
    target[0] = '/';
    EXPECT_INT((long long)strlen(target), (long long)longest);
    EXPECT(query_read(target, &query, &err));
    EXPECT_INT((long long)query.count, QUERY_PARAMETERS_MAX);
    EXPECT_STR(query.parameters[QUERY_PARAMETERS_MAX - 1].value, "");

    memset(target, 'a', longest + 1);
    target[0] = '/';
    target[longest + 1] = '\0';
    EXPECT(!query_read(target, &query, &err));
    EXPECT_STR(err.message, "the URL is longer than 1999 bytes");
}

static void a_parameter_is_found_by_its_whole_name(void)
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

static const struct {
    const char *target;
    const char *field, *message; /* NULL: allowed */
} allowances[] = {
#define KNOWN "; known are limit, cursor, label"
    {"/", NULL, NULL},
    {"/?limit=5", NULL, NULL},
    {"/?limit=5&cursor=x", NULL, NULL},
    {"/?label=a:b&label=c:d&label=a:b", NULL, NULL},
    {"/?limit=5&limit=5", "limit", "is given twice"},
    {"/?limit=5&cursor=x&limit=6", "limit", "is given twice"},
    {"/?limits=5", "limits", "is not a known parameter here" KNOWN},
    {"/?lim=5", "lim", "is not a known parameter here" KNOWN},
    {"/?LIMIT=5", "LIMIT", "is not a known parameter here" KNOWN},
    {"/?=5", "", "is not a known parameter here" KNOWN},
    {"/?lab=a", "lab", "is not a known parameter here" KNOWN},
    {"/?label*=a", "label*", "is not a known parameter here" KNOWN},
    {"/?*=a", "*", "is not a known parameter here" KNOWN},
};

static void a_former_name_is_read_as_the_one_of_today(void)
{
    static const char *const allowed[] = {"instance_type", NULL};
    struct query query;
    struct error err = {0};

    EXPECT(query_read("/?instance=a.large", &query, NULL));
    EXPECT(query_allow(&query, allowed, &err));
    EXPECT_STR(query_find(&query, "instance_type"), "a.large");
    EXPECT_STR(query_find(&query, "instance"), NULL);
    EXPECT(query_read("/?instance=a.large&instance_type=b.large", &query, NULL));
    EXPECT(!query_allow(&query, allowed, &err));
    EXPECT_STR(err.message, "is given twice");
    EXPECT(query_read("/?instances=1", &query, NULL)); /* the whole name, and no more */
    EXPECT_STR(query_find(&query, "instances"), "1");
}

static void words_are_counted_in_characters(void)
{
    static const char *const words[] = {"a", "b", NULL};
    static const struct {
        const char *target, *message;
    } targets[] = {
        {"/?a=xxxx&c=", ""},
        {"/?a=%C3%A9%F0%9F%98%80%E2%82%ACx", ""},
        {"/?a=", "must have between 1 and 4 characters, got 0"},
        {"/?b", "must have between 1 and 4 characters, got 0"},
        {"/?b=x&a=xxxxx", "must have between 1 and 4 characters, got 5"},
        {"/?c=1&a=x&a=%C3%A9%C3%A9%C3%A9%C3%A9%C3%A9",
         "must have between 1 and 4 characters, got 5"},
    };

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct query query;
        struct error err = {0};
        bool right = targets[i].message[0] == '\0';

        EXPECT(query_read(targets[i].target, &query, &err));
        EXPECT(query_check_words(&query, words, 4, &err) == right);
        EXPECT_STR(err.message, targets[i].message);
        EXPECT(right || err.field[0] == 'a' || err.field[0] == 'b');
    }
}

static void only_known_parameters_are_allowed_and_only_marked_ones_twice(void)
{
    static const char *const allowed[] = {"limit", "cursor", "label*", NULL};

    for (size_t i = 0; i < COUNT(allowances); i++) {
        struct query query;
        struct error err = {0};

        EXPECT(query_read(allowances[i].target, &query, NULL));
        EXPECT_INT(query_allow(&query, allowed, &err), allowances[i].message == NULL);
        EXPECT_STR(err.field, allowances[i].field ? allowances[i].field : "");
        EXPECT_STR(err.message, allowances[i].message ? allowances[i].message : "");
    }
}

int main(void)
{
    RUN(a_target_is_taken_apart_and_decoded);
    RUN(an_ambiguous_target_is_refused);
    RUN(the_number_of_parameters_is_bounded);
    RUN(the_length_of_a_target_is_bounded);
    RUN(a_parameter_is_found_by_its_whole_name);
    RUN(a_former_name_is_read_as_the_one_of_today);
    RUN(words_are_counted_in_characters);
    RUN(only_known_parameters_are_allowed_and_only_marked_ones_twice);
    return test_result();
}
