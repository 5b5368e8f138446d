#include "server/http/negotiate.h"

#include "tests/test.h"

static const struct {
    const char *accept;
    int json, csv, events; /* qualities of the three formats we have */
} likings[] = {
    {NULL, 1000, 1000, 1000},
    {"", 1000, 1000, 1000},
    {" \t", 1000, 1000, 1000},
    {"*/*", 1000, 1000, 1000},
    {"application/json", 1000, 0, 0},
    {"APPLICATION/JSON", 1000, 0, 0},
    {"application/jsonl", 0, 0, 0},
    {"application/jso", 0, 0, 0},
    {"image/png", 0, 0, 0},
    {"*/*x", 0, 0, 0},
    {"text/*x", 0, 0, 0},
    {"text/csv, application/json", 1000, 1000, 0},
    {"text/*", 0, 1000, 1000},
    {"Text/*;q=0.5", 0, 500, 500},
    {"text/csv;q=0.5, */*;q=0.1", 100, 500, 100},
    {"*/*;q=0.1, text/csv;q=0.5", 100, 500, 100}, /* the closest decides, not the first */
    {"text/csv;q=0, */*", 1000, 0, 1000},         /* nor the kindest */
    {"text/csv;q=0, text/*;q=0.3", 0, 0, 300},
    {"text/csv ; q=0.35", 0, 350, 0},
    {"text/csv;header=present;Q=0.2", 0, 200, 0},
    {"text/csv;q=0.123456789", 0, 123, 0},
    {"text/csv;q=0.9999", 0, 999, 0},
    {"text/csv;q=0.", 0, 0, 0},
    {"text/csv;q=1.5", 0, 1000, 0},
    {"text/csv;q=1", 0, 1000, 0},
    {"text/csv;q=", 0, 1000, 0}, /* strange: as if it were not there */
    {"text/csv;q=high", 0, 1000, 0},
    {"text/csv;q, application/json;q=0.3", 300, 1000, 0}, /* a q of its own only */
    {"text/csv;level=q=0", 0, 1000, 0},
    {",,, ,", 0, 0, 0},
};

static const struct {
    const char *accept_encoding;
    bool gzip;
} codings[] = {
    {NULL, false},          {"", false},
    {"gzip", true},         {"GZIP", true},
    {"br, gzip", true},     {"gzip;q=0.1, br", true},
    {"gzip;q=0", false},    {"gzip;q=0, *", false}, /* the name decides, not the star */
    {"*, gzip;q=0", false}, {"*", true},
    {"*;q=0", false},       {"identity", false},
    {"xgzip", false},       {"gzi", false},
    {"gzipped", false},     {",, ,gzip", true},
};

TEST(an_accept_header_says_how_much_it_likes_a_type)
{
    for (size_t i = 0; i < COUNT(likings); i++) {
        EXPECT_INT(accept_quality(likings[i].accept, "application/json"), likings[i].json);
        EXPECT_INT(accept_quality(likings[i].accept, "text/csv"), likings[i].csv);
        EXPECT_INT(accept_quality(likings[i].accept, "text/event-stream"), likings[i].events);
    }
}

TEST(an_answer_is_packed_only_on_request)
{
    for (size_t i = 0; i < COUNT(codings); i++)
        EXPECT_INT(encoding_is_accepted(codings[i].accept_encoding, "gzip"), codings[i].gzip);
}

static const struct {
    const char *content_type;
    bool is_json;
} content_types[] = {
    {"application/json", true},
    {"Application/JSON", true},
    {"application/json ", true},
    {"application/json;charset=utf-8", true},
    {"application/json ; charset=UTF-8", true},
    {"application/json; charset=\"utf-8\"", true},
    {NULL, false},
    {"", false},
    {"text/plain", false},
    {"application/jsonp", false},
    {"application/json-patch+json", false},
    {"application/problem+json", false},
    {"application/json;", false},
    {"application/json; charset=latin1", false},
    {"application/json; charset=utf-8; x=y", false},
    {"application/json charset=utf-8", false},
    {" application/json", false},
};

TEST(only_json_in_utf8_is_taken_for_json)
{
    for (size_t i = 0; i < COUNT(content_types); i++)
        EXPECT_INT(content_type_is_json(content_types[i].content_type), content_types[i].is_json);
}

TEST(lines_of_json_are_distinguished_from_json)
{
    EXPECT(content_type_is_lines("application/x-ndjson"));
    EXPECT(content_type_is_lines("Application/X-NDJSON; charset=utf-8"));
    EXPECT(!content_type_is_lines("application/x-ndjson; charset=latin1"));
    EXPECT(!content_type_is_lines("application/ndjson"));
    EXPECT(!content_type_is_lines("application/json"));
    EXPECT(!content_type_is_lines(NULL));
    EXPECT(!content_type_is_json("application/x-ndjson"));
}

static const struct {
    const char *prefer;
    long long seconds;
} waits[] = {
    {NULL, 0},
    {"", 0},
    {"wait=30", 30},
    {"WAIT=30", 30},
    {"wait=0", 0},
    {"wait=007", 7},
    {"wait=999999999", 999999999},
    {"wait=1000000000", 0}, /* ten digits make no sense, and could grow without end */
    {"wait=99999999999999999999", 0},
    {"respond-async, wait=5", 5},
    {"wait=5, respond-async", 5},
    {"wait=5;foo", 5},
    {"wait=5 ;foo", 5},
    {"wait=", 0},
    {"wait", 0},
    {"wait=-1", 0},
    {"wait=+1", 0},
    {"wait=5s", 0},
    {"wait=1.5", 0},
    {"wait=\"5\"", 0},
    {"await=5", 0},
    {"waiting=5", 0},
};

TEST(a_preference_that_makes_no_sense_is_ignored)
{
    for (size_t i = 0; i < COUNT(waits); i++)
        EXPECT_INT(prefer_wait(waits[i].prefer), waits[i].seconds);
}

static const struct {
    const char *header, *key; /* NULL: refused */
} keys[] = {
    {"8e03978e", "8e03978e"},
    {"\"8e03978e\"", "8e03978e"},
    {"k", "k"},
    {"a b", "a b"},
    {"~", "~"},
    {"\"\"a\"\"", "\"a\""}, /* one pair of quotes is the header's, the next is the key's */
    {"\"", "\""},
    {"\"open", "\"open"},
    {"", NULL},
    {"\"\"", NULL},
    {"tab\there", NULL},
    {"line\nbreak", NULL},
    {"delete\177", NULL},
    {"\303\274", NULL},
};

TEST(a_key_is_printable_ascii_in_quotes_or_not)
{
    for (size_t i = 0; i < COUNT(keys); i++) {
        char key[IDEMPOTENCY_KEY_MAX + 1] = "untouched";

        EXPECT_INT(idempotency_key_read(keys[i].header, key), keys[i].key != NULL);
        EXPECT_STR(key, keys[i].key ? keys[i].key : "untouched");
    }
}

TEST(a_key_has_at_most_255_characters_not_counting_its_quotes)
{
    char header[IDEMPOTENCY_KEY_MAX + 4], key[IDEMPOTENCY_KEY_MAX + 1];

    memset(header, 'k', sizeof header);
    header[IDEMPOTENCY_KEY_MAX] = '\0';
    EXPECT(idempotency_key_read(header, key));
    EXPECT_INT((long long)strlen(key), IDEMPOTENCY_KEY_MAX);
    header[IDEMPOTENCY_KEY_MAX] = 'k';
    header[IDEMPOTENCY_KEY_MAX + 1] = '\0';
    EXPECT(!idempotency_key_read(header, key));

    header[0] = header[IDEMPOTENCY_KEY_MAX + 1] = '"';
    header[IDEMPOTENCY_KEY_MAX + 2] = '\0';
    EXPECT(idempotency_key_read(header, key));
    EXPECT_INT((long long)strlen(key), IDEMPOTENCY_KEY_MAX);
    header[IDEMPOTENCY_KEY_MAX + 1] = 'k';
    header[IDEMPOTENCY_KEY_MAX + 2] = '"';
    header[IDEMPOTENCY_KEY_MAX + 3] = '\0';
    EXPECT(!idempotency_key_read(header, key));
}

static const struct {
    const char *authorization, *token;
} tokens[] = {
    {"Bearer secret", "secret"},
    {"bearer secret", "secret"},
    {"BEARER   secret", "secret"},
    {"Bearer ", ""}, /* an empty token, which fits nowhere */
    {NULL, NULL},
    {"", NULL},
    {"Bearer", NULL},
    {"Bearersecret", NULL},
    {"Basic c2VjcmV0", NULL},
    {" Bearer secret", NULL},
    {"secret", NULL},
};

TEST(a_token_follows_the_word_bearer)
{
    for (size_t i = 0; i < COUNT(tokens); i++)
        EXPECT_STR(bearer_token(tokens[i].authorization), tokens[i].token);
}
