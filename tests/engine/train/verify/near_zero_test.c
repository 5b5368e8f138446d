#include "engine/train/verify/near_zero.h"

#include "tests/test.h"

/* What is left of `difference`; *ret_units as near_zero_left(). */
static double left_of(const char *listed, double difference, int *ret_units)
{
    AUTO(json_decrefp) json_t *json = json_loads(listed, 0, NULL);

    EXPECT(json);
    return near_zero_left(json, difference, ret_units);
}

TEST(a_difference_is_excused_by_what_a_unit_changes_and_by_nothing_else)
{
    const char *const unit = "[{\"input\": 3e-7, \"changes\": 0.25}]";
    static const struct {
        double difference, left;
        int units;
    } rows[] = {
        {0.25, 0, 1},   {0.26, 0.01, 1}, {0.1, 0.1, 0}, {-0.25, -0.25, 0},
        {0.5, 0.25, 1}, {0.2, -0.05, 1}, {0, 0, 0},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        int units;

        EXPECT_NEAR(left_of(unit, rows[i].difference, &units), rows[i].left, 1e-12);
        EXPECT_INT(units, rows[i].units);
    }
}

TEST(units_are_combined_where_that_leaves_less)
{
    const char *const units =
        "[{\"input\": 0, \"changes\": 1}, {\"input\": -2e-6, \"changes\": -3},"
        " {\"input\": 4e-6, \"changes\": 7}]";
    int count;

    EXPECT_NEAR(left_of(units, 5.1, &count), 0.1, 1e-12);
    EXPECT_INT(count, 3);
    EXPECT_NEAR(left_of(units, -2, &count), 0, 1e-12);
    EXPECT_INT(count, 2);
    EXPECT_NEAR(left_of(units, -3.25, &count), -0.25, 1e-12);
    EXPECT_INT(count, 1);
}

TEST(a_unit_that_is_not_near_zero_excuses_nothing)
{
    int units;

    EXPECT_NEAR(left_of("[{\"input\": 3.1e-5, \"changes\": 2}]", 2, &units), 2, 0);
    EXPECT_NEAR(left_of("[{\"input\": -3.1e-5, \"changes\": 2}]", 2, &units), 2, 0);
    EXPECT_INT(units, 0);
    EXPECT_NEAR(left_of("[{\"input\": -2.9e-5, \"changes\": 2}]", 2, &units), 0, 0);
    EXPECT_INT(units, 1);
}

TEST(what_is_no_list_of_units_excuses_nothing)
{
    static const char *const lists[] = {"[]",
                                        "{}",
                                        "[1, null, \"x\"]",
                                        "[{}]",
                                        "[{\"changes\": 2}]",
                                        "[{\"input\": 0}]",
                                        "[{\"input\": \"0\", \"changes\": 2}]",
                                        "[{\"input\": 0, \"changes\": [2]}]"};
    int units = 7;

    for (size_t i = 0; i < COUNT(lists); i++) {
        EXPECT_NEAR(left_of(lists[i], 2, &units), 2, 0);
        EXPECT_INT(units, 0);
    }
    EXPECT_NEAR(near_zero_left(NULL, 2, &units), 2, 0);
}

TEST(more_units_than_there_is_room_for_are_not_tried)
{
    char text[64 * (NEAR_ZERO_MAX + 2)] = "[";
    size_t length = 1;
    int units;

    for (int i = 0; i <= NEAR_ZERO_MAX; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%s{\"input\": 0, \"changes\": 1}", i ? "," : "");
    snprintf(text + length, sizeof text - length, "]");
    EXPECT_NEAR(left_of(text, NEAR_ZERO_MAX + 1, &units), 1, 1e-12);
    EXPECT_INT(units, NEAR_ZERO_MAX);
}
