/* Checks names that a person typed: refuses those that could never match anything. */
#pragma once

#include "common/rows/body.h"

/* No blank at either end, and known providers must be written "aws", "azure" and "gcp". */
MUST_USE bool given_provider_check(const char *field, const char *text, struct error *err);

/* A time, as in parse_time_given(). ERROR_INVALID shows the format. */
MUST_USE bool given_time_read(const char *field, const char *text, long long *ret_us,
                              struct error *err);

/* The same as a row of a body: a long long, in microseconds since 1970 UTC. */
/* clang-format off */
#define GIVEN_TIME(type_of_struct, called, member)                                               \
    BODY_AS(type_of_struct, called, member),                                                     \
        .type = FIELD_OWN, .read = given_time_field,                                             \
        .schema = "{\"$ref\": \"#/components/schemas/Moment\"}"
/* clang-format on */
MUST_USE bool given_time_field(const struct field *field, const json_t *value, void *object,
                               struct error *err);
