#include "common/rows/body.h"

#include "tests/test.h"

struct home {
    double rooms;
};

struct guest {
    char name[8 + 1], note[4 + 1];
    const char *colour;
    long long age;
    double share;
    bool asleep;
    struct home home;
    int twice;
};

static const char *const colours[] = {"red", "green", NULL};

static const struct field home_rows[] = {
    {BODY_AT(struct home, rooms), .type = FIELD_NUMBER, .max = 9, .required = true},
};
static const struct body home_body = {
    .name = "Home", BODY_ROWS(home_rows), .no_object = "must be a home"};

static bool read_twice(const struct field *field, const json_t *value, void *object,
                       struct error *err)
{
    struct guest *guest = object;

    guest->twice = 2 * (int)json_integer_value(value);
    return json_is_integer(value) || error_set(err, ERROR_INVALID, field->name, "must be whole");
}

static bool check_sleep(void *object, struct error *err)
{
    const struct guest *guest = object;

    return !guest->asleep || guest->age < 9 ||
           error_set(err, ERROR_INVALID, "asleep", "is for children");
}

static const struct field rows[] = {
    {BODY_TEXT(struct guest, name, 1), .required = true, .meaning = "Who it is."},
    {BODY_WORD(struct guest, note, 0)},
    {BODY_AT(struct guest, colour), .type = FIELD_CHOICE, .choices = colours, .nullable = true},
    {BODY_AT(struct guest, age), .type = FIELD_INTEGER, .max = 99, .usual = "7"},
    {BODY_AT(struct guest, share), .type = FIELD_NUMBER, .max = 1, .required = true,
     .nullable = true},
    {BODY_AT(struct guest, asleep), .type = FIELD_FLAG},
    {.name = "home",
     .type = FIELD_OBJECT,
     .offset = offsetof(struct guest, home),
     .body = &home_body},
    {.name = "twice", .type = FIELD_OWN, .read = read_twice, .schema = "{\"type\": \"integer\"}"},
};
static const struct body guest_body = {.name = "Guest",
                                       .meaning = "Who comes.",
                                       BODY_ROWS(rows),
                                       .schema = "{\"minProperties\": 2}",
                                       .check = check_sleep};

static bool parse(const char *text, struct guest *guest, struct error *err)
{
    AUTO(json_decrefp) json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);

    EXPECT(json != NULL);
    return body_read(&guest_body, json, guest, err);
}

TEST(every_member_lands_in_the_struct)
{
    struct guest guest = {.age = 7};

    EXPECT_OK(
        parse("{\"name\":\"ann\",\"note\":\"a b\",\"colour\":\"green\",\"age\":8,\"share\":0.5,"
              "\"asleep\":true,\"home\":{\"rooms\":3},\"twice\":21}",
              &guest, &err));
    EXPECT_HAS(guest, (name, "ann"), (note, "a b"));
    EXPECT(guest.colour == colours[1]);
    EXPECT_HAS(guest, (age, 8), (share, 0.5), (asleep, true), (home.rooms, 3), (twice, 42));
}

TEST(what_is_left_out_or_null_keeps_its_default)
{
    struct guest guest = {.colour = colours[0], .age = 7, .share = 0.25};

    EXPECT(parse("{\"name\":\"ann\",\"colour\":null,\"share\":null}", &guest, NULL));
    EXPECT(guest.colour == colours[0]);
    EXPECT_HAS(guest, (age, 7), (share, 0.25), (note, ""));
}

#define ANN "{\"name\":\"ann\",\"share\":1,"
static const struct {
    const char *text, *field, *message;
} refused[] = {
    {"[]", "", "the body must be a JSON object"},
    {"{}", "name", "is missing"},
    {"{\"name\":\"ann\"}", "share", "is missing"},
    {ANN "\"aeg\":1}", "aeg",
     "is not a known field; known are name, note, colour, age, share, asleep, home, twice"},
    {"{\"name\":null,\"share\":1}", "name", "must be a string, got null"},
    {ANN "\"note\":\"a\\tb\"}", "note", "must have 0 to 4 printable ASCII characters"},
    {ANN "\"note\":\"12345\"}", "note", "must have 0 to 4 printable ASCII characters"},
    {ANN "\"note\":\"a \"}", "note", "begins or ends with a blank: 'a '"},
    {ANN "\"colour\":\"blue\"}", "colour", "'blue' is not supported"},
    {ANN "\"colour\":1}", "colour", "must be a string or null, got a number"},
    {ANN "\"age\":100}", "age", "must be between 0 and 99, got 100"},
    {ANN "\"age\":null}", "age", "must be an integer, got null"},
    {"{\"name\":\"ann\",\"share\":\"1\"}", "share", "must be a number or null, got a string"},
    {ANN "\"asleep\":0}", "asleep", "must be true or false, got a number"},
    {ANN "\"asleep\":true,\"age\":9}", "asleep", "is for children"},
    {ANN "\"twice\":\"1\"}", "twice", "must be whole"},
    {ANN "\"home\":5}", "home", "must be a home"},
    {ANN "\"home\":{}}", "home.rooms", "is missing"},
    {ANN "\"home\":{\"rooms\":10}}", "home.rooms", "must be more than 0 and at most 9, got 10"},
    {ANN "\"home\":{\"rooms\":1,\"x\":1}}", "home.x", "is not a known field; known are rooms"},
};

TEST(a_refusal_names_the_member_and_what_is_allowed)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct guest guest = {.age = 7};

        EXPECT_WRONG(parse(refused[i].text, &guest, &err), refused[i].field, refused[i].message);
    }
}

TEST(what_is_allowed_within_an_object_is_said_too)
{
    struct guest guest = {.age = 7};
    struct error err = {0};

    EXPECT(!parse(ANN "\"home\":{\"rooms\":10}}", &guest, &err));
    EXPECT(err.allowed.ranged && err.allowed.above_min);
    EXPECT_INT(err.allowed.max, 9);
}

static const char *const properties[][2] = {
    {"name", "{\"description\":\"Who it is.\",\"maxLength\":8,\"minLength\":1,"
             "\"pattern\":\"^[^\\\\u0000-\\\\u001f\\\\u007f]*$\",\"type\":\"string\"}"},
    {"note", "{\"pattern\":\"^([!-~]([ -~]{0,2}[!-~])?)?$\",\"type\":\"string\"}"},
    {"colour", "{\"enum\":[\"red\",\"green\",null],\"type\":[\"string\",\"null\"]}"},
    {"age", "{\"default\":7,\"maximum\":99,\"minimum\":0,\"type\":\"integer\"}"},
    {"share", "{\"exclusiveMinimum\":0,\"maximum\":1,\"type\":[\"number\",\"null\"]}"},
    {"asleep", "{\"type\":\"boolean\"}"},
    {"home", "{\"$ref\":\"#/components/schemas/Home\"}"},
    {"twice", "{\"type\":\"integer\"}"},
};

TEST(a_body_describes_itself_and_what_it_refers_to)
{
    AUTO(json_decrefp) json_t *schemas = json_object(), *found = NULL;
    json_t *guest, *members;

    found = body_describe(&guest_body, schemas);
    EXPECT_STR(json_string_value(json_object_get(found, "$ref")), "#/components/schemas/Guest");
    guest = json_object_get(schemas, "Guest");
    EXPECT(json_object_get(schemas, "Home") != NULL);
    EXPECT_STR(json_string_value(json_object_get(guest, "description")), "Who comes.");
    EXPECT(json_is_false(json_object_get(guest, "additionalProperties")));
    EXPECT_INT((long long)json_array_size(json_object_get(guest, "required")), 2);
    EXPECT_INT(json_integer_value(json_object_get(guest, "minProperties")), 2);
    members = json_object_get(guest, "properties");
    EXPECT_INT((long long)json_object_size(members), (long long)COUNT(properties));
    for (size_t i = 0; i < COUNT(properties); i++) {
        AUTO(freep)
        char *text =
            json_dumps(json_object_get(members, properties[i][0]), JSON_COMPACT | JSON_SORT_KEYS);

        EXPECT_STR(text, properties[i][1]);
    }
}

TEST(a_body_of_several_kinds_is_one_of_them)
{
    static const struct body nameless = {BODY_ROWS(home_rows)};
    static const struct body *const ways[] = {&home_body, &nameless, NULL};
    static const struct body either = {.any = ways};
    AUTO(json_decrefp) json_t *schemas = json_object(), *found = NULL;

    found = body_describe(&either, schemas);
    json_t *list = json_object_get(found, "oneOf");
    EXPECT_INT((long long)json_array_size(list), 2);
    EXPECT(json_object_get(json_array_get(list, 0), "$ref") != NULL);
    EXPECT(json_object_get(json_array_get(list, 1), "properties") != NULL);
    EXPECT_INT((long long)json_object_size(schemas), 1);
}
