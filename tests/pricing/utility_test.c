#include "pricing/utility.h"

#include "tests/test.h"

#include <math.h>

static const char *const fields[] = {"hours", "dollars", "samples_per_dollar", "unknown", NULL};
static const double values[] = {5, 3, 1000, NAN};

static double value_of(const char *text)
{
    struct utility utility;
    struct error err = {0};

    if (!utility_read(text, fields, &utility, &err)) {
        fprintf(stderr, "%s: %s\n", text, err.message);
        return NAN;
    }
    return utility_value(&utility, values);
}

/* The message of what is refused. */
static const char *why_not(const char *text)
{
    static struct error err;
    struct utility utility = {.count = 77};

    error_clear(&err);
    EXPECT(!utility_read(text, fields, &utility, &err));
    EXPECT(utility.count == 77);
    EXPECT_HAS(err, (kind, ERROR_INVALID), (field, "utility"));
    EXPECT(strstr(err.message, "at character ") == err.message);
    return err.message;
}

TEST(operators_have_their_usual_precedence)
{
    EXPECT_NEAR(value_of("1 + 2 * 3"), 7, 0);
    EXPECT_NEAR(value_of("(1 + 2) * 3"), 9, 0);
    EXPECT_NEAR(value_of("2 * 3 + 4 * 5"), 26, 0);
    EXPECT_NEAR(value_of("12 / 4 + 1"), 4, 0);
    EXPECT_NEAR(value_of("\t1\n+ 1 "), 2, 0);
}

TEST(equals_are_done_from_left_to_right)
{
    EXPECT_NEAR(value_of("10 - 4 - 3"), 3, 0);
    EXPECT_NEAR(value_of("100 / 10 / 5"), 2, 0);
    EXPECT_NEAR(value_of("12 / 4 * 3"), 9, 0);
    EXPECT_NEAR(value_of("10 - 4 + 3"), 9, 0);
}

TEST(a_sign_belongs_to_what_follows)
{
    EXPECT_NEAR(value_of("-2 * 3"), -6, 0);
    EXPECT_NEAR(value_of("2 * -3"), -6, 0);
    EXPECT_NEAR(value_of("1 - -2"), 3, 0);
    EXPECT_NEAR(value_of("-(1 + 2)"), -3, 0);
    EXPECT_NEAR(value_of("--+-hours"), -5, 0);
    EXPECT_NEAR(value_of("-hours + 1"), -4, 0);
}

TEST(fields_have_the_values_of_the_row)
{
    EXPECT_NEAR(value_of("samples_per_dollar * min(1, 10 / hours)"), 1000, 0);
    EXPECT_NEAR(value_of("samples_per_dollar * min(1, 1 / hours)"), 200, 1e-12);
    EXPECT_NEAR(value_of("hours*dollars"), 15, 0);
}

TEST(numbers_are_decimal)
{
    EXPECT_NEAR(value_of("1.5"), 1.5, 0);
    EXPECT_NEAR(value_of(".5"), 0.5, 0);
    EXPECT_NEAR(value_of("2."), 2, 0);
    EXPECT_NEAR(value_of("1e3"), 1000, 0);
    EXPECT_NEAR(value_of("1.5E-3+1"), 1.0015, 1e-15);
    EXPECT_NEAR(value_of("007"), 7, 0);
}

TEST(the_smallest_and_the_largest_of_any_number)
{
    EXPECT_NEAR(value_of("min(3)"), 3, 0);
    EXPECT_NEAR(value_of("min(3, 1, 2)"), 1, 0);
    EXPECT_NEAR(value_of("max(3, 1, 2, 7, -9)"), 7, 0);
    EXPECT_NEAR(value_of("max(min(1, 2), min(3, 4) * 2)"), 6, 0);
    EXPECT_NEAR(value_of("log(max(1, hours)) "), log(5), 1e-15);
    EXPECT_NEAR(value_of("min(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,"
                         "25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,-40)"),
                -40, 0);
}

TEST(a_value_that_is_not_finite_is_unknown)
{
    EACH_TEXT(text, "log(-1)", "log(0)", "1 / 0", "0 / 0", "1 / (hours - 5)", "1e308 * 10",
              "unknown", "unknown * 0", "min(1, unknown)", "min(unknown, 1)", "max(1, unknown)",
              "max(unknown, 1)",
              "min(1, 10 / (hours - 5))", /* not 1: nothing is divided by nothing */
              "1 / (1 / (hours - 5))", "1 / log(hours - 5)") {
        struct utility utility;

        EXPECT(utility_read(text, fields, &utility, NULL));
        EXPECT(isnan(utility_value(&utility, values)));
    }
    const struct utility nothing = {0};
    EXPECT(isnan(utility_value(&nothing, values)));
}

TEST(an_unknown_field_is_refused_with_its_place_and_the_known_fields)
{
    EXPECT_STR(why_not("hours + speed * 2"),
               "at character 9: no field \"speed\"; there are hours, dollars, "
               "samples_per_dollar, unknown");
    EXPECT_PART(why_not("hour"), "no field \"hour\"");
    EXPECT_PART(why_not("hours2"), "no field \"hours2\"");
    EXPECT_PART(why_not("Hours"), "no field \"Hours\"");
    EXPECT_PART(why_not("inf"), "no field \"inf\"");
    EXPECT_PART(why_not("1 - nan"), "character 5: no field \"nan\"");
    EXPECT_PART(why_not("min"), "no field \"min\"");
}

TEST(many_fields_are_named_as_far_as_there_is_room)
{
    static const char *const many[] = {"a_field_with_a_rather_long_name_1",
                                       "a_field_with_a_rather_long_name_2",
                                       "a_field_with_a_rather_long_name_3",
                                       "a_field_with_a_rather_long_name_4",
                                       "a_field_with_a_rather_long_name_5",
                                       "a_field_with_a_rather_long_name_6",
                                       NULL};
    static const char *const none[] = {NULL};
    struct utility utility;
    struct error full = {0};

    EXPECT(!utility_read("an_unknown_one_with_a_name_that_never_ends", many, &utility, &full));
    size_t length = strlen(full.message);
    EXPECT(strstr(full.message, "a_rather_long_name_4, ...") == full.message + length - 25);
    EXPECT_MESSAGE(utility_read("x", none, &utility, &err),
                   "at character 1: no field \"x\"; there are none");
}

TEST(an_error_in_a_formula_has_its_place)
{
    EACH(struct pair, row,
         {"", "character 1: a number, a field, a function or '(' was expected, and the formula"},
         {"   ", "character 4: "}, {"1 +", "character 4: "},
         {"* 2", "character 1: a number, a field, a function or '(' was expected, not '*'"},
         {"1 2", "character 3: an operator or the end was expected, not '2'"},
         {"hours dollars", "character 7: an operator or the end"},
         {"(1", "character 3: an operator or ')' was expected"},
         {"1)", "character 2: an operator or the end was expected, not ')'"},
         {"()", "character 2: "}, {"min()", "character 5: "}, {"min(1,)", "character 7: "},
         {"min(1 2)", "character 7: ',' or ')' was expected, not '2'"},
         {"log(1, 2)", "character 6: ')' was expected, not ','"},
         {"sin(1)", "character 1: no function \"sin\"; there are min, max, log"},
         {"hours(1)", "character 1: no function \"hours\""}, {"0x10", "character 2: "},
         {"1e", "character 2: "}, {"1e+", "character 2: "},
         {".", "character 1: a digit was expected"}, {"1.2.3", "character 4: "},
         {"1,5", "character 2: "}, {"1e999", "character 1: the number is not one"},
         {"1 ^ 2", "character 3: "}, {"hours; drop", "character 6: "},
         {"1 + \xc3\xa4", "character 5: "}, {"2(3)", "character 2: "})
        EXPECT_PART(why_not(row.given), row.wanted);
}

/* `times` times the one, then the middle, then as many times the other. */
static const char *around(const char *before, const char *middle, const char *after, size_t times)
{
    static char text[4 * UTILITY_TEXT_MAX];
    size_t used = 0;

    for (size_t i = 0; i < times; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", before);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s", middle);
    for (size_t i = 0; i < times; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", after);
    return text;
}

TEST(too_deep_too_long_and_too_many_steps_are_refused)
{
    EXPECT_NEAR(value_of(around("(", "7", ")", UTILITY_DEPTH_MAX)), 7, 0);
    EXPECT_PART(why_not(around("(", "7", ")", UTILITY_DEPTH_MAX + 1)), "character 33: ");
    EXPECT_NEAR(value_of(around("-", "7", "", UTILITY_DEPTH_MAX)), 7, 0);
    EXPECT_PART(why_not(around("-", "7", "", UTILITY_DEPTH_MAX + 1)), "32 deep");
    EXPECT_NEAR(value_of(around("min(", "7", ")", UTILITY_DEPTH_MAX)), 7, 0);
    EXPECT_PART(why_not(around("log(", "7", ")", UTILITY_DEPTH_MAX + 1)), "32 deep");
    EXPECT_PART(why_not(around("(", "", "", 400)), "32 deep");
    /* Depth that was left again is forgotten. */
    EXPECT_NEAR(value_of(around("(-(1))+", "100", "", 40)), 60, 0);
    /* A value waits with each parenthesis, and from sixteen on two of them do. */
    EXPECT_NEAR(value_of(around("1+(", "7", ")", 31)), 38, 0);
    EXPECT_PART(why_not(around("1+(", "7", ")", 32)), "32 values wait");
    EXPECT_NEAR(value_of(around("1+2*(", "1", ")", 15)), 65535, 0);
    EXPECT_PART(why_not(around("1+2*(", "1", ")", 16)), "32 values wait");

    EXPECT_NEAR(value_of(around("1+", "1", "", 63)), 64, 0);  /* 127 steps */
    EXPECT_NEAR(value_of(around("1+", "-1", "", 63)), 62, 0); /* 128 */
    EXPECT_PART(why_not(around("1+", "1", "", 64)), "128 steps");
    EXPECT_NEAR(value_of(around(" ", "7", "", UTILITY_TEXT_MAX - 1)), 7, 0);
    EXPECT_PART(why_not(around(" ", "7", "", UTILITY_TEXT_MAX)), "longer than 512");
    EXPECT_NEAR(value_of(around("0", "7", "", UTILITY_TEXT_MAX - 1)), 7, 0);
}
