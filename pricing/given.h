/* Names that a person gives: what would be taken and never match anything is refused. */
#pragma once

#include "common/body.h"

/* No blank at either end, and the providers that feeds know are written "aws", "azure" and "gcp".
 */
MUST_USE bool given_provider_check(const char *field, const char *text, struct error *err);

/* A time, as in parse_time_given(). ERROR_INVALID says how one is written. */
MUST_USE bool given_time_read(const char *field, const char *text, long long *ret_us,
                              struct error *err);

/* The same as a row of a body: a long long, in microseconds since 1970 UTC. */
#define GIVEN_TIME(type_of_struct, called, member)                                               \
    BODY_AS(type_of_struct, called, member),                                                     \
        .type = FIELD_OWN, .read = given_time_field,                                             \
        .schema = "{\"$ref\": \"#/components/schemas/Moment\"}"
MUST_USE bool given_time_field(const struct field *field, const json_t *value, void *object,
                               struct error *err);
