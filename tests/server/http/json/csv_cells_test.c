#include "server/http/json/csv_cells.h"

#include "tests/test.h"

#include <math.h>

struct lamp {
    const char *name;
    double watts, low, high;
    long long hours;
    bool is_on;
};

static void write_colours(struct json_writer *out, const struct member *row, const void *object)
{
    (void)object;
    jsonw_raw(out, row->name, "[\"red\",\"green\"]");
}

static void write_years(struct json_writer *out, const struct member *row, const void *object)
{
    (void)object;
    jsonw_raw(out, row->name, "[{\"year\":7,\"low\":0.5},{\"year\":30,\"low\":2}]");
}

static const struct member power_rows[] = {
    {MEMBER_AS(struct lamp, "value", watts)},
    {MEMBER(struct lamp, low), .nullable = true},
    {MEMBER(struct lamp, high), .nullable = true},
    {0},
};
static const struct members power_members = {.rows = power_rows};

static const struct member rows[] = {
    {MEMBER(struct lamp, name), .nullable = true},
    {MEMBER_GROUP("power", &power_members)},
    {MEMBER(struct lamp, hours)},
    {MEMBER(struct lamp, is_on)},
    {MEMBER_WRITTEN("colours", MEMBER_LIST, write_colours)},
    {MEMBER_WRITTEN("years", MEMBER_LIST, write_years)},
    {0},
};
static const struct members members = {.rows = rows};

static const char columns[] =
    "name power*=watts power.value hours is_on colours years.30.low years.90.low=none";

TEST(columns_have_the_name_of_their_place_or_their_own)
{
    AUTO(bytes_free) struct bytes text = {.limit = 1000};

    EXPECT(csv_add_head(&text, columns));
    EXPECT_STR(text.data, "name,watts,watts_low,watts_high,power_value,hours,is_on,colours,"
                          "years_30_low,none\r\n");
}

TEST(cells_have_the_values_of_the_json_and_what_is_null_is_empty)
{
    const struct lamp lamp = {
        .name = "a \"b\", c", .watts = 2.5, .low = 2, .high = 3, .hours = 12};
    AUTO(bytes_free) struct bytes text = {.limit = 1000}, other = {.limit = 1000};

    EXPECT(csv_add_line(&text, columns, &members, &lamp));
    EXPECT_STR(text.data, "\"a \"\"b\"\", c\",2.5,2,3,2.5,12,false,\"red; green\",2,\r\n");
    EXPECT(csv_add_line(&other, columns, &members,
                        &(struct lamp){.watts = 1, .low = NAN, .high = NAN, .is_on = true}));
    EXPECT_STR(other.data, ",1,,,1,0,true,\"red; green\",2,\r\n");
}

TEST(a_whole_number_keeps_all_its_digits)
{
    AUTO(bytes_free) struct bytes text = {.limit = 100};

    EXPECT(csv_add_line(&text, "hours", &members, &(struct lamp){.hours = 1234567890123}));
    EXPECT_STR(text.data, "1234567890123\r\n");
}

TEST(no_text_is_a_formula)
{
    const char *const traps[] = {"=1", "+1", "-1", "@a", "\t=1", "\r=1"};

    for (size_t i = 0; i < COUNT(traps); i++) {
        AUTO(bytes_free) struct bytes text = {.limit = 100};

        EXPECT(csv_add_line(&text, "name", &members, &(struct lamp){.name = traps[i]}));
        EXPECT(strncmp(text.data, "\"'", 2) == 0);
    }
}

TEST(a_line_that_does_not_fit_is_refused)
{
    AUTO(bytes_free) struct bytes text = {.limit = 20}, little = {.limit = 60};

    EXPECT(!csv_add_head(&text, columns));
    EXPECT(!csv_add_line(&text, columns, &members, &(struct lamp){.name = "a"}));
    EXPECT(bytes_add(&little, "x", 1));
    EXPECT(csv_add_line(&little, columns, &members, &(struct lamp){.name = "a"}));
    EXPECT(!csv_add_line(&little, columns, &members,
                         &(struct lamp){.name = "a name that is longer than what is left"}));
}
