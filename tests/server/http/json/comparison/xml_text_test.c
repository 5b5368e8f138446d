#include "server/http/json/comparison/xml_text.h"

#include "tests/test.h"

#define ALL 1000

static const struct {
    const char *text;
    size_t characters;
    const char *xml;
} texts[] = {
    {"", ALL, ""},
    {"c7i.2xlarge", ALL, "c7i.2xlarge"},
    {"</text><script>alert(1)</script>", ALL,
     "&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;"},
    {"\" onload=\"x", ALL, "&quot; onload=&quot;x"},
    {"' onload='x", ALL, "&#39; onload=&#39;x"},
    {"a & b &amp; c", ALL, "a &amp; b &amp;amp; c"},
    {"]]>", ALL, "]]&gt;"},
    {"caf\xc3\xa9 \xf0\x9f\x98\x80", ALL, "caf\xc3\xa9 \xf0\x9f\x98\x80"},
    {"a\nb\tc\rd\x01\x1b\x7f", ALL, "a?b?c?d???"}, /* XML cannot hold most of these */
    {"\xff\x80x\xc3", ALL, "??x?"},                /* no UTF-8 */
    {"\xed\xa0\x80", ALL, "???"},                  /* half of a UTF-16 pair */
    {"\xef\xbf\xbe\xef\xbf\xbf", ALL, "??"},       /* no characters */
    {"12345", 5, "12345"},
    {"123456", 5, "1234\xe2\x80\xa6"},
    {"<<<<<<", 3, "&lt;&lt;\xe2\x80\xa6"}, /* an entity is never cut */
    {"\xc3\xa9\xc3\xa9\xc3\xa9", 2, "\xc3\xa9\xe2\x80\xa6"},
    {"ab", 1, "\xe2\x80\xa6"},
    {"a", 1, "a"},
    {"\xff\xff\xff", 2, "?\xe2\x80\xa6"},
};

TEST(text_of_strangers_stays_text)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        AUTO(bytes_free) struct bytes bytes = {.limit = 4096};

        EXPECT(xml_text(&bytes, texts[i].text, texts[i].characters));
        EXPECT_STR(bytes.data ? bytes.data : "", texts[i].xml);
    }
}

TEST(a_limit_that_ends_is_told)
{
    AUTO(bytes_free) struct bytes bytes = {.limit = 4};

    EXPECT(!xml_text(&bytes, "&&", ALL));
    EXPECT(!xml_text(&(struct bytes){.limit = 1}, "ab", 1));
}
