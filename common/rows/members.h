/* Describes the members of a JSON object, one row each. The same rows write the JSON and its
 * OpenAPI schema, so these cannot drift apart.
 *     static const struct member rows[] = {
 *         {MEMBER(struct finding, code), .meaning = "Which check it was."},
 *         {MEMBER(struct finding, seconds), .nullable = true, .range = MEMBER_NOT_NEGATIVE},
 *         {0},
 *     };
 *     const struct members finding_members = {.name = "Finding", .rows = rows};
 *     members_write(&out, "finding", &finding_members, finding); */
#pragma once

#include "common/json_writer.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum member_type {
    MEMBER_TEXT,    /* const char * */
    MEMBER_CHARS,   /* char[] */
    MEMBER_ENUM,    /* an enum whose values are places in `words` */
    MEMBER_INTEGER, /* long long */
    MEMBER_INT,     /* int */
    MEMBER_COUNT,   /* size_t */
    MEMBER_NUMBER,  /* double */
    MEMBER_BOOL,    /* bool */
    MEMBER_SECONDS, /* long long, nanoseconds */
    MEMBER_TIME,    /* long long, microseconds since 1970; 0 is null */
    MEMBER_JSON,    /* const char *, JSON already */
    MEMBER_OBJECT,  /* a struct at `offset`, or what find() returns: `members` */
    MEMBER_LIST,    /* an array, written by write(); items as in `members`, `words` or `schema` */
    MEMBER_PART, /* not a member: inserts the rows of `members`, for the same object, the struct
                    at `offset`, or the result of find(), which must not be NULL */
};

/* A nullable number outside its range is written as null. */
enum member_range {
    MEMBER_ANY,
    MEMBER_NOT_NEGATIVE,
    MEMBER_POSITIVE,
    MEMBER_SHARE, /* 0 to 1 */
};

struct member {
    const char *name;
    enum member_type type;
    size_t offset;
    bool nullable;   /* written as null if it has no value: an empty text, a number that is not
                        finite */
    bool optional;   /* an answer may leave it out */
    bool on_request; /* among members that a client may choose: only if it asks */
    bool filled;     /* a text of at least one byte */
    enum member_range range;
    const char *const *words; /* the values that a text may have; NULL-terminated */
    unsigned first;           /* the enum value of the first word; lower values are null */
    int most;                 /* limit of a list's items; 0: none */
    const char *always;       /* the same text in every answer */
    const char *pattern;      /* of a text */
    const struct members *members;
    const char *constant;  /* JSON: its only value */
    const char *reference; /* a schema of openapi.json: of the value; of a list: of its items */
    const char *meaning;
    const char *schema; /* additional JSON Schema; of a list: of its items */
    /* The object of MEMBER_OBJECT; NULL is null. */
    const void *(*find)(const void *object);
    /* Writes the value under the row's name if it is not a plain member of the struct. */
    void (*write)(struct json_writer *out, const struct member *row, const void *object);
};

struct members {
    const char *name;          /* of its schema; NULL: described inline */
    const char *meaning;       /* or NULL */
    const struct member *rows; /* the last has no name */
    const char *schema;        /* additional JSON Schema; or NULL */
    /* If it returns false, the object is written as null. NULL: never. */
    bool (*is_known)(const void *object);
    /* For an enum or a text shared by several rows, instead of `rows`. */
    const char *const *words;
};

/* Name, type and offset of a struct's member; MEMBER_AS if the JSON name differs. */
#define MEMBER(type_of_struct, member) MEMBER_AS(type_of_struct, #member, member)
#define MEMBER_AS(type_of_struct, called, member)                                                \
    .name = (called), .type = MEMBER_TYPE_OF(&((type_of_struct *)NULL)->member),                 \
    .offset = offsetof(type_of_struct, member)
#define MEMBER_TYPE_OF(pointer)                                                                  \
    _Generic((pointer),                                                                          \
        const char **: MEMBER_TEXT,                                                              \
        char **: MEMBER_TEXT,                                                                    \
        unsigned *: MEMBER_ENUM,                                                                 \
        long long *: MEMBER_INTEGER,                                                             \
        int *: MEMBER_INT,                                                                       \
        size_t *: MEMBER_COUNT,                                                                  \
        double *: MEMBER_NUMBER,                                                                 \
        bool *: MEMBER_BOOL,                                                                     \
        default: MEMBER_CHARS)
#define MEMBER_SECONDS_AT(type_of_struct, called, member)                                        \
    .name = (called), .type = MEMBER_SECONDS, .offset = offsetof(type_of_struct, member)
#define MEMBER_TIME_AT(type_of_struct, called, member)                                           \
    .name = (called), .type = MEMBER_TIME, .offset = offsetof(type_of_struct, member)
#define MEMBER_OBJECT_AT(type_of_struct, called, member)                                         \
    .name = (called), .type = MEMBER_OBJECT, .offset = offsetof(type_of_struct, member)
/* An object whose members are of the same struct. */
#define MEMBER_GROUP(called, of) .name = (called), .type = MEMBER_OBJECT, .members = (of)
#define MEMBER_CONSTANT(called, json) .name = (called), .type = MEMBER_JSON, .constant = (json)
#define MEMBER_FOUND(called, of, by)                                                             \
    .name = (called), .type = MEMBER_OBJECT, .members = (of), .find = (by)
#define MEMBER_WRITTEN(called, as, by) .name = (called), .type = (as), .write = (by)
#define MEMBER_JSON_AT(type_of_struct, called, member)                                           \
    .name = (called), .type = MEMBER_JSON, .offset = offsetof(type_of_struct, member)
#define MEMBER_LIST_OF(called, of) .name = (called), .type = MEMBER_LIST, .members = (of)
#define MEMBER_ROWS(part) .name = "", .type = MEMBER_PART, .members = (part)
#define MEMBER_ROWS_AT(type_of_struct, member, part)                                             \
    MEMBER_ROWS(part), .offset = offsetof(type_of_struct, member)

#define MEMBER_PRINTABLE "^[^\\u0000-\\u001f\\u007f]*$" /* pattern of a text */

/* The value of a plain member. */
#define MEMBER_VALUE(type, row, object)                                                          \
    (*(type const *)(const void *)((const char *)(object) + (row)->offset))

/* Define a find(), an is_known() and a write() from one expression of the object, called `it`.
 * `what` selects the writer: jsonw_text(), jsonw_number() ... */
#define MEMBER_FINDS(function, type_of_struct, it, ...)                                          \
    static const void *function(const void *object)                                              \
    {                                                                                            \
        type_of_struct const *it = object;                                                       \
                                                                                                 \
        return (__VA_ARGS__);                                                                    \
    }
#define MEMBER_KNOWN(function, type_of_struct, it, ...)                                          \
    static bool function(const void *object)                                                     \
    {                                                                                            \
        type_of_struct const *it = object;                                                       \
                                                                                                 \
        return (__VA_ARGS__);                                                                    \
    }
#define MEMBER_WRITES(function, what, type_of_struct, it, ...)                                   \
    static void function(struct json_writer *out, const struct member *row, const void *object)  \
    {                                                                                            \
        type_of_struct const *it = object;                                                       \
                                                                                                 \
        jsonw_##what(out, row->name, (__VA_ARGS__));                                             \
    }

/* Defines a write() of a list from an array of structs. */
#define MEMBER_LISTS(function, type_of_struct, it, first, count)                                 \
    static void function(struct json_writer *out, const struct member *row, const void *object)  \
    {                                                                                            \
        type_of_struct const *it = object;                                                       \
                                                                                                 \
        members_write_list(out, row->name, row->members, (first), (size_t)(count),               \
                           sizeof *(first));                                                     \
    }

/* Writes null if the object is NULL or not known. */
void members_write(struct json_writer *out, const char *key, const struct members *members,
                   const void *object);

/* Writes the members into an object that is open. */
void members_write_rows(struct json_writer *out, const struct members *members,
                        const void *object);

/* An array of `count` objects, which lie `size` bytes apart. */
void members_write_list(struct json_writer *out, const char *key, const struct members *members,
                        const void *first, size_t count, size_t size);

/* The object in one line as json_text() writes it, up to 64 KiB. The caller frees it;
 * NULL if it is longer, or a text is not UTF-8. */
char *members_to_text(const struct members *members, const void *object);

/* Returns {"$ref": ...} to the schema, or the schema itself if it has no name. Adds the schemas
 * it refers to to `schemas`, unless they are there. */
json_t *members_describe(const struct members *members, json_t *schemas);
