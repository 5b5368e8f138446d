/* A spec as a client asks for it: what it leaves out and what only the machine can say is filled
 * in, so that a stored spec is complete. Specs that come with a run (of the database, of a
 * document) are read by run_spec.h alone: their machine was another. */
#pragma once

#include "engine/run/spec_fits.h"

/* The precision of a run that names none: bf16 where it pays on this machine
 * (cpu_bf16_pays()) with the instruction sets that `json`, the spec, allows, and f32 elsewhere.
 * Without `place` the processor is asked, which forks (cpu_probe()). */
const char *run_request_precision(const json_t *json, const struct place *place);

/* As run_spec_from_json() and run_spec_from_text(), with that precision. With `place`, as a
 * client asks, the batch is auto where the native engine is to choose it; refuses a min_seconds
 * above max_seconds where the request names both. */
MUST_USE bool run_request_from_json(json_t *json, const struct place *place,
                                    struct run_spec *ret_spec, struct error *err);
MUST_USE bool run_request_from_text(const char *text, size_t length, const struct place *place,
                                    struct run_spec *ret_spec, struct error *err);
