/* A request body as a table: one row per member, and a check for rules over several members. The
 * rows read the JSON into a struct, refuse unknown members, and write their own JSON Schema, so
 * reader and schema cannot drift apart.
 *     static const struct field rows[] = {
 *         {BODY_WORD(struct discount, provider, 1), .required = true},
 *         {BODY_AT(struct discount, factor), .type = FIELD_NUMBER, .max = 1, .nullable = true},
 *     };
 *     const struct body discount_body = {.name = "NewDiscount", BODY_ROWS(rows)};
 *     body_read(&discount_body, json, &discount, err); */
#pragma once

#include "common/rows/fields.h"

struct body {
    const char *name;    /* its name in the schema; NULL: described inline */
    const char *meaning; /* or NULL */
    const struct field *rows;
    size_t count;
    const char *schema;            /* JSON Schema that is added; or NULL */
    const struct body *const *any; /* instead of rows: one of these bodies, NULL-terminated */
    const char *no_object; /* error for other JSON; NULL: "the body must be a JSON object" */
    /* Rules over several members; NULL: none. */
    bool (*check)(void *object, struct error *err);
};

/* Name and offset of a member of a struct; the second form is for a member with another name. A
 * text may fill the whole member. */
#define BODY_ROWS(all) .rows = (all), .count = sizeof(all) / sizeof *(all)
#define BODY_AS(type_of_struct, called, member)                                                  \
    .name = (called), .offset = offsetof(type_of_struct, member)
#define BODY_AT(type_of_struct, member) BODY_AS(type_of_struct, #member, member)
#define BODY_TEXT_AS(type_of_struct, called, member, kind, least)                                \
    .type = (kind), .min = (least), .max = sizeof((type_of_struct *)NULL)->member - 1,           \
    BODY_AS(type_of_struct, called, member)
#define BODY_TEXT(type_of_struct, member, least)                                                 \
    BODY_TEXT_AS(type_of_struct, #member, member, FIELD_TEXT, least)
#define BODY_WORD(type_of_struct, member, least)                                                 \
    BODY_TEXT_AS(type_of_struct, #member, member, FIELD_WORD, least)

/* Reads the members into a struct that holds the defaults. ERROR_INVALID names the member with
 * its path: "own.years". Members read before the error stay written. */
MUST_USE bool body_read(const struct body *body, const json_t *json, void *object,
                        struct error *err);

/* Returns {"$ref": ...} to the schema, or the schema itself where it has no name. Adds each
 * missing schema that it refers to, to `schemas`. */
json_t *body_describe(const struct body *body, json_t *schemas);
