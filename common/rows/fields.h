/* A table describes how a struct looks outside: one row per field. The same table reads JSON and
 * text, writes JSON, and writes its JSON Schema, so these cannot drift apart. */
#pragma once

#include "common/error.h"
#include "common/json_writer.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum field_type {
    FIELD_INTEGER, /* long long, min..max */
    FIELD_AUTO,    /* the same, or the word "auto", kept as FIELD_IS_AUTO */
    FIELD_CHOICE,  /* const char *, pointing into `choices` */
    FIELD_NUMBER,  /* double, more than min and at most max */
    FIELD_AMOUNT,  /* the same, but min itself is allowed too */
    FIELD_LIMIT,   /* as FIELD_NUMBER, or null (as text: none), kept as 0 */
    FIELD_TEXT,    /* char[max + 1], min..max bytes of UTF-8 without control characters */
    FIELD_WORD,    /* char[max + 1], min..max printable ASCII characters, no blank at an end */
    FIELD_FLAG,    /* bool */
    FIELD_OBJECT,  /* what `body` reads, at `offset`; only in a body (common/rows/body.h) */
    FIELD_OWN,     /* what `read` takes, and `schema` describes */
};

#define FIELD_IS_AUTO (-1LL) /* so the min of a FIELD_AUTO is at least 0 */

struct body;

struct field {
    const char *name;
    enum field_type type;
    size_t offset;
    long long min, max;
    const char *const *choices; /* NULL-terminated */
    const char *meaning;        /* for people: --help and the API's own description */
    const char *schema;         /* JSON Schema that is added to the generated one */
    bool (*read)(const struct field *field, const json_t *value, void *object, struct error *err);
    /* Of a member of a body. */
    bool required;
    bool nullable;     /* null leaves the struct as it is, as if the member were not there */
    const char *usual; /* JSON of the default, which the struct holds before it is read */
    const struct body *body;
};

/* Reads one value; *object is written only on success. */
MUST_USE bool field_read(const struct field *field, const json_t *value, void *object,
                         struct error *err);
MUST_USE bool field_read_text(const struct field *field, const char *text, void *object,
                              struct error *err);

/* Reads a number as JSON at *at, and moves *at past it. False for anything else, and what the
 * field does not allow. */
MUST_USE bool field_take_number(const struct field *field, const char **at, void *object);

/* Refuses a blank at either end: it is invisible. */
MUST_USE bool field_check_ends(const char *name, const char *text, struct error *err);

/* Writes the value as a member, called as the field is. */
void field_write_to(struct json_writer *out, const struct field *field, const void *object);

/* A new reference to the value alone. */
json_t *field_write(const struct field *field, const void *object);

/* A new reference. */
json_t *field_schema(const struct field *field);

/* The row called `name`, or NULL. */
const struct field *fields_find(const struct field *fields, size_t count, const char *name);

/* Sets the error for an unknown name, with a list of the known ones; `others` are names outside
 * the table, NULL-terminated. Always returns false. */
bool fields_refuse_name(const struct field *fields, size_t count, const char *const others[],
                        const char *name, struct error *err);
