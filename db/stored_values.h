/* Stored values of the fields that lists filter by: helps when a filter matches nothing. Reads
 * one index step per value, however many rows have it; without an index, only a few values. */
#pragma once

#include "common/limits.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>

enum stored_value {
    RUN_WORKLOAD,
    RUN_ENGINE,
    RUN_INSTANCE,
    RUN_SENDER,
    RUN_PROVENANCE,
    RUN_LABEL_KEY,
    RUN_LABEL_VALUE, /* of one key */
    PRICE_PROVIDER,
    PRICE_REGION,
    PRICE_ZONE,
    PRICE_TYPE,
    PRICE_FEED,
    PRICE_KIND,
    LISTED_PROVIDER, /* of an instance type that a feed lists */
    LISTED_NAME,
    LISTED_PREFIX,  /* of the name */
    KNOWN_PROVIDER, /* of a type from a feed or a measured run */
    KNOWN_NAME,
    EVENT_PROVIDER, /* of a capacity event */
    EVENT_TYPE,
    EVENT_ZONE,
    EVENT_PRICE_KIND,
    EVENT_SENDER,
};

#define STORED_VALUES_MAX 64

struct stored_values {
    char list[STORED_VALUES_MAX][LABEL_VALUE_MAX + 1]; /* in order */
    size_t count;
};

struct stored_value_question {
    enum stored_value kind;
    const char *key; /* of RUN_LABEL_VALUE; NULL for the others */
    const char *value;
};

/* Whether any row has the value. If not, *ret_values has its neighbours in order, half of them
 * below and half above. */
MUST_USE bool stored_values_look(struct db *db, const struct stored_value_question *question,
                                 bool *ret_found, struct stored_values *ret_values,
                                 struct error *err);
