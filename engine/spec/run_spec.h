/* The spec of a run, as a client sends it. A plain value: copy it freely. Server (POST bodies)
 * and worker (standard input) use the same reader. */
#pragma once

#include "common/error.h"
#include "common/limits.h"
#include "common/rows/fields.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define ENGINE_NATIVE "native" /* our own worker */

/* The published protocol: this many steps are skipped, this many measured. */
#define PUBLISHED_WARMUP 11
#define PUBLISHED_STEPS 91

struct label {
    char key[LABEL_KEY_MAX + 1];
    char value[LABEL_VALUE_MAX + 1];
};

struct run_spec {
    const char *precision, *layout, *plan, *isa;                             /* words of */
    const char *protocol, *pinning, *numa, *openmp, *allocator, *huge_pages; /* run_spec_fields */
    char workload[WORKLOAD_NAME_MAX + 1]; /* with ENGINE_NATIVE one of run_spec_workloads */
    char engine[ENGINE_NAME_MAX + 1];
    long long batch_size;   /* or FIELD_IS_AUTO until the run begins (engine/run/batch.h) */
    long long threads;      /* 0: one per physical core available to us */
    long long warmup_steps; /* or FIELD_IS_AUTO, like steps */
    long long steps;        /* measured steps, after the warm-up */
    long long min_seconds;  /* of measuring, if steps is FIELD_IS_AUTO */
    long long max_seconds;
    double target_percent; /* half-width of the 95 % interval at which "auto" ends */
    double max_dollars;    /* 0: no limit */
    long long seed;
    long long input_workers; /* 0: the step makes its own batch */
    int label_count;
    struct label labels[RUN_LABELS_MAX]; /* sorted by key, no key twice */
};

/* Only this table has the defaults and limits of a run; labels are read separately. */
extern const char *const run_spec_precisions[]; /* "f32", "bf16", "f16", NULL */
extern const struct field run_spec_fields[];
extern const size_t run_spec_field_count;

/* Workloads of the native engine, NULL-terminated. For other engines the server checks only the
 * form of the name; the engine itself refuses unknown workloads. */
extern const char *const run_spec_workloads[];
extern const size_t run_spec_workload_count;

/* Default number of samples a step. */
long long run_spec_usual_batch(const char *workload);

/* Tokens per sample of a text workload, for any engine; 0 for others. */
long long run_spec_tokens(const char *workload);

/* The spec with all defaults. Its precision is f32, as in stored runs without one; a request gets
 * the machine's precision (engine/run/run_request.h). */
struct run_spec run_spec_default(void);

/* Reads a spec from a JSON object. Unknown fields are errors, and so is an unknown workload if
 * the spec names the native engine. *ret_spec is written only on success. */
MUST_USE bool run_spec_from_json(json_t *json, struct run_spec *ret_spec, struct error *err);

/* The same from the spec of a stored run, whose workload the native engine may no longer train.
 */
MUST_USE bool run_spec_from_stored_json(json_t *json, struct run_spec *ret_spec,
                                        struct error *err);

/* Whether engine and workload hold only characters that a name may hold. */
MUST_USE bool run_spec_names_are_valid(const struct run_spec *spec, struct error *err);

/* Reads a spec from text; refuses duplicate keys and text after the object. */
MUST_USE bool run_spec_from_text(const char *text, size_t length, struct run_spec *ret_spec,
                                 struct error *err);

/* Parses such a text. A new reference, or NULL with the reason. */
MUST_USE json_t *run_spec_parse(const char *text, size_t length, struct error *err);

/* JSON Schema of a spec, with defaults. A new reference. */
json_t *run_spec_schema(void);

/* Additional JSON Schema for specs of the native engine, or without an engine. A new
 * reference. */
json_t *run_spec_native_schema(void);

/* Checks one label of a spec or a filter; errors name `field`. */
MUST_USE bool label_check(const char *field, const char *key, const char *value,
                          struct error *err);

/* Reads one label of a filter or an option: KEY=VALUE. *ret_value points into `text`. */
MUST_USE bool label_read(const char *field, const char *text, char ret_key[LABEL_KEY_MAX + 1],
                         const char **ret_value, struct error *err);
