#include "common/text.h"

#include "tests/test.h"

#include <jansson.h>

static const struct {
    const char *text;
    size_t length;
    bool clean;
} texts[] = {
    {"", 0, true},
    {"plain text ~", 12, true},
    {"caf\xc3\xa9 \xf0\x9f\x98\x80", 10, true},
    {"a\nb", 3, false},
    {"a\tb", 3, false},
    {"\x1f", 1, false},
    {" ", 1, true},
    {"~", 1, true},
    {"\x7f", 1, false},
    {"a\0b", 3, false},
    {"a\0b", 1, true}, /* beyond the length nothing is looked at */
    {"\xff", 1, true}, /* encoding is another question */
};

TEST(control_characters_are_not_clean)
{
    for (size_t i = 0; i < COUNT(texts); i++)
        EXPECT_INT(text_is_clean(texts[i].text, texts[i].length), texts[i].clean);
}

static const struct {
    const char *from, *to;
} repairs[] = {
    {"", ""},
    {"plain\n\ttext", "plain\n\ttext"},
    {"\r\x01\x1b[0m\x7f", "??"
                          "?[0m?"},
    {"caf\xc3\xa9", "caf\xc3\xa9"},
    {"\xe2\x82\xac", "\xe2\x82\xac"},
    {"\xf0\x9f\x98\x80!", "\xf0\x9f\x98\x80!"},
    {"\xff\xfe", "??"},
    {"\x80\xbf", "??"}, /* continuations of nothing */
    {"\xc3", "?"},      /* cut off at the end */
    {"\xe2\x82", "??"},
    {"\xf0\x9f\x98", "???"},
    {"\xc3 ", "? "}, /* cut off in the middle */
    {"\xe2\x82 x", "?? x"},
    {"\xc3\xc3\xa9", "?\xc3\xa9"},
    {"\xc0\x80", "??"}, /* overlong forms */
    {"\xc1\xbf", "??"},
    {"\xe0\x9f\xbf", "???"},
    {"\xf0\x8f\xbf\xbf", "????"},
    {"\xc2\x80", "\xc2\x80"}, /* the least and most of each length */
    {"\xdf\xbf", "\xdf\xbf"},
    {"\xe0\xa0\x80", "\xe0\xa0\x80"},
    {"\xef\xbf\xbf", "\xef\xbf\xbf"},
    {"\xf0\x90\x80\x80", "\xf0\x90\x80\x80"},
    {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},
    {"\xf4\x90\x80\x80", "????"}, /* beyond Unicode */
    {"\xf5\x80\x80\x80", "????"},
    {"\xed\x9f\xbf", "\xed\x9f\xbf"},
    {"\xed\xa0\x80", "???"}, /* halves of UTF-16 pairs */
    {"\xed\xbf\xbf", "???"},
    {"\xee\x80\x80", "\xee\x80\x80"},
};

TEST(any_bytes_become_clean_utf8)
{
    for (size_t i = 0; i < COUNT(repairs); i++) {
        char text[32];

        snprintf(text, sizeof text, "%s", repairs[i].from);
        text_make_clean(text, strlen(text));
        EXPECT_STR(text, repairs[i].to);
    }
}

TEST(a_line_has_no_breaks_tabs_or_orders_to_a_terminal)
{
    char text[] = "a\nb\tc\rd\x1b[2J\xc2\x9b"
                  "2J\xc2\xa0\xc3\xa9\xff";

    text_make_line(text, strlen(text));
    EXPECT_STR(text, "a b c?d?[2J??2J\xc2\xa0\xc3\xa9?");
    text_make_line(NULL, 0);
}

TEST(text_is_utf8_when_there_is_nothing_to_repair_but_control_characters)
{
    for (size_t i = 0; i < COUNT(repairs); i++) {
        const char *text = repairs[i].from;
        bool control = strspn(text, "\r") > 0;

        EXPECT_INT(text_is_utf8(text, strlen(text)), control || strcmp(text, repairs[i].to) == 0);
    }
    EXPECT(text_is_utf8("a\0b", 3));
    EXPECT(text_is_utf8("caf\xc3\xa9", 5));
    EXPECT(!text_is_utf8("caf\xc3\xa9", 4)); /* what lies beyond the length does not help */
    EXPECT(!text_is_utf8("a\0\xff", 3));
}

TEST(a_zero_inside_becomes_visible)
{
    char text[] = "a\0b";

    text_make_clean(text, 3);
    EXPECT_STR(text, "a?b");
}

TEST(only_the_given_length_is_touched)
{
    char text[] = "a\x01\x02";

    text_make_clean(text, 2);
    EXPECT_STR(text, "a?\x02");
    text_make_clean(NULL, 0);
}

/* The judge is jansson: it refuses to make a string of anything but UTF-8. */
TEST(every_triple_of_telling_bytes_comes_out_as_utf8)
{
    static const unsigned char bytes[] = {0x00, 0x09, 0x1f, 0x41, 0x7f, 0x80, 0x8f, 0x90,
                                          0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xe1,
                                          0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff};

    for (size_t i = 0; i < COUNT(bytes) * COUNT(bytes) * COUNT(bytes); i++) {
        char text[3] = {(char)bytes[i % COUNT(bytes)],
                        (char)bytes[i / COUNT(bytes) % COUNT(bytes)],
                        (char)bytes[i / COUNT(bytes) / COUNT(bytes)]};

        text_make_clean(text, sizeof text);
        json_t *string = json_stringn(text, sizeof text);
        EXPECT(text_is_utf8(text, sizeof text));
        EXPECT(string != NULL);
        EXPECT(memchr(text, '\0', sizeof text) == NULL);
        json_decref(string);
    }
}

TEST(a_sequence_that_the_end_cuts_off_is_dropped)
{
    static const struct {
        const char *text, *left;
    } cases[] = {{"", ""},
                 {"abc", "abc"},
                 {"a\xc3\xa9", "a\xc3\xa9"},
                 {"a\xc3", "a"},
                 {"\xc2", ""},
                 {"a\xe2\x82", "a"},
                 {"a\xe2\x82\xac", "a\xe2\x82\xac"},
                 {"a\xf0\x9f\x98", "a"},
                 {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[16];

        snprintf(text, sizeof text, "%s", cases[i].text);
        text_drop_cut_end(text);
        EXPECT_STR(text, cases[i].left);
    }
}

static size_t likeness(const char *left, const char *right)
{
    return text_likeness(left, strlen(left), right, strlen(right));
}

TEST(names_are_near_that_share_their_ends)
{
    static const struct {
        const char *name, *near, *far;
    } rows[] = {
        {"batchsize", "batch_size", "base"},       {"stpes", "steps", "samples"},
        {"c7", "c7i.large", "m7i.large"},          {"c7i.2xlrage", "c7i.2xlarge", "c7i.xlarge"},
        {"renset50", "resnet50", "mlp"},           {"max_second", "max_seconds", "max_dollars"},
        {"wramup_steps", "warmup_steps", "steps"}, {"x", "xy", "y"},
        {"--prot", "--port", "--provider"},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        EXPECT(likeness(rows[i].name, rows[i].near) > likeness(rows[i].name, rows[i].far));
    EXPECT_INT((long long)likeness("a", "b"), 0);
    EXPECT_INT((long long)likeness("", ""), 0);
    EXPECT_INT((long long)likeness("", "a"), 0);
    EXPECT(likeness("aaa", "aaa") > likeness("aaa", "aaaa")); /* no character counts twice */
    EXPECT(likeness("aa", "aaa") == likeness("aaa", "aa"));
    EXPECT(text_likeness("loss:x", 4, "losses", 4) == likeness("loss", "loss"));
}

TEST(a_copy_has_what_fits_and_an_end)
{
    char small[4] = "zzz", exact[5];

    TEXT_COPY(small, "abcdef");
    EXPECT_STR(small, "abc");
    TEXT_COPY(exact, "abcd");
    EXPECT_STR(exact, "abcd");
    TEXT_COPY(exact, "");
    EXPECT_STR(exact, "");
}
