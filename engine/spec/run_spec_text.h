/* The spec of a run as JSON text in one line, as the database and the worker have it: every field
 * in the order of run_spec_fields, then the labels, so that equal specs give equal text. */
#pragma once

#include "common/json_writer.h"
#include "common/rows/members.h"
#include "engine/spec/run_spec.h"

void run_spec_write(struct json_writer *out, const char *key, const struct run_spec *spec);

/* A row whose offset is a struct run_spec's. */
#define MEMBER_SPEC_AT(type_of_struct, place)                                                    \
    .name = "spec", .type = MEMBER_JSON, .offset = offsetof(type_of_struct, place),              \
    .write = run_spec_write_member
void run_spec_write_member(struct json_writer *out, const struct member *row, const void *object);

/* The caller frees it. */
char *run_spec_to_text(const struct run_spec *spec);

/* The same as a new object. */
json_t *run_spec_to_json(const struct run_spec *spec);

/* Reads such a text, maybe of a version whose native engine trained more or whose specs had other
 * fields. */
MUST_USE bool run_spec_from_stored(const char *text, struct run_spec *ret_spec,
                                   struct error *err);
