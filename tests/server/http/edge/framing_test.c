#include "server/http/edge/framing.h"

#include "tests/test.h"

#include <string.h>

/* Reads a header as the library does: NULs end the names, values and lines. A folded line ends up
 * elsewhere in memory. */
static const char *fault_of(const char *sent, bool knows_places, bool is_1_1)
{
    static char memory[1000];
    static struct error err;
    struct framing framing = framing_begin(knows_places ? memory : NULL);
    size_t length = strlen(sent);
    char *line = memory;

    snprintf(memory, sizeof memory, "%s", sent);
    while (line < memory + length && *line != '\r' && *line != '\n') {
        char *end = line + strcspn(line, "\r\n"),
             *colon = memchr(line, ':', (size_t)(end - line));
        char *value = colon ? colon + 1 + strspn(colon + 1, " ") : end;
        size_t value_length = (size_t)(end - value);

        framing_field(&framing, line, (size_t)((colon ? colon : end) - line), value,
                      value_length);
        line = end + (end[0] == '\r' ? 2 : 1);
    }
    err = (struct error){0};
    return framing_check(&framing, is_1_1, memory + length, &err) ? "" : err.message;
}

#define HOST "Host: x\r\n"
#define FOLDED "a line of the header is folded, or ends without CR LF"

static const struct {
    const char *sent, *fault;
} headers[] = {
    {HOST "\r\n", ""},
    {HOST "Content-Length: 5\r\n\r\n", ""},
    {"Accept:*/*\r\n" HOST "transfer-encoding: CHUNKED\r\nx!#$%&'*+-.^_`|~9:\r\n\r\n", ""},
    {"\r\n", "Host is missing"},
    {HOST HOST "\r\n", "Host is given more than once"},
    {HOST ": x\r\n\r\n", "a header field has no name"},
    {HOST "Content-Length : 5\r\n\r\n",
     "the name of a header field has a character that none may have"},
    {HOST "a b: 5\r\n\r\n", "the name of a header field has a character that none may have"},
    {HOST "a: \x01\r\n\r\n", "a header field has control characters"},
    {HOST "a: \x7f\r\n\r\n", "a header field has control characters"},
    {HOST "Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
     "Content-Length is given more than once"},
    {HOST "Content-Length: +5\r\n\r\n", "Content-Length must be a whole number"},
    {HOST "Content-Length: 5, 5\r\n\r\n", "Content-Length must be a whole number"},
    {HOST "Content-Length:\r\n\r\n", "Content-Length must be a whole number"},
    {HOST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
     "both Content-Length and Transfer-Encoding are given"},
    {HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
     "Transfer-Encoding is given more than once"},
    {HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", "Transfer-Encoding must be chunked"},
    {HOST "Transfer-Encoding: xchunked\r\n\r\n", "Transfer-Encoding must be chunked"},
};

TEST(what_could_be_read_in_two_ways_is_refused)
{
    for (size_t i = 0; i < COUNT(headers); i++) {
        EXPECT_STR(fault_of(headers[i].sent, true, true), headers[i].fault);
        EXPECT_STR(fault_of(headers[i].sent, false, true), headers[i].fault);
    }
}

TEST(lines_that_end_without_cr_lf_are_seen_by_their_places)
{
    EXPECT_STR(fault_of(HOST "a: b\n\r\n", true, true), FOLDED);
    EXPECT_STR(fault_of("Host: x\na: b\r\n\r\n", true, true), FOLDED);
    EXPECT_STR(fault_of(HOST "a: b\r\n\n", true, true), FOLDED);
    EXPECT_STR(fault_of(HOST "a: b\n\r\n", false, true), "");
}

TEST(a_value_that_was_moved_was_folded)
{
    static const char host[] = "Host\0 x\r\n\r\n", elsewhere[] = "x";
    struct framing framing = framing_begin(host);

    framing_field(&framing, host, 4, elsewhere, 1);
    EXPECT(!framing_check(&framing, true, host + sizeof host - 1, NULL));
    framing = framing_begin(host);
    framing_field(&framing, elsewhere, 1, host, 0);
    EXPECT_MESSAGE(framing_check(&framing, true, host + sizeof host - 1, &err), FOLDED);
}

TEST(http_1_0_needs_no_host_and_has_no_codings)
{
    EXPECT_STR(fault_of("\r\n", true, false), "");
    EXPECT_STR(fault_of(HOST HOST "\r\n", true, false), "Host is given more than once");
    EXPECT_STR(fault_of("Transfer-Encoding: chunked\r\n\r\n", true, false),
               "HTTP/1.0 has no Transfer-Encoding");
}
