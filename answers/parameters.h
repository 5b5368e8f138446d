/* Query parameters as data, one row each. The rows read a query, refuse what they do not know,
 * and describe themselves as OpenAPI, so these cannot drift apart. */
#pragma once

#include "answers/query.h"

#include <jansson.h>

enum parameter_type {
    PARAMETER_INTEGER, /* long long, min..max */
    PARAMETER_NUMBER,  /* double, more than min and at most max */
    PARAMETER_AMOUNT,  /* the same, but min itself is allowed too */
    PARAMETER_CHOICE,  /* const char *, one of `choices` */
    PARAMETER_NAME,    /* const char *, one of the names of `name_at` */
    PARAMETER_NAMES,   /* several, separated by commas; parsed by `read` */
    PARAMETER_WORD, /* const char *, 1..max characters (0: QUERY_WORD_MAX), no blank at an end */
    PARAMETER_PROVIDER, /* the same, written as feeds write it */
    PARAMETER_FLAG,     /* bool, "true" or "false" */
    PARAMETER_TIME,     /* long long, microseconds since 1970 UTC */
    PARAMETER_OWN,      /* parsed by `read`, described by `schema` */
};

/* Texts are borrowed from the query. A parameter that is not given leaves its member zero, or
 * gets the default in `usual`. */
struct parameter_row {
    const char *name;
    enum parameter_type type;
    size_t offset;
    long long min, max;
    const char *const *choices;           /* NULL-terminated */
    const char *(*name_at)(size_t place); /* asked for 0, 1, 2, ... until that is NULL */
    const char *usual; /* the default; NULL: none, or a rule given in `meaning` */
    const char *meaning;
    int repeats; /* it may be given so many times; 0: once */
    bool (*read)(const struct parameter_row *row, const char *value, void *into,
                 struct error *err);
    const char *schema; /* JSON Schema of one value; NULL: as of PARAMETER_WORD */
};

/* Rows for one struct, which lies at `offset` of the filled one. Rows that `only` leaves out
 * still set their defaults. */
struct parameter_part {
    const struct parameter_row *rows; /* the last has no name */
    const char *const *only;          /* NULL-terminated names; NULL: all */
    size_t offset;
};

#define PARAMETER_PARTS 3
struct parameters {
    size_t size;                                  /* of the struct that is filled */
    struct parameter_part parts[PARAMETER_PARTS]; /* those without rows are unused */
    bool any;                                     /* whatever is given is ignored */
    /* Rules over several parameters; NULL: none. */
    bool (*check)(const struct query *query, void *into, struct error *err);
};

#define LABEL_SCHEMA "{\"type\": \"string\", \"pattern\": \"^[A-Za-z0-9._/-]{1,64}=.{0,256}$\"}"

/* The rule of PARAMETER_WORD. */
MUST_USE bool parameter_check_word(const struct parameter_row *row, const char *value,
                                   struct error *err);

/* Fills *into, which has parameters->size zero bytes. ERROR_INVALID names the parameter.
 * NULL parameters know none. */
MUST_USE bool parameters_read(const struct parameters *parameters, const struct query *query,
                              void *into, struct error *err);

/* As an array of OpenAPI's parameter objects. */
json_t *parameters_describe(const struct parameters *parameters);
