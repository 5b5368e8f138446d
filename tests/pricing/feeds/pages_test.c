#include "pricing/feeds/pages.h"

#include "tests/test.h"

TEST(every_name_leads_on_once)
{
    struct pages pages = {.count = 0};

    EXPECT_OK(pages_go_on(&pages, "", &err));
    EXPECT_OK(pages_go_on(&pages, "a", &err));
    EXPECT_OK(pages_go_on(&pages, "b", &err));
    EXPECT_ERROR(pages_go_on(&pages, "a", &err), ERROR_UPSTREAM);
}

TEST(two_hundred_pages_are_the_end)
{
    struct pages pages = {.count = 0};
    char name[20];

    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "page %d", i);
        EXPECT_OK(pages_go_on(&pages, name, &err));
    }
    EXPECT_MESSAGE(pages_go_on(&pages, "one more", &err), "it has more than 200 pages");
}

/* What a JSON value reads as; "(no)" where it fails. */
static const char *read_text(const char *json)
{
    static char text[12];
    const struct split_element element = {.json = json, .length = strlen(json)};
    struct error err = {0};

    if (pages_text(&element, text, sizeof text, &err))
        return text;
    EXPECT_INT(err.kind, ERROR_UPSTREAM);
    return "(no)";
}

TEST(a_text_is_read_with_all_its_escapes_or_not_at_all)
{
    EXPECT_STR(read_text("\"plain\""), "plain");
    EXPECT_STR(read_text("\"\""), "");
    EXPECT_STR(read_text("null"), "");
    EXPECT_STR(read_text("\"\\\"\\\\\\/\\n\\t\""), "\"\\/\n\t");
    EXPECT_STR(read_text("\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\""), "A\u00e9\u20ac\U0001f600");
    EXPECT_STR(read_text("\"12345678901\""), "12345678901");
    EXPECT_STR(read_text("\"123456789012\""), "(no)");
    EXPECT_STR(read_text("\"\\ud83d\""), "(no)");
    EXPECT_STR(read_text("\"\\ud83d\\u0041\""), "(no)");
    EXPECT_STR(read_text("\"\\ude00\""), "(no)");
    EXPECT_STR(read_text("\"\\u0000\""), "(no)");
    EXPECT_STR(read_text("\"\\u0x41\""), "(no)");
    EXPECT_STR(read_text("\"\\u00\""), "(no)");
    EXPECT_STR(read_text("\"\\\""), "(no)");
    EXPECT_STR(read_text("\"a\nb\""), "(no)");
    EXPECT_STR(read_text("\"\xff\""), "(no)");
    EXPECT_STR(read_text("7"), "(no)");
    EXPECT_STR(read_text("{}"), "(no)");
    EXPECT_STR(read_text("\"\\x\""), "(no)");
}
