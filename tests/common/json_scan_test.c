#include "common/json_scan.h"

#include "common/bytes.h"
#include "tests/test.h"

#include <jansson.h>

/* Of exactly its size, so that reading on is seen. True where the whole text is one value. */
static bool is_value(const char *text)
{
    size_t length = strlen(text);
    AUTO(freep) char *exact = malloc(length > 0 ? length : 1);
    struct json_scan scan = {exact, exact + length};
    struct span value;

    memcpy(exact, text, length);
    return json_scan_value(&scan, &value) && json_scan_is_over(&scan);
}

static const char *const values[] = {"null",
                                     "true",
                                     "false",
                                     "0",
                                     "-1.5e3",
                                     "\"\"",
                                     "[]",
                                     "{}",
                                     " [ 1 , 2 ] ",
                                     "{\"a\":{\"a\":1}}",
                                     "[{\"a\":1},{\"a\":2}]",
                                     "\"\\u0001\\n\\/\\\"\\\\\"",
                                     "\"\\ud83d\\ude00\"",
                                     "\"\\uD83D\\uDE00\"",
                                     "\"\\uffff\"",
                                     "9223372036854775807",
                                     "1e22",
                                     "{\"a\" : [ ] , \"b\":{} }"};

static const char *const nothings[] = {"",
                                       " ",
                                       "nul",
                                       "nulll",
                                       "True",
                                       "tru",
                                       "-",
                                       "01",
                                       "1.",
                                       "NaN",
                                       "Infinity",
                                       "1e999",
                                       "'a'",
                                       "9223372036854775808",
                                       "[",
                                       "]",
                                       "[1",
                                       "[1,",
                                       "[1,]",
                                       "[,1]",
                                       "[1 2]",
                                       "[1}",
                                       "{",
                                       "{\"a\"",
                                       "{\"a\":",
                                       "{\"a\":1",
                                       "{\"a\":1,",
                                       "{\"a\":1,}",
                                       "{,\"a\":1}",
                                       "{\"a\" 1}",
                                       "{a:1}",
                                       "{\"a\":1]",
                                       "{\"a\":1 \"b\":2}",
                                       "{1:2}",
                                       "1 2",
                                       "\"",
                                       "\"a",
                                       "\"\\",
                                       "\"\\\"",
                                       "\"\\x\"",
                                       "\"\\u\"",
                                       "\"\\u12\"",
                                       "\"\\u12g4\"",
                                       "\"\\u0000\"",
                                       "\"\\ud83d\"",
                                       "\"\\ud83dx\"",
                                       "\"\\ud83d\\n\"",
                                       "\"\\ud83d\\u0041\"",
                                       "\"\\ud83d\\ud83d\"",
                                       "\"\\ude00\"",
                                       "\"\\ud83d\\u",
                                       "\"a\nb\"",
                                       "\"a\tb\"",
                                       "{\"a\":1,\"a\":2}",
                                       "[{\"b\":{\"a\":1,\"c\":2,\"a\":3}}]",
                                       "{\"a\":1,\"\\u0061\":2}",
                                       "{\"\\n\":1}"};

TEST(values_are_what_jansson_reads_too)
{
    for (size_t i = 0; i < COUNT(values); i++) {
        AUTO(json_decrefp)
        json_t *json = json_loads(values[i], JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);

        EXPECT(is_value(values[i]));
        EXPECT(json != NULL);
    }
    for (size_t i = 0; i < COUNT(nothings); i++)
        if (is_value(nothings[i]))
            test_fail(__FILE__, __LINE__, nothings[i]);
}

/* `depth` arrays or objects in each other. */
static bool is_deep_value(int depth, const char *open, const char *close)
{
    AUTO(bytes_free) struct bytes text = {.limit = 1 << 20};

    for (int i = 0; i < depth; i++)
        EXPECT(bytes_add(&text, open, strlen(open)));
    EXPECT(bytes_add(&text, "1", 1));
    for (int i = 0; i < depth; i++)
        EXPECT(bytes_add(&text, close, 1));
    return is_value(text.data);
}

TEST(depth_has_an_end)
{
    EXPECT(is_deep_value(JSON_SCAN_DEPTH, "[", "]"));
    EXPECT(!is_deep_value(JSON_SCAN_DEPTH + 1, "[", "]"));
    EXPECT(is_deep_value(JSON_SCAN_DEPTH, "{\"a\":", "}"));
    EXPECT(!is_deep_value(JSON_SCAN_DEPTH + 1, "{\"a\":", "}"));
    EXPECT(!is_deep_value(100000, "[", "]"));
}

TEST(an_object_has_so_many_members)
{
    for (int count = JSON_SCAN_MEMBERS - 1; count <= JSON_SCAN_MEMBERS + 1; count++) {
        AUTO(bytes_free) struct bytes text = {.limit = 1 << 20};

        for (int i = 0; i < count; i++)
            EXPECT(bytes_printf(&text, "%s\"%d\":0", i > 0 ? "," : "{", i));
        EXPECT(bytes_printf(&text, "}"));
        EXPECT_INT(is_value(text.data), count < JSON_SCAN_MEMBERS);
    }
}

TEST(an_extent_ends_where_the_value_does)
{
    static const struct {
        const char *text;
        int length;
    } cases[] = {
        {"1,2", 1},           {"null}", 4},          {"-1e5 ,", 4},
        {"[1,[2],{}],3", 10}, {"{\"]\":\"}\"}}", 9}, {"\"a,\\\"b\"]", 7},
        {"nonsense]", 8},     {"[1}}", 3},
    };
    static const char *const endless[] = {"", "  ", "[1", "{\"a\":1", "\"a", "[\"]", ",", "]"};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct json_scan scan = {cases[i].text, cases[i].text + strlen(cases[i].text)};
        struct span value;

        EXPECT(json_scan_extent(&scan, &value));
        EXPECT_INT((long long)value.length, cases[i].length);
        EXPECT(value.start == cases[i].text && scan.at == value.start + value.length);
    }
    for (size_t i = 0; i < COUNT(endless); i++) {
        struct json_scan scan = {endless[i], endless[i] + strlen(endless[i])};
        struct span value;

        EXPECT(!json_scan_extent(&scan, &value));
    }
}

TEST(an_unknown_name_is_quoted_but_cut_to_fit)
{
    struct known_names known = {.list = {"loss"}, .count = 1};
    struct error err = {0};
    char name[200];

    memset(name, 'n', sizeof name);
    EXPECT(!json_scan_refuse_name("steps", (struct span){name, sizeof name}, &known, &err));
    EXPECT_INT((long long)strlen(err.field), 46);
    EXPECT(strncmp(err.field, "steps.nnn", 9) == 0);
    error_clear(&err);
    EXPECT(!json_scan_refuse_name("", (struct span){name, 3}, &known, &err));
    EXPECT_HAS(err, (field, "nnn"), (message, "is not a known field; known are loss"));
}
