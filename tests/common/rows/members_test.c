#include "common/rows/members.h"

#include "common/json_text.h"
#include "common/memory.h"
#include "tests/test.h"

#include <math.h>

static const char *const colours[] = {"red", "green", NULL};
static const struct members colour_members = {
    .name = "Colour", .meaning = "Of its light.", .words = colours};

struct lamp {
    const char *maker; /* NULL unknown */
    char place[16];
    enum { RED, GREEN } colour;
    long long hours;
    int sockets;
    size_t bulbs;
    double watts;
    double share;
    bool is_on;
    long long since_us;
    const char *details; /* JSON */
    struct shade {
        double metres;
    } shade;
    bool has_spare;
    struct shade spare;
    double sizes[2];
    enum { HEAT_UNKNOWN, HEAT_COLD, HEAT_WARM } heat, unknown_heat;
    long long warm_up_ns;
    enum { DULL_RED, DULL_GREEN } dull;
};
static const char *const heats[] = {"cold", "warm", NULL};

static const struct member shade_rows[] = {{MEMBER(struct shade, metres)}, {0}};
MEMBER_KNOWN(shade_is_known, struct shade, shade, shade->metres >= 0)

static const struct members shade_members = {.name = "Shade",
                                             .meaning = "What covers it.",
                                             .rows = shade_rows,
                                             .is_known = shade_is_known};

MEMBER_FINDS(find_spare, struct lamp, lamp, lamp->has_spare ? &lamp->spare : NULL)
MEMBER_LISTS(write_shades, struct lamp, lamp, &lamp->spare, lamp->has_spare)
MEMBER_WRITES(write_kilowatts, number, struct lamp, lamp, lamp->watts / 1000)

static void write_sizes(struct json_writer *out, const struct member *row, const void *object)
{
    const struct lamp *lamp = object;

    jsonw_open(out, row->name, '[');
    for (size_t i = 0; i < 2; i++)
        jsonw_number(out, NULL, lamp->sizes[i]);
    jsonw_close(out, ']');
}

static const struct member switch_rows[] = {
    {MEMBER_AS(struct lamp, "on", is_on)},
    {MEMBER_TIME_AT(struct lamp, "since", since_us)},
    {0},
};
static const struct members switch_members = {.rows = switch_rows};

static const struct member stand_rows[] = {{MEMBER_AS(struct shade, "stand_metres", metres)},
                                           {0}};
static const struct members stand_members = {.rows = stand_rows};

static void write_colours(struct json_writer *out, const struct member *row, const void *object)
{
    (void)object;
    jsonw_open(out, row->name, '[');
    jsonw_text(out, NULL, row->words[0]);
    jsonw_close(out, ']');
}

static const struct member lamp_rows[] = {
    {MEMBER(struct lamp, maker), .nullable = true, .filled = true, .meaning = "Who made it."},
    {MEMBER(struct lamp, place), .nullable = true, .pattern = "^[a-z]+$"},
    {MEMBER(struct lamp, colour), .words = colours},
    {MEMBER(struct lamp, hours), .nullable = true, .range = MEMBER_POSITIVE},
    {MEMBER(struct lamp, sockets), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct lamp, bulbs)},
    {MEMBER(struct lamp, watts), .nullable = true, .range = MEMBER_POSITIVE},
    {MEMBER(struct lamp, share), .nullable = true, .range = MEMBER_SHARE},
    {MEMBER_ROWS(&switch_members)},
    {.name = "details",
     .type = MEMBER_JSON,
     .offset = offsetof(struct lamp, details),
     .schema = "{\"type\": \"object\"}",
     .optional = true},
    {MEMBER_OBJECT_AT(struct lamp, "shade", shade), .members = &shade_members},
    {.name = "spare",
     .type = MEMBER_OBJECT,
     .nullable = true,
     .members = &shade_members,
     .find = find_spare,
     .meaning = "In the cupboard."},
    {.name = "sizes",
     .type = MEMBER_LIST,
     .most = 2,
     .schema = "{\"type\": \"number\"}",
     .write = write_sizes},
    {.name = "colours", .type = MEMBER_LIST, .words = colours, .write = write_colours},
    {MEMBER(struct lamp, heat), .nullable = true, .words = heats, .first = HEAT_COLD},
    {MEMBER(struct lamp, unknown_heat), .nullable = true, .words = heats, .first = HEAT_COLD},
    {MEMBER_ROWS_AT(struct lamp, spare, &stand_members)},
    {.name = "words", .type = MEMBER_TEXT, .always = "it is lit"},
    {.name = "kilowatts", .type = MEMBER_NUMBER, .write = write_kilowatts},
    {MEMBER_SECONDS_AT(struct lamp, "warm_up", warm_up_ns), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct lamp, dull), .members = &colour_members},
    {MEMBER_LIST_OF("shades", &shade_members), .write = write_shades},
    {MEMBER_CONSTANT("level", "0.95")},
    {MEMBER_GROUP("switch", &switch_members)},
    {MEMBER_AS(struct lamp, "where", place), .nullable = true, .reference = "Place"},
    {0},
};
static const struct members lamp_members = {.name = "Lamp", .rows = lamp_rows};

static char *written(const struct lamp *lamp)
{
    AUTO(bytes_free) struct bytes text = {.limit = 10000};
    struct json_writer out = {.bytes = &text};

    members_write(&out, NULL, &lamp_members, lamp);
    return xstrdup(text.data);
}

TEST(each_row_writes_its_member)
{
    const struct lamp lamp = {.maker = "Lux",
                              .place = "hall",
                              .colour = GREEN,
                              .hours = 7,
                              .sockets = 2,
                              .bulbs = 3,
                              .watts = 4.5,
                              .share = 0.25,
                              .is_on = true,
                              .since_us = 1000,
                              .details = "{\"a\":1}",
                              .shade = {0.5},
                              .has_spare = true,
                              .spare = {1.5},
                              .sizes = {1, 2},
                              .heat = HEAT_WARM,
                              .warm_up_ns = 1500000000,
                              .dull = DULL_GREEN};
    AUTO(freep) char *text = written(&lamp);

    EXPECT_STR(text,
               "{\"maker\":\"Lux\",\"place\":\"hall\",\"colour\":\"green\",\"hours\":7,"
               "\"sockets\":2,\"bulbs\":3,\"watts\":4.5,\"share\":0.25,\"on\":true,"
               "\"since\":\"1970-01-01T00:00:00.001Z\",\"details\":{\"a\":1},"
               "\"shade\":{\"metres\":0.5},\"spare\":{\"metres\":1.5},\"sizes\":[1,2],"
               "\"colours\":[\"red\"],\"heat\":\"warm\",\"unknown_heat\":null,"
               "\"stand_metres\":1.5,\"words\":\"it is lit\",\"kilowatts\":0.0045,"
               "\"warm_up\":1.5,\"dull\":\"green\",\"shades\":[{\"metres\":1.5}],\"level\":0.95,"
               "\"switch\":{\"on\":true,\"since\":\"1970-01-01T00:00:00.001Z\"},"
               "\"where\":\"hall\"}");
}

TEST(what_has_no_value_is_null)
{
    const struct lamp lamp = {.maker = "", .watts = 0, .share = NAN, .shade = {-1}};
    AUTO(freep) char *text = written(&lamp);

    EXPECT_STR(text,
               "{\"maker\":null,\"place\":null,\"colour\":\"red\",\"hours\":null,"
               "\"sockets\":0,\"bulbs\":0,\"watts\":null,\"share\":null,\"on\":false,"
               "\"since\":null,\"details\":null,\"shade\":null,\"spare\":null,"
               "\"sizes\":[0,0],\"colours\":[\"red\"],\"heat\":null,"
               "\"unknown_heat\":null,\"stand_metres\":0,\"words\":\"it is lit\",\"kilowatts\":0,"
               "\"warm_up\":0,\"dull\":\"red\",\"shades\":[],\"level\":0.95,"
               "\"switch\":{\"on\":false,\"since\":null},\"where\":null}");
    AUTO(freep) char *nothing = written(NULL);

    EXPECT_STR(nothing, "null");
}

TEST(a_list_has_one_object_after_the_other)
{
    const struct shade shades[] = {{1}, {2}};
    AUTO(bytes_free) struct bytes text = {.limit = 1000};
    struct json_writer out = {.bytes = &text};

    members_write_list(&out, NULL, &shade_members, shades, 2, sizeof *shades);
    EXPECT_STR(text.data, "[{\"metres\":1},{\"metres\":2}]");
}

/* Hashes, signatures and recomputed texts hold on to these bytes. */
TEST(a_text_to_store_has_the_bytes_of_json_text)
{
    static const struct member rows[] = {{MEMBER(struct lamp, maker)},
                                         {MEMBER(struct lamp, hours)},
                                         {MEMBER(struct lamp, watts)},
                                         {MEMBER(struct lamp, share)},
                                         {0}};
    const struct members members = {.rows = rows};
    const struct lamp lamps[] = {{.maker = "a\t\"b\"\n\x01 \xc3\xa9/", .hours = 7, .watts = 3},
                                 {.maker = "", .watts = 0.1 + 0.2, .share = 1e-7},
                                 {.maker = "x", .watts = 1.0 / 3, .share = 12345678901234567e5}};

    for (size_t i = 0; i < COUNT(lamps); i++) {
        AUTO(json_decrefp)
        json_t *json = json_pack("{s:s, s:I, s:f, s:f}", "maker", lamps[i].maker, "hours",
                                 (json_int_t)lamps[i].hours, "watts", lamps[i].watts, "share",
                                 lamps[i].share);
        AUTO(freep) char *wanted = json_text(json);
        AUTO(freep) char *text = members_to_text(&members, &lamps[i]);

        EXPECT_STR(text, wanted);
    }
    EXPECT(members_to_text(&members, &(struct lamp){.maker = "\xff"}) == NULL);
}

static void expect_described(const json_t *schemas, const char *name, const char *wanted)
{
    const json_t *properties = json_object_get(json_object_get(schemas, "Lamp"), "properties");
    AUTO(freep)
    char *text = json_dumps(json_object_get(properties, name), JSON_COMPACT | JSON_SORT_KEYS);

    EXPECT_STR(text ? text : "nothing", wanted);
}

TEST(the_same_rows_describe_what_they_write)
{
    AUTO(json_decrefp) json_t *schemas = json_object();
    AUTO(json_decrefp) json_t *reference = members_describe(&lamp_members, schemas);
    static const char *const wanted[][2] = {
        {"maker",
         "{\"description\":\"Who made it.\",\"minLength\":1,\"type\":[\"string\",\"null\"]}"},
        {"place", "{\"pattern\":\"^[a-z]+$\",\"type\":[\"string\",\"null\"]}"},
        {"colour", "{\"enum\":[\"red\",\"green\"]}"},
        {"hours", "{\"minimum\":1,\"type\":[\"integer\",\"null\"]}"},
        {"sockets", "{\"minimum\":0,\"type\":\"integer\"}"},
        {"watts", "{\"exclusiveMinimum\":0,\"type\":[\"number\",\"null\"]}"},
        {"share", "{\"maximum\":1,\"minimum\":0,\"type\":[\"number\",\"null\"]}"},
        {"on", "{\"type\":\"boolean\"}"},
        {"since", "{\"$ref\":\"#/components/schemas/Time\"}"},
        {"details", "{\"type\":\"object\"}"},
        {"shade", "{\"$ref\":\"#/components/schemas/Shade\"}"},
        {"spare", "{\"description\":\"In the cupboard.\",\"oneOf\":[{\"$ref\":"
                  "\"#/components/schemas/Shade\"},{\"type\":\"null\"}]}"},
        {"sizes", "{\"items\":{\"type\":\"number\"},\"maxItems\":2,\"type\":\"array\"}"},
        {"colours", "{\"items\":{\"enum\":[\"red\",\"green\"]},\"type\":\"array\"}"},
        {"heat", "{\"enum\":[\"cold\",\"warm\",null]}"},
        {"stand_metres", "{\"type\":\"number\"}"},
        {"words", "{\"type\":\"string\"}"},
        {"warm_up", "{\"minimum\":0,\"type\":\"number\"}"},
        {"dull", "{\"$ref\":\"#/components/schemas/Colour\"}"},
        {"where", "{\"oneOf\":[{\"$ref\":\"#/components/schemas/Place\"},{\"type\":\"null\"}]}"},
    };

    EXPECT_STR(json_string_value(json_object_get(reference, "$ref")),
               "#/components/schemas/Lamp");
    EXPECT(json_object_get(schemas, "Shade") != NULL);
    EXPECT_STR(
        json_string_value(json_object_get(json_object_get(schemas, "Colour"), "description")),
        "Of its light.");
    for (size_t i = 0; i < COUNT(wanted); i++)
        expect_described(schemas, wanted[i][0], wanted[i][1]);
    /* Every member but an optional one is always there. */
    EXPECT_INT(
        (long long)json_array_size(json_object_get(json_object_get(schemas, "Lamp"), "required")),
        25);
}
