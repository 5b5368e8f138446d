#include "common/rows/fields.h"

#include "tests/test.h"

#include <math.h>

struct thing {
    long long before, count, pause;
    const char *colour;
    char name[8 + 1];
    char after[7]; /* to the end, so that there is no padding to compare */
};

static const char *const colours[] = {"red", "green", NULL};

#define AT(member) .name = #member, .offset = offsetof(struct thing, member)
static const struct field fields[] = {
    {AT(count), .type = FIELD_INTEGER, .min = -5, .max = 10, .meaning = "How many"},
    {AT(pause), .type = FIELD_AUTO, .min = 0, .max = 60, .meaning = "How long"},
    {AT(colour), .type = FIELD_CHOICE, .choices = colours, .meaning = "What it looks like"},
    {AT(name), .type = FIELD_TEXT, .min = 2, .max = 8},
};
#undef AT

static const struct thing untouched = {-77, -77, -77, "untouched", "untouch", "after"};

static const struct field *row(const char *name)
{
    return fields_find(fields, COUNT(fields), name);
}

/* What the object holds in a field, for all types alike. */
static const char *shown(const struct field *field, const struct thing *thing)
{
    static char text[64];
    AUTO(json_decrefp) json_t *value = field_write(field, thing);

    if (json_is_string(value))
        snprintf(text, sizeof text, "'%s'", json_string_value(value));
    else
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    return text;
}

static const struct {
    const char *field, *json, *holds;
} accepted[] = {
    {"count", "-5", "-5"},
    {"count", "0", "0"},
    {"count", "10", "10"},
    {"pause", "0", "0"},
    {"pause", "60", "60"},
    {"pause", "\"auto\"", "'auto'"},
    {"colour", "\"red\"", "'red'"},
    {"colour", "\"green\"", "'green'"},
    {"name", "\"ab\"", "'ab'"},
    {"name", "\"12345678\"", "'12345678'"},
    {"name", "\"caf\xc3\xa9\"", "'caf\xc3\xa9'"},
};

TEST(a_valid_value_lands_in_its_field_and_nowhere_else)
{
    for (size_t i = 0; i < COUNT(accepted); i++) {
        AUTO(json_decrefp) json_t *value = json_loads(accepted[i].json, JSON_DECODE_ANY, NULL);
        const struct field *field = row(accepted[i].field);
        struct thing thing = untouched, expected = untouched;

        EXPECT_OK(field_read(field, value, &thing, &err));
        EXPECT_STR(shown(field, &thing), accepted[i].holds);

        /* Putting the old value back must give the old object. */
        size_t size = field->type == FIELD_TEXT ? sizeof thing.name : sizeof(long long);
        memcpy((char *)&thing + field->offset, (char *)&expected + field->offset, size);
        EXPECT(memcmp(&thing, &expected, sizeof thing) == 0);
    }
}

static const struct {
    const char *field, *json, *message;
} refused[] = {
    {"count", "-6", "must be between -5 and 10, got -6"},
    {"count", "11", "must be between -5 and 10, got 11"},
    {"count", "9223372036854775807", "must be between -5 and 10, got 9223372036854775807"},
    {"count", "-9223372036854775808", "must be between -5 and 10, got -9223372036854775808"},
    {"count", "1.5", "must be an integer, got a fraction"},
    {"count", "1e300", "must be an integer, got a fraction"},
    {"count", "9007199254740994.0", "must be an integer, got a fraction"},
    {"count", "11.0", "must be between -5 and 10, got 11"},
    {"count", "\"1\"", "must be an integer, got a string"},
    {"count", "\"auto\"", "must be an integer, got a string"},
    {"count", "true", "must be an integer, got true"},
    {"count", "false", "must be an integer, got false"},
    {"count", "null", "must be an integer, got null"},
    {"count", "[1]", "must be an integer, got an array"},
    {"count", "{}", "must be an integer, got an object"},
    {"pause", "-1", "must be between 0 and 60, got -1"}, /* FIELD_IS_AUTO from outside */
    {"pause", "61", "must be between 0 and 60, got 61"},
    {"pause", "\"Auto\"", "must be an integer or \"auto\", got a string"},
    {"pause", "\"\"", "must be an integer or \"auto\", got a string"},
    {"pause", "null", "must be an integer or \"auto\", got null"},
    {"colour", "\"blue\"", "'blue' is not supported"},
    {"colour", "\"Red\"", "'Red' is not supported"},
    {"colour", "\"re\"", "'re' is not supported"},
    {"colour", "\"\"", "'' is not supported"},
    {"colour", "\"\xc3\xa9\"",
     "'?"
     "?' is not supported"},
    {"colour", "7", "must be a string, got a number"},
    {"name", "\"a\"", "must have between 2 and 8 bytes, got 1"},
    {"name", "\"\"", "must have between 2 and 8 bytes, got 0"},
    {"name", "\"123456789\"", "must have between 2 and 8 bytes, got 9"},
    {"name", "\"1234567\xc3\xa9\"", "must have between 2 and 8 bytes, got 9"},
    {"name", "\"a\\nb\"", "must not hold control characters"},
    {"name", "\"ab\\u007f\"", "must not hold control characters"},
    {"name", "null", "must be a string, got null"},
};

TEST(a_refused_value_is_explained_and_leaves_the_object_alone)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        AUTO(json_decrefp) json_t *value = json_loads(refused[i].json, JSON_DECODE_ANY, NULL);
        struct thing thing = untouched;

        EXPECT(value != NULL);
        EXPECT_WRONG(field_read(row(refused[i].field), value, &thing, &err), refused[i].field,
                     refused[i].message);
        EXPECT(memcmp(&thing, &untouched, sizeof thing) == 0);
    }
}

static const struct {
    const char *field, *text, *holds;
} accepted_texts[] = {
    {"count", "-5", "-5"},      {"count", "7", "7"},        {"count", "007", "7"},
    {"count", "-0", "0"},       {"pause", "60", "60"},      {"pause", "auto", "'auto'"},
    {"colour", "red", "'red'"}, {"name", "auto", "'auto'"}, {"name", "a b", "'a b'"},
};

TEST(text_is_read_by_the_same_table)
{
    for (size_t i = 0; i < COUNT(accepted_texts); i++) {
        const struct field *field = row(accepted_texts[i].field);
        struct thing thing = untouched;

        EXPECT_OK(field_read_text(field, accepted_texts[i].text, &thing, &err));
        EXPECT_STR(shown(field, &thing), accepted_texts[i].holds);
        EXPECT(thing.before == -77 && strcmp(thing.after, "after") == 0);
    }
}

#define NOT_A_NUMBER "must be an integer between -5 and 10, got "
static const struct {
    const char *field, *text, *message;
} refused_texts[] = {
    {"count", "", NOT_A_NUMBER "''"},
    {"count", " 5", NOT_A_NUMBER "' 5'"},
    {"count", "5 ", NOT_A_NUMBER "'5 '"},
    {"count", "+5", NOT_A_NUMBER "'+5'"},
    {"count", "-", NOT_A_NUMBER "'-'"},
    {"count", "--5", NOT_A_NUMBER "'--5'"},
    {"count", "- 5", NOT_A_NUMBER "'- 5'"},
    {"count", "5.0", NOT_A_NUMBER "'5.0'"},
    {"count", "0x5", NOT_A_NUMBER "'0x5'"},
    {"count", "5e0", NOT_A_NUMBER "'5e0'"},
    {"count", "auto", NOT_A_NUMBER "'auto'"},
    {"count", "99999999999999999999", NOT_A_NUMBER "'99999999999999999999'"},
    {"count", "-99999999999999999999", NOT_A_NUMBER "'-99999999999999999999'"},
    {"count", "11", "must be between -5 and 10, got 11"},
    {"pause", "-1", "must be between 0 and 60, got -1"},
    {"pause", "autos", "must be an integer between 0 and 60, got 'autos'"},
    {"colour", "blue", "'blue' is not supported"},
    {"name", "a", "must have between 2 and 8 bytes, got 1"},
    {"name", "a\tb", "must not hold control characters"},
    {"name", "ab\xff", "must be UTF-8"},
    {"name", "1234567\xc3", "must be UTF-8"},
};

TEST(refused_text_is_explained_and_leaves_the_object_alone)
{
    for (size_t i = 0; i < COUNT(refused_texts); i++) {
        struct thing thing = untouched;

        EXPECT_WRONG(
            field_read_text(row(refused_texts[i].field), refused_texts[i].text, &thing, &err),
            refused_texts[i].field, refused_texts[i].message);
        EXPECT(memcmp(&thing, &untouched, sizeof thing) == 0);
    }
}

TEST(a_refusal_says_what_would_have_been_allowed)
{
    struct thing thing = untouched;
    struct error count = {0}, pause = {0}, colour = {0};

    EXPECT(!field_read_text(row("count"), "x", &thing, &count));
    EXPECT(count.allowed.ranged && !count.allowed.choices);
    EXPECT_HAS(count.allowed, (min, -5), (max, 10));
    EXPECT(!field_read_text(row("pause"), "61", &thing, &pause));
    EXPECT(pause.allowed.ranged);
    EXPECT_INT(pause.allowed.max, 60);
    EXPECT(!field_read_text(row("colour"), "x", &thing, &colour));
    EXPECT(!colour.allowed.ranged && colour.allowed.choices == colours);
}

/* Which end of a range is open depends on the type, and is said with it. */
TEST(a_refusal_says_whether_the_least_is_itself_allowed)
{
    static const struct {
        enum field_type type;
        bool zero_is_allowed;
    } types[] = {
        {FIELD_INTEGER, true}, {FIELD_AUTO, true},   {FIELD_AMOUNT, true},
        {FIELD_NUMBER, false}, {FIELD_LIMIT, false},
    };

    for (size_t i = 0; i < COUNT(types); i++) {
        const struct field field = {.name = "f", .type = types[i].type, .max = 9};
        double room[2] = {0};
        struct error zero = {0}, ten = {0};

        EXPECT_INT(field_read_text(&field, "0", room, &zero), types[i].zero_is_allowed);
        EXPECT(!field_read_text(&field, "10", room, &ten));
        EXPECT_INT(ten.allowed.above_min, !types[i].zero_is_allowed);
        EXPECT_INT(zero.allowed.above_min, !types[i].zero_is_allowed);
    }
}

/* Choices are compared by address elsewhere, so it must be the table's own word. */
TEST(a_choice_points_into_the_table)
{
    char green[] = "green";
    struct thing thing = untouched;

    EXPECT(field_read_text(row("colour"), green, &thing, NULL));
    EXPECT(thing.colour == colours[1]);
}

TEST(a_written_text_can_be_read_again)
{
    const struct thing thing = {
        .count = 3, .pause = FIELD_IS_AUTO, .colour = colours[0], .name = "a \"b\""};
    struct thing copy = untouched;

    for (size_t i = 0; i < COUNT(fields); i++) {
        AUTO(json_decrefp) json_t *value = field_write(&fields[i], &thing);

        EXPECT(value && field_read(&fields[i], value, &copy, NULL));
    }
    EXPECT_HAS(copy, (count, 3), (pause, FIELD_IS_AUTO));
    EXPECT(copy.colour == colours[0]);
    EXPECT_STR(copy.name, "a \"b\"");
}

static const struct {
    const char *field, *schema;
} schemas[] = {
    {"count",
     "{\"description\":\"How many\",\"maximum\":10,\"minimum\":-5,\"type\":\"integer\"}"},
    {"pause", "{\"description\":\"How long\",\"oneOf\":[{\"const\":\"auto\"},"
              "{\"maximum\":60,\"minimum\":0,\"type\":\"integer\"}]}"},
    {"colour", "{\"description\":\"What it looks like\",\"enum\":[\"red\",\"green\"],"
               "\"type\":\"string\"}"},
    {"name", "{\"maxLength\":8,\"minLength\":2,"
             "\"pattern\":\"^[^\\\\u0000-\\\\u001f\\\\u007f]*$\",\"type\":\"string\"}"},
};

TEST(a_field_describes_itself_as_json_schema)
{
    for (size_t i = 0; i < COUNT(schemas); i++) {
        AUTO(json_decrefp) json_t *schema = field_schema(row(schemas[i].field));
        AUTO(freep) char *text = json_dumps(schema, JSON_COMPACT | JSON_SORT_KEYS);

        EXPECT_STR(text, schemas[i].schema);
    }
}

struct amounts {
    double percent, dollars;
};

static const struct field amounts[] = {
    {.name = "percent", .type = FIELD_NUMBER, .max = 50},
    {.name = "dollars",
     .type = FIELD_LIMIT,
     .max = 9,
     .offset = offsetof(struct amounts, dollars)},
};

static bool read_amount(int index, const char *json, struct amounts *ret, struct error *err)
{
    AUTO(json_decrefp) json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);

    return field_read(&amounts[index], value, ret, err);
}

TEST(a_number_may_be_a_fraction)
{
    static const char *const wrong[] = {"0", "-1", "50.001", "null", "true", "\"1\""};
    struct amounts amount = {1, 1};

    EXPECT(read_amount(0, "0.25", &amount, NULL));
    EXPECT_NEAR(amount.percent, 0.25, 0);
    EXPECT(read_amount(0, "50", &amount, NULL));
    EXPECT_NEAR(amount.percent, 50, 0);
    EXPECT(field_read_text(&amounts[0], "12.5", &amount, NULL));
    EXPECT_NEAR(amount.percent, 12.5, 0);
    EXPECT(!field_read_text(&amounts[0], "nan", &amount, NULL));
    EXPECT(!field_read_text(&amounts[0], "1x", &amount, NULL));
    for (size_t i = 0; i < COUNT(wrong); i++)
        EXPECT(!read_amount(0, wrong[i], &amount, NULL));
    EXPECT_MESSAGE(read_amount(0, "0", &amount, &err),
                   "must be more than 0 and at most 50, got 0");
    EXPECT_NEAR(amount.percent, 12.5, 0);
}

/* A double keeps fewer digits of the smallest numbers, and strtod() calls that an error. */
TEST(a_number_in_text_is_read_as_json_writes_it)
{
    static const struct {
        const char *text;
        double number;
    } right[] = {{"5e-324", 5e-324}, {"1e-310", 1e-310}, {"4.5E+1", 45}, {"05", 5}};
    static const char *const wrong[] = {"0x10", "inf",   "-inf", "nan", "+1", ".5", "",
                                        "e5",   "1e400", " 1",   "1 ",  "-",  "1e", "1e-400"};
    struct amounts amount = {1, 1};

    for (size_t i = 0; i < COUNT(right); i++) {
        EXPECT(field_read_text(&amounts[0], right[i].text, &amount, NULL));
        EXPECT(memcmp(&amount.percent, &right[i].number, sizeof right[i].number) == 0);
    }
    amount.percent = 7;
    for (size_t i = 0; i < COUNT(wrong); i++)
        EXPECT(!field_read_text(&amounts[0], wrong[i], &amount, NULL));
    EXPECT_NEAR(amount.percent, 7, 0);
}

TEST(of_an_amount_the_least_is_allowed_too)
{
    static const struct field share = {.name = "share", .type = FIELD_AMOUNT, .max = 50};
    static const char *const zeros[] = {"0", "0.0", "-0.0", "0e5"};
    AUTO(json_decrefp) json_t *schema = field_schema(&share);
    AUTO(freep) char *text = json_dumps(schema, JSON_COMPACT | JSON_SORT_KEYS);

    EXPECT_STR(text, "{\"maximum\":50,\"minimum\":0,\"type\":\"number\"}");
    for (size_t i = 0; i < COUNT(zeros); i++) {
        double number = 7;

        EXPECT(field_read_text(&share, zeros[i], &number, NULL));
        EXPECT(number <= 0 && !signbit(number));
    }
    EXPECT_MESSAGE(field_read_text(&share, "-0.1", &(double){0}, &err),
                   "must be at least 0 and at most 50, got -0.1");
    EXPECT_MESSAGE(field_read_text(&share, "none", &(double){0}, &err),
                   "must be a number, got 'none'");
}

TEST(json_schema_s_integers_may_have_a_point)
{
    AUTO(json_decrefp) json_t *value = json_real(8);
    struct thing thing = untouched;

    EXPECT(field_read(row("count"), value, &thing, NULL));
    EXPECT_STR(shown(row("count"), &thing), "8");
}

TEST(a_limit_may_be_null)
{
    AUTO(json_decrefp) json_t *schema = field_schema(&amounts[1]), *none = NULL, *some = NULL;
    struct amounts amount = {1, 1};

    EXPECT(read_amount(1, "null", &amount, NULL));
    EXPECT_NEAR(amount.dollars, 0, 0);
    none = field_write(&amounts[1], &amount);
    EXPECT(json_is_null(none));
    EXPECT(read_amount(1, "0.5", &amount, NULL));
    some = field_write(&amounts[1], &amount);
    EXPECT_NEAR(json_real_value(some), 0.5, 0);
    EXPECT(!read_amount(1, "0", &amount, NULL));
    EXPECT(field_read_text(&amounts[1], "none", &amount, NULL));
    EXPECT_NEAR(amount.dollars, 0, 0);
    EXPECT(!field_read_text(&amounts[0], "none", &amount, NULL));
    EXPECT_INT((long long)json_array_size(json_object_get(schema, "type")), 2);
}

TEST(a_blank_at_an_end_is_refused)
{
    static const char *const wrong[] = {" a", "a ", "a\t", "\na", " "};
    struct error err = {0};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        error_clear(&err);
        EXPECT(!field_check_ends("zone", wrong[i], &err));
        EXPECT_HAS(err, (kind, ERROR_INVALID), (field, "zone"));
    }
    EXPECT_STR(err.message, "begins or ends with a blank: ' '");
    EXPECT(field_check_ends("zone", "", NULL));
    EXPECT(field_check_ends("zone", "my rack 3", NULL));
}

TEST(a_field_is_found_by_its_whole_name)
{
    EXPECT(row("count") == &fields[0]);
    EXPECT(row("name") == &fields[3]);
    EXPECT(row("coun") == NULL);
    EXPECT(row("counts") == NULL);
    EXPECT(row("") == NULL);
    EXPECT(fields_find(fields, 3, "name") == NULL);
    EXPECT(fields_find(NULL, 0, "name") == NULL);
}
