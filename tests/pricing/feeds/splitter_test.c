/* A JSON document of any size, cut into the elements that the caller wants. */
#include "pricing/feeds/splitter.h"

#include "tests/test.h"

/* What came out, as text: "path|outer|key|value;" for each element. */
struct found {
    char text[4000];
    size_t used, count, stop_after;
};

static enum split_verdict note(void *user, const struct split_element *element, struct error *err)
{
    struct found *found = user;

    (void)err;
    found->used += (size_t)snprintf(found->text + found->used, sizeof found->text - found->used,
                                    "%zu|%s|%s|%.*s;", element->path, element->outer,
                                    element->key, (int)element->length, element->json);
    return ++found->count == found->stop_after ? SPLIT_STOP : SPLIT_GO_ON;
}

static enum split_verdict shut(void *user, struct error *err)
{
    (void)user;
    (void)err;
    return SPLIT_STOP;
}

static const char *const everything[] = {"a/*", "b/*/c", "list/*", "word", NULL};

/* Reads a document in pieces of `piece` bytes; the verdict of its end. */
static bool split(const char *text, size_t piece, struct splitter_rules rules,
                  struct found *found, struct error *err)
{
    size_t length = strlen(text);

    rules.element = note;
    rules.user = found;
    rules.element_max = rules.element_max ? rules.element_max : 100;
    AUTO(splitter_freep) struct splitter *splitter = splitter_new(&rules, err);
    for (size_t at = 0; at < length; at += piece) {
        size_t left = length - at;

        if (splitter_feed(splitter, text + at, piece < left ? piece : left, err) == SPLIT_FAILED)
            return false;
    }
    return splitter_end(splitter, err);
}

TEST(wanted_elements_come_whole_and_the_rest_does_not)
{
    const char *text = "{ \"no\": {\"a\": {\"x\": 1}}, \"a\": {\"x\" : {\"y\": [1, \"}\"]}, "
                       "\"z\": -1.5e3}, \"b\": {\"k\": {\"c\": \"qu\\\"ote\\\\\", \"d\": {}}, "
                       "\"l\": {\"c\": null}}, \"list\": [true, {\"q\": []}, [[]]], "
                       "\"word\": \"\", \"rest\": [\"\\u005d\"] }";
    const char *expected =
        "0|a|x|{\"y\": [1, \"}\"]};0|a|z|-1.5e3;1|k|c|\"qu\\\"ote\\\\\";"
        "1|l|c|null;2|list||true;2|list||{\"q\": []};2|list||[[]];3||word|\"\";";

    for (size_t piece = 1; piece <= strlen(text); piece++) {
        struct found found = {.used = 0};

        EXPECT_OK(split(text, piece, (struct splitter_rules){.paths = everything}, &found, &err));
        EXPECT_STR(found.text, expected);
    }
}

TEST(keys_may_be_escaped)
{
    struct found found = {.used = 0};

    EXPECT(split("{\"w\\u006frd\":1,\"a\":{\"q\\\"\":2}}", 1,
                 (struct splitter_rules){.paths = everything}, &found, NULL));
    EXPECT_STR(found.text, "3||word|1;0|a|q\"|2;");
}

TEST(an_element_too_long_is_passed_over_and_counted)
{
    for (size_t piece = 1; piece < 30; piece++) {
        struct found found = {.used = 0};
        struct splitter_rules rules = {
            .paths = everything, .element = note, .user = &found, .element_max = 5};
        const char *text = "{\"a\":{\"x\":[1,2,3,4],\"y\":[1,2],\"z\":\"12345\",\"w\":123456}}";
        AUTO(splitter_freep) struct splitter *splitter = splitter_new(&rules, NULL);

        for (size_t at = 0; at < strlen(text); at += piece)
            EXPECT(splitter_feed(splitter, text + at,
                                 piece < strlen(text) - at ? piece : strlen(text) - at,
                                 NULL) == SPLIT_GO_ON);
        EXPECT(splitter_end(splitter, NULL));
        EXPECT_STR(found.text, "0|a|y|[1,2];");
        EXPECT_INT(splitter_oversized(splitter), 3);
    }
}

TEST(it_stops_where_the_caller_stops_it)
{
    struct found found = {.stop_after = 2};

    EXPECT(split("{\"list\":[1,2,3,", 3, (struct splitter_rules){.paths = everything}, &found,
                 NULL));
    EXPECT_STR(found.text, "2|list||1;2|list||2;");
}

TEST(a_gate_ends_it_before_the_value_comes)
{
    struct found found = {.used = 0};

    EXPECT(split(
        "{\"a\":{\"x\":1},\"terms\":{\"Reserved\":{\"a\":{\"x\":2}", 1000,
        (struct splitter_rules){.paths = everything, .gate = "terms/Reserved", .at_gate = shut},
        &found, NULL));
    EXPECT_STR(found.text, "0|a|x|1;");
}

static enum split_verdict pass(void *user, struct error *err)
{
    (void)err;
    ((struct found *)user)->stop_after = 3;
    return SPLIT_GO_ON;
}

TEST(paths_lead_through_a_gate_that_is_open)
{
    for (size_t piece = 1; piece < 40; piece++) {
        struct found found = {.used = 0};

        EXPECT(
            split("{\"a\":{\"x\":1},\"list\":[2,[3]],\"b\":{}}", piece,
                  (struct splitter_rules){.paths = everything, .gate = "list", .at_gate = pass},
                  &found, NULL));
        EXPECT_HAS(found, (text, "0|a|x|1;2|list||2;2|list||[3];"), (stop_after, 3));
    }
}

TEST(text_that_is_not_json_is_refused)
{
    EACH_TEXT(wrong, "", " ", "7", "\"a\"", "{", "{\"a\":}", "{\"a\"}", "{\"a\":1,}",
              "{\"a\":[1}}", "{\"a\":{1:2}}", "[1 2]", "{} {}", "{\"a\":{\"b\":[}]}}",
              "callback({})", "{\"a\":1", "{,}", "{\"a\" 1}", "{\"b\":{\"c\":\"x}", "{\"no\":{]}",
              "{a:1}", "[1]]")
        for (size_t piece = 1; piece < 20; piece += 18) {
            struct found found = {.used = 0};

            EXPECT_ERROR(
                split(wrong, piece, (struct splitter_rules){.paths = everything}, &found, &err),
                ERROR_UPSTREAM);
        }
}

TEST(depth_and_keys_are_bounded)
{
    char text[400] = "{\"no\":";
    struct found found = {.used = 0};

    memset(text + 6, '[', 40);
    EXPECT_MESSAGE(split(text, 50, (struct splitter_rules){.paths = everything}, &found, &err),
                   "this is not the JSON that was expected: it is nested too deeply");
    memset(text, 'k', sizeof text - 1);
    memcpy(text, "{\"", 2);
    EXPECT_MESSAGE(split(text, 50, (struct splitter_rules){.paths = everything}, &found, &err),
                   "this is not the JSON that was expected: a key is too long");
}
