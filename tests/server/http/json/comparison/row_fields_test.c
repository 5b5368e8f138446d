#include "server/http/json/comparison/row_fields.h"

#include "server/http/api/comparison.h"
#include "tests/test.h"

static void expect_names(const char *text, const char *expected)
{
    struct row_fields_asked asked;
    char line[400] = "";

    EXPECT_OK(row_fields_read("fields", text, &asked, &err));
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
    expect_names("prices_per_hour", "id,prices_per_hour"); /* and no price */
}

/* What clients may choose, in words: the description of the parameter names the rest. */
TEST(all_is_all_and_none_is_what_is_not_on_request)
{
    struct row_fields_asked all, mixed, usual;
    char left_out[400] = "";
    size_t count, used = 0;

    EXPECT(row_fields_read("fields", "all", &all, NULL));
    EXPECT(row_fields_read("fields", NULL, &usual, NULL));
    EXPECT(row_fields_read("fields", "stratum,all", &mixed, NULL));
    for (count = 0; all.names[count]; count++) {
        EXPECT_STR(all.names[count], row_field_name(count));
        EXPECT_STR(mixed.names[count], all.names[count]);
        if (usual.names[used] && strcmp(usual.names[used], all.names[count]) == 0)
            used++;
        else
            snprintf(left_out + strlen(left_out), sizeof left_out - strlen(left_out), "%s%s",
                     *left_out ? ", " : ": ", all.names[count]);
    }
    snprintf(left_out + strlen(left_out), sizeof left_out - strlen(left_out), ".");
    EXPECT(!usual.names[used] && used < count && count < ROW_FIELDS_MAX - 1);
    EXPECT_STR(row_field_name(count), "all");
    EXPECT(!row_field_name(count + 1) && !mixed.names[count]);
    EXPECT_PART(comparison_list_parameters.parts[1].rows[0].meaning, left_out);
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

        EXPECT_WRONG_SAYS(row_fields_read("fields", wrong[i].text, &asked, &err), "fields",
                          wrong[i].near);
    }
}
