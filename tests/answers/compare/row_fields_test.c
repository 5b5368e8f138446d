#include "answers/compare/row_fields.h"

#include "common/cleanup.h"
#include "tests/test.h"

static void expect_names(const char *text, const char *expected)
{
    struct row_fields_asked asked;
    char line[400] = "";
    struct error err = {0};

    EXPECT(row_fields_read("fields", text, &asked, &err));
    EXPECT_STR(err.message, "");
    for (const char *const *name = asked.names; *name; name++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", *line ? "," : "",
                 *name);
    EXPECT_STR(line, expected);
}

TEST(a_list_is_put_in_the_order_of_a_row_with_its_id)
{
    expect_names("rank", "id,rank");
    expect_names("job,rank,job,id", "id,rank,job");
    expect_names("price,why_no_price", "id,price,why_no_price");
}

TEST(all_is_all_and_none_is_the_usual_ones)
{
    struct row_fields_asked all, mixed, usual;
    size_t count = 0, usual_count = 0;

    EXPECT(row_fields_read("fields", "all", &all, NULL));
    EXPECT(row_fields_read("fields", NULL, &usual, NULL));
    EXPECT(row_fields_read("fields", "stratum,all", &mixed, NULL));
    for (const struct row_field *field = row_fields; field->name; field++) {
        EXPECT(mixed.names[count] == field->name);
        EXPECT(all.names[count++] == field->name);
        if (field->is_usual)
            EXPECT(usual.names[usual_count++] == field->name);
    }
    EXPECT(!all.names[count] && !usual.names[usual_count]);
    EXPECT(usual_count < count);
}

TEST(what_is_no_member_is_refused_with_what_is_near)
{
    static const struct {
        const char *text, *near;
    } wrong[] = {{"", "of 42 are"},      {"ranks", "are rank, "},    {"id,", "of 42 are"},
                 {",id", "of 42 are"},   {"id,,rank", "of 42 are"},  {"all,", "of 42 are"},
                 {"id,prices", "price"}, {"id,rank ", "are rank, "}, {"ID", "of 42 are"}};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct row_fields_asked asked;
        struct error err = {0};

        EXPECT(!row_fields_read("fields", wrong[i].text, &asked, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT_STR(err.field, "fields");
        if (!strstr(err.message, wrong[i].near))
            EXPECT_STR(err.message, wrong[i].near);
    }
}
