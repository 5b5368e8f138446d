/* Reads a spec from a client and fills in missing fields that depend on the machine, so that a
 * stored spec is complete. Specs that come with a run (from the database, a document) are read by
 * run_spec.h instead: their machine was another. */
#pragma once

#include "engine/run/spec_fits.h"

/* The precision of a run that names none: bf16 if it pays on this machine (cpu_bf16_pays()) with
 * the instruction sets that the spec `json` allows, else f32. Without `place` it probes the
 * processor, which forks (cpu_probe()). */
const char *run_request_precision(const json_t *json, const struct place *place);

/* Like run_spec_from_text(), with that precision. With `place`, for a
 * client: the default batch is auto if the native engine can choose it; refuses a min_seconds
 * above max_seconds if the request names both. */
MUST_USE bool run_request_from_text(const char *text, size_t length, const struct place *place,
                                    struct run_spec *ret_spec, struct error *err);
