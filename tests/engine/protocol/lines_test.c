#include "engine/protocol/lines.h"

#include "common/bytes.h"
#include "tests/test.h"

struct heard {
    struct bytes text; /* every line in brackets */
    int lines, stop_after;
    size_t longest;
};

static bool hear(const char *line, size_t length, void *user, struct error *err)
{
    struct heard *heard = user;

    heard->longest = length > heard->longest ? length : heard->longest;
    if (length < 100)
        EXPECT(bytes_printf(&heard->text, "[%.*s]", (int)length, line));
    if (++heard->lines == heard->stop_after)
        return error_set(err, ERROR_UPSTREAM, NULL, "heard enough");
    return true;
}

static struct lines lines;
static struct heard heard;

static void begin(void)
{
    lines.used = 0;
    bytes_free(&heard.text);
    heard = (struct heard){.text = {.limit = 10000}};
    EXPECT(bytes_add(&heard.text, "", 0));
}

static bool feed(const char *text, struct error *err)
{
    return lines_feed(&lines, text, strlen(text), hear, &heard, err);
}

static const struct {
    const char *stream, *lines;
} streams[] = {
    {"", ""},
    {"a", ""},
    {"a\n", "[a]"},
    {"\n", "[]"},
    {"\n\n\n", "[][][]"},
    {"one\ntwo\n", "[one][two]"},
    {"one\ntwo", "[one]"},
    {"one\r\ntwo\n", "[one\r][two]"},
    {"\none\n", "[][one]"},
    {" spaces \n\ttabs\n", "[ spaces ][\ttabs]"},
};

/* Every stream is cut in two at every place, and into single bytes. */
TEST(how_the_pipe_cuts_the_stream_does_not_matter)
{
    for (size_t i = 0; i < COUNT(streams); i++) {
        const char *stream = streams[i].stream;
        size_t length = strlen(stream);

        for (size_t cut = 0; cut <= length; cut++) {
            begin();
            EXPECT(lines_feed(&lines, stream, cut, hear, &heard, NULL));
            EXPECT(lines_feed(&lines, stream + cut, length - cut, hear, &heard, NULL));
            EXPECT_STR(heard.text.data, streams[i].lines);
        }
        begin();
        for (size_t n = 0; n < length; n++)
            EXPECT(lines_feed(&lines, stream + n, 1, hear, &heard, NULL));
        EXPECT_STR(heard.text.data, streams[i].lines);
    }
}

TEST(what_has_no_newline_yet_is_kept)
{
    begin();
    EXPECT(feed("al", NULL));
    EXPECT_INT((long long)lines.used, 2);
    EXPECT(feed("pha", NULL));
    EXPECT_INT((long long)lines.used, 5);
    EXPECT_INT(heard.lines, 0);
    EXPECT(feed("\nbe", NULL));
    EXPECT_STR(heard.text.data, "[alpha]");
    EXPECT_INT((long long)lines.used, 2);
}

TEST(a_line_may_hold_zeros)
{
    begin();
    EXPECT(lines_feed(&lines, "a\0b\nc\n", 6, hear, &heard, NULL));
    EXPECT_INT(heard.lines, 2);
    EXPECT_INT((long long)heard.longest, 3);
}

TEST(the_longest_allowed_line_is_read)
{
    AUTO(freep) char *line = malloc(WORKER_LINE_MAX + 1);

    memset(line, 'x', WORKER_LINE_MAX);
    line[WORKER_LINE_MAX] = '\n';
    begin();
    EXPECT_OK(lines_feed(&lines, line, WORKER_LINE_MAX + 1, hear, &heard, &err));
    EXPECT_INT((long long)heard.longest, WORKER_LINE_MAX);

    begin(); /* and the same in pieces */
    EXPECT_OK(lines_feed(&lines, line, 1, hear, &heard, &err));
    EXPECT_OK(lines_feed(&lines, line, WORKER_LINE_MAX - 1, hear, &heard, &err));
    EXPECT_INT(heard.lines, 0);
    EXPECT_OK(feed("\nnext\n", &err));
    EXPECT_INT((long long)heard.longest, WORKER_LINE_MAX);
    EXPECT_STR(heard.text.data, "[next]");
}

TEST(a_longer_line_is_refused_with_or_without_its_end)
{
    static const char message[] = "the worker wrote a line over 65536 bytes";
    AUTO(freep) char *line = malloc(WORKER_LINE_MAX + 2);
    struct error whole = {0}, endless = {0}, pieces = {0};

    memset(line, 'x', WORKER_LINE_MAX + 1);
    line[WORKER_LINE_MAX + 1] = '\n';
    begin();
    EXPECT(!lines_feed(&lines, line, WORKER_LINE_MAX + 2, hear, &heard, &whole));
    EXPECT_STR(whole.message, message);
    EXPECT_INT(whole.kind, ERROR_UPSTREAM);

    begin();
    EXPECT(!lines_feed(&lines, line, WORKER_LINE_MAX + 1, hear, &heard, &endless));
    EXPECT_STR(endless.message, message);

    begin();
    EXPECT(lines_feed(&lines, line, WORKER_LINE_MAX, hear, &heard, &pieces));
    EXPECT(!feed("x", &pieces));
    EXPECT_STR(pieces.message, message);
    EXPECT_INT(heard.lines, 0);
}

TEST(a_long_stream_of_short_lines_has_no_limit)
{
    static char text[200000];

    begin();
    memset(text, '\n', sizeof text);
    heard.text.limit = sizeof text * 2;
    EXPECT(lines_feed(&lines, text, sizeof text, hear, &heard, NULL));
    EXPECT_INT(heard.lines, sizeof text);
}

TEST(the_listener_can_stop_the_feeding)
{
    struct error err = {0};

    begin();
    heard.stop_after = 2;
    EXPECT(!feed("one\ntwo\nthree\n", &err));
    EXPECT_STR(heard.text.data, "[one][two]");
    EXPECT_STR(err.message, "heard enough");
}
