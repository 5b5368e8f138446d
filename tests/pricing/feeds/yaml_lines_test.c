/* The lines of a YAML document, however it arrives. */
#include "pricing/feeds/yaml_lines.h"

#include "common/bytes.h"
#include "tests/test.h"

struct heard {
    struct bytes
        text; /* "indent|key|value;", with a '!' behind the indent where there are tabs */
    int lines, stop_after;
};

static bool hear(void *user, const struct yaml_line *line, struct error *err)
{
    struct heard *heard = user;

    EXPECT(bytes_printf(&heard->text, "%zu%s|%s|%s;", line->indent, line->tabbed ? "!" : "",
                        line->key, line->value));
    return ++heard->lines != heard->stop_after ||
           error_set(err, ERROR_UPSTREAM, NULL, "heard enough");
}

/* Reads `length` bytes in pieces; the caller frees what was heard. */
static bool feed(const char *text, size_t length, size_t piece, struct heard *heard,
                 struct error *err)
{
    AUTO(freep) struct yaml_lines *lines = calloc(1, sizeof *lines);

    *heard = (struct heard){.text = {.limit = 10000}, .stop_after = heard->stop_after};
    EXPECT(bytes_add(&heard->text, "", 0));
    lines->line = hear;
    lines->user = heard;
    for (size_t at = 0; at < length; at += piece)
        if (!yaml_lines_feed(lines, text + at, piece < length - at ? piece : length - at, err))
            return false;
    return yaml_lines_end(lines, err);
}

TEST(lines_are_keys_with_or_without_a_value)
{
    EACH(struct pair, document, {"", ""}, {"a:\n", "0|a|;"}, {"a: 1\n", "0|a|1;"},
         {"a:\n  b-c_D.9:   some text  \n    d: 1\n", "0|a|;2|b-c_D.9|some text;4|d|1;"},
         {"\n   \n# a: 1\n  # b: 2\n\t\n", ""}, {"a: 1\r\n", "0|a|1;"}, {"\ta: 1\n", "0!|a|1;"},
         {"  \t a:\n", "2!|a|;"},
         {"---\n- a: 1\n\"a\": 1\na:1\na : 1\n: 1\nword\n{}\n",
          "0||;0||;0||;0||;0||;0||;0||;0||;"},
         {"a: b: c\n", "0|a|b: c;"},
         {"url: https://example.com # where\n", "0|url|https://example.com # where;"})
        for (size_t piece = 1; piece < 40; piece += 3) {
            struct heard heard = {.lines = 0};

            EXPECT_OK(feed(document.given, strlen(document.given), piece, &heard, &err));
            EXPECT_STR(heard.text.data, document.wanted);
            bytes_free(&heard.text);
        }
}

TEST(a_line_with_a_nul_says_nothing)
{
    static const char text[] = "a: 1\0 2\n\0a: 1\nb: 3\0\n";
    struct heard heard = {.lines = 0};

    EXPECT(feed(text, sizeof text - 1, 100, &heard, NULL));
    EXPECT_STR(heard.text.data, "0||;0||;0||;");
    bytes_free(&heard.text);
}

TEST(a_document_that_ends_within_a_line_is_cut_off)
{
    struct heard heard = {.lines = 0};

    EXPECT_ERROR(feed("hour: 4.8\nhour: 4.8", 19, 100, &heard, &err), ERROR_UPSTREAM);
    EXPECT_STR(heard.text.data, "0|hour|4.8;");
    bytes_free(&heard.text);
}

TEST(lines_are_bounded)
{
    AUTO(freep) char *text = malloc(YAML_LINE_MAX + 2);

    memset(text, 'a', YAML_LINE_MAX + 2);
    for (size_t longer = 0; longer < 2; longer++)
        for (size_t piece = 1000; piece < 6000; piece += 4000) {
            struct heard heard = {.lines = 0};
            struct error err = {0};

            text[YAML_LINE_MAX] = longer ? 'a' : '\n';
            text[YAML_LINE_MAX + 1] = '\n';
            EXPECT_INT(feed(text, YAML_LINE_MAX + 1 + longer, piece, &heard, &err), !longer);
            EXPECT_STR(err.message, longer ? "a line is longer than 4096 bytes" : "");
            bytes_free(&heard.text);
        }
}

TEST(the_caller_may_stop_the_reading)
{
    struct heard heard = {.stop_after = 2};

    EXPECT_MESSAGE(feed("a:\nb:\nc:\n", 9, 100, &heard, &err), "heard enough");
    EXPECT_STR(heard.text.data, "0|a|;0|b|;");
    bytes_free(&heard.text);
}
