#include "server/http/json/markdown_text.h"

#include "tests/test.h"

static const struct {
    const char *words, *plain, *code;
} cases[] = {
    {"", "", "``"},
    {"c7i.large", "c7i.large", "`c7i.large`"},
    {"a|b", "a\\|b", "`a'b`"},
    {"a\nb\x7f", "a b ", "`a b `"},
    {"**now**", "\\*\\*now\\*\\*", "`**now**`"},
    {"<img src=x>", "\\<img src=x\\>", "`<img src=x>`"},
    {"[a](http://b)", "\\[a\\](http\\://b)", "`[a](http://b)`"},
    {"![a]", "\\!\\[a\\]", "`![a]`"},
    {"@all #1 &lt;", "\\@all \\#1 \\&lt;", "`@all #1 &lt;`"},
    {"`id` ~x~ a_b", "\\`id\\` \\~x\\~ a\\_b", "`'id' ~x~ a_b`"},
    {"a\\", "a\\\\", "`a\\`"},
    {"1: 2", "1: 2", "`1: 2`"},
};

TEST(names_stay_names)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO(bytes_free) struct bytes plain = {.limit = 100}, code = {.limit = 100};

        EXPECT(markdown_add_plain(&plain, cases[i].words) && bytes_add(&plain, "", 1));
        EXPECT(markdown_add_code(&code, cases[i].words) && bytes_add(&code, "", 1));
        EXPECT_STR(plain.data, cases[i].plain);
        EXPECT_STR(code.data, cases[i].code);
    }
}

TEST(what_does_not_fit_fails)
{
    AUTO(bytes_free) struct bytes text = {.limit = 3};

    EXPECT(!markdown_add_plain(&text, "****"));
    EXPECT(!markdown_add_code(&text, "****"));
}
