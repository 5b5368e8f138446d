#include "common/json_writer.h"

#include "tests/test.h"

#include <limits.h>
#include <math.h>

static json_t *parse(const struct bytes *bytes)
{
    json_error_t why;
    json_t *json =
        json_loadb(bytes->data, bytes->used, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &why);

    if (!json)
        fprintf(stderr, "%s in %s\n", why.text, bytes->data);
    return json;
}

TEST(objects_and_arrays_are_separated_by_commas)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 1000};
    struct json_writer out = {.bytes = &bytes};

    jsonw_open(&out, NULL, '{');
    jsonw_text(&out, "a", "b");
    jsonw_open(&out, "list", '[');
    jsonw_integer(&out, NULL, 1);
    jsonw_open(&out, NULL, '{');
    jsonw_close(&out, '}');
    jsonw_open(&out, NULL, '[');
    jsonw_close(&out, ']');
    jsonw_null(&out, NULL);
    jsonw_close(&out, ']');
    jsonw_bool(&out, "yes", true);
    jsonw_bool(&out, "no", false);
    jsonw_raw(&out, "spec", "{\"x\":[1]}");
    jsonw_text(&out, "none", NULL);
    jsonw_close(&out, '}');
    EXPECT(!out.failed);
    EXPECT_STR(bytes.data, "{\"a\":\"b\",\"list\":[1,{},[],null],\"yes\":true,\"no\":false,"
                           "\"spec\":{\"x\":[1]},\"none\":null}");
}

static const char *const texts[] = {
    "",
    "plain",
    "\"quoted\"",
    "back\\slash",
    "\\\"",
    "line\nbreak\r\ttab",
    "\001\002\037\177",
    "</script>",
    "\303\274ber \342\202\254 \360\237\232\200",
    "ends with \"",
};

TEST(text_comes_back_as_it_was)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        AUTO(bytes_free) struct bytes bytes = {.limit = 1000};
        struct json_writer out = {.bytes = &bytes};

        jsonw_open(&out, NULL, '{');
        jsonw_text(&out, texts[i], texts[i]); /* keys are quoted the same way */
        jsonw_close(&out, '}');

        AUTO(json_decrefp) json_t *json = parse(&bytes);
        EXPECT_STR(json_string_value(json_object_get(json, texts[i])), texts[i]);
    }
}

/* A text of x with one other byte in it. */
static void write_with(char byte, size_t place, size_t length, bool stored, struct bytes *bytes)
{
    struct json_writer out = {.bytes = bytes, .stored = stored};
    char text[32];

    memset(text, 'x', length);
    text[place] = byte;
    text[length] = '\0';
    jsonw_text(&out, NULL, text);
    EXPECT_INT(out.failed, stored && (unsigned char)byte >= 0x80);
}

/* Texts are looked at in pieces of eight bytes. */
TEST(a_byte_is_escaped_at_any_place)
{
    static const char bytes_near[] = "\001\037 !\"#[\\]~\177\200\377";

    for (size_t length = 1; length < 20; length++)
        for (size_t place = 0; place < length; place++)
            for (const char *byte = bytes_near; *byte; byte++) {
                AUTO(bytes_free) struct bytes bytes = {.limit = 100}, stored = {.limit = 100};
                bool is_control = (unsigned char)*byte < 0x20;
                char escaped[8], expected[64];

                snprintf(escaped, sizeof escaped,
                         is_control                      ? "\\u%04x"
                         : strchr("\"\\", *byte) != NULL ? "\\%c"
                                                         : "%c",
                         *byte);
                snprintf(expected, sizeof expected, "\"%.*s%s%.*s\"", (int)place,
                         "xxxxxxxxxxxxxxxxxxxx", escaped, (int)(length - place - 1),
                         "xxxxxxxxxxxxxxxxxxxx");
                write_with(*byte, place, length, false, &bytes);
                EXPECT_STR(bytes.data, expected);
                write_with(*byte, place, length, true, &stored);
                if (!is_control && (unsigned char)*byte < 0x80)
                    EXPECT_STR(stored.data, expected);
            }
}

/* How a number is written is in json_number_test.c. */
TEST(short_numbers_stay_short)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 1000};
    struct json_writer out = {.bytes = &bytes};

    jsonw_open(&out, NULL, '[');
    jsonw_number(&out, NULL, 0.1);
    jsonw_number(&out, NULL, 250);
    jsonw_number(&out, NULL, 0.123456789012345);
    jsonw_number(&out, NULL, 0.1 + 0.2);
    jsonw_integer(&out, NULL, LLONG_MIN);
    jsonw_integer(&out, NULL, LLONG_MAX);
    jsonw_close(&out, ']');
    EXPECT_STR(bytes.data, "[0.1,250,0.123456789012345,0.30000000000000004,"
                           "-9223372036854775808,9223372036854775807]");
}

TEST(a_value_that_is_not_a_number_is_null)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 1000};
    struct json_writer out = {.bytes = &bytes};

    jsonw_open(&out, NULL, '[');
    jsonw_number(&out, NULL, (double)NAN);
    jsonw_number(&out, NULL, (double)INFINITY);
    jsonw_number(&out, NULL, -(double)INFINITY);
    jsonw_close(&out, ']');
    EXPECT_STR(bytes.data, "[null,null,null]");
}

TEST(a_time_is_written_in_utc_and_none_is_null)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 1000};
    struct json_writer out = {.bytes = &bytes};

    jsonw_open(&out, NULL, '{');
    jsonw_time(&out, "then", 1767323045678901);
    jsonw_time(&out, "never", 0);
    jsonw_close(&out, '}');
    EXPECT_STR(bytes.data, "{\"then\":\"2026-01-02T03:04:05.678Z\",\"never\":null}");
}

TEST(after_an_overflow_the_writer_stays_failed)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 10};
    struct json_writer out = {.bytes = &bytes};

    jsonw_text(&out, NULL, "12345");
    EXPECT(!out.failed);
    jsonw_text(&out, NULL, "far too long for what is left");
    EXPECT(out.failed);
    jsonw_integer(&out, NULL, 1);
    EXPECT(out.failed); /* a later value that would fit does not heal it */
    EXPECT(bytes.used <= bytes.limit);
}

TEST(only_the_members_that_are_asked_for_are_written)
{
    static const char *const names[] = {"a", "c", NULL};
    AUTO(bytes_free) struct bytes bytes = {.limit = 1000};
    struct json_writer out = {.bytes = &bytes};

    jsonw_open(&out, NULL, '{');
    jsonw_open(&out, "b", '[');
    out.only = names;
    out.only_depth = out.depth + 1;
    for (int i = 0; i < 2; i++) {
        jsonw_open(&out, NULL, '{');
        jsonw_integer(&out, "a", i);
        jsonw_open(&out, "b", '{');
        jsonw_text(&out, "a", "deeper");
        jsonw_open(&out, "list", '[');
        jsonw_null(&out, NULL);
        jsonw_close(&out, ']');
        jsonw_close(&out, '}');
        jsonw_open(&out, "c", '{');
        jsonw_bool(&out, "b", true);
        jsonw_close(&out, '}');
        jsonw_number(&out, "d", 0.5);
        jsonw_close(&out, '}');
    }
    out.only = NULL;
    jsonw_close(&out, ']');
    jsonw_raw(&out, "d", "1");
    jsonw_close(&out, '}');
    EXPECT_STR(bytes.data,
               "{\"b\":[{\"a\":0,\"c\":{\"b\":true}},{\"a\":1,\"c\":{\"b\":true}}],\"d\":1}");
    EXPECT_INT(out.depth, 0);
}
