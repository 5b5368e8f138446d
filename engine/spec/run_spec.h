/* What to measure, as a client asks for it. A plain value: copy it freely. The same reader serves
 * the server (POST bodies) and the worker (its standard input). */
#pragma once

#include "common/error.h"
#include "common/fields.h"
#include "common/limits.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define ENGINE_NATIVE "native" /* our own worker */

/* The published protocol: so many steps are skipped, so many measured. */
#define PUBLISHED_WARMUP 11
#define PUBLISHED_STEPS 91

struct label {
    char key[LABEL_KEY_MAX + 1];
    char value[LABEL_VALUE_MAX + 1];
};

struct run_spec {
    const char *precision, *layout, *plan, *isa;                             /* words of */
    const char *protocol, *pinning, *numa, *openmp, *allocator, *huge_pages; /* run_spec_fields */
    char workload[WORKLOAD_NAME_MAX + 1]; /* of ENGINE_NATIVE one of run_spec_workloads */
    char engine[ENGINE_NAME_MAX + 1];
    long long batch_size;   /* or FIELD_IS_AUTO until the run begins (engine/run/batch.h) */
    long long threads;      /* 0: as many as there are physical cores for us */
    long long warmup_steps; /* or FIELD_IS_AUTO, like steps */
    long long steps;        /* measured ones, beyond the warm-up */
    long long min_seconds;  /* of measuring, where steps is FIELD_IS_AUTO */
    long long max_seconds;
    double target_percent; /* half-width of the 95 % interval at which "auto" ends */
    double max_dollars;    /* 0: no limit */
    long long seed;
    long long input_workers; /* 0: the step makes its own batch */
    int label_count;
    struct label labels[RUN_LABELS_MAX]; /* sorted by key, no key twice */
};

/* The defaults and limits of a run are in this table and nowhere else; labels are read apart. */
extern const char *const run_spec_precisions[]; /* "f32", "bf16", "f16", NULL */
extern const struct field run_spec_fields[];
extern const size_t run_spec_field_count;

/* What the native engine trains, NULL-terminated. Of another engine the server only knows how a
 * name may look: the engine itself refuses what it does not train. */
extern const char *const run_spec_workloads[];
extern const size_t run_spec_workload_count;

/* Samples a step where nothing says how many. */
long long run_spec_usual_batch(const char *workload);

/* Tokens in a sample of a workload on text, whichever engine trains it; 0 of others. */
long long run_spec_tokens(const char *workload);

/* The same of a spec's text, as it is stored, without reading all of it. */
long long run_spec_text_tokens(const char *spec_text);

/* The spec in which every field has its default. Its precision is f32, that of a stored run which
 * says none; a request gets the precision of the machine (engine/run/run_request.h). */
struct run_spec run_spec_default(void);

/* Reads a spec from a JSON object. Unknown fields are errors, and so is a workload that the
 * native engine never trained where the spec names that engine. *ret_spec is written only on
 * success. */
MUST_USE bool run_spec_from_json(json_t *json, struct run_spec *ret_spec, struct error *err);

/* The same from text, refusing duplicate keys and anything behind the object. */
MUST_USE bool run_spec_from_text(const char *text, size_t length, struct run_spec *ret_spec,
                                 struct error *err);

/* The JSON of such a text. A new reference, or NULL with the reason. */
MUST_USE json_t *run_spec_parse(const char *text, size_t length, struct error *err);

/* A new object with every field, so that equal specs give equal JSON. */
json_t *run_spec_to_json(const struct run_spec *spec);

/* The same as text in one line, for storage and for the worker. The caller frees it. */
char *run_spec_to_text(const struct run_spec *spec);

/* JSON Schema of a spec, with defaults. A new reference. */
json_t *run_spec_schema(void);

/* What holds beside it where the engine is the native one, or none is named. Likewise. */
json_t *run_spec_native_schema(void);

/* Checks one label as it would be in a spec, for filters too; `field` is blamed. */
MUST_USE bool label_check(const char *field, const char *key, const char *value,
                          struct error *err);

/* Reads one label as filters and options write it: KEY=VALUE. *ret_value points into `text`. */
MUST_USE bool label_read(const char *field, const char *text, char ret_key[LABEL_KEY_MAX + 1],
                         const char **ret_value, struct error *err);
