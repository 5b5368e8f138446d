/* A run from elsewhere, as the reader of documents returns it. For one file of a program to
 * include. */
#pragma once

#include "common/bytes.h"
#include "db/runs/imports.h"
#include "engine/run/pace.h"
#include "tests/test.h"

#include <string.h>

#define IMPORTED_ID "01HF7YAT00000000000000000A"
#define IMPORTED_STEPS "{\"nanoseconds\":[30,10,11,12],\"loss\":[0.5,0.25,0.1,-2]}"
#define IMPORTED_EVIDENCE                                                                        \
    "{\"observations\":[[1,5,6,7,8,9,10,11,12,13,14]],\"canaries\":[[2,1000000000,2000]]}"

/* What `imported` points to; the texts of the run are literals, so it is never cleared. */
struct imported_parts {
    struct run run;
    char summary[16], findings[4], implementations[16];
    struct imported imported;
};

static inline struct span imported_span(const char *text)
{
    return (struct span){text, strlen(text)};
}

static inline void imported_make(struct imported_parts *parts)
{
    memset(parts, 0, sizeof *parts);
    snprintf(parts->summary, sizeof parts->summary, "{\"s\":1}");
    snprintf(parts->findings, sizeof parts->findings, "[]");
    snprintf(parts->implementations, sizeof parts->implementations, "{\"a\":{}}");
    parts->run =
        (struct run){.id = {IMPORTED_ID},
                     .state = RUN_FINISHED,
                     .provenance = PROVENANCE_IMPORTED,
                     .spec = run_spec_default(),
                     .instance = "test.large",
                     .where = {.provider = "aws", .region = "r", .vm = "i123456789abcdef"},
                     .created_us = 1000000,
                     .started_us = 2000000,
                     .ended_us = 3000000,
                     .software = "other 1",
                     .implementations = parts->implementations,
                     .machine = "00000000000000aa",
                     .steps = 4,
                     .ended_by = pace_verdict_name(PACE_ALL_STEPS),
                     .summary = {.measured_steps = 3,
                                 .measured_seconds = 0.5,
                                 .samples_per_second = 64,
                                 .median_step_seconds = 0.25,
                                 .first_measured = 1},
                     .summary_text = parts->summary,
                     .validity = VALIDITY_OK,
                     .findings = parts->findings};
    parts->run.spec.label_count = 1;
    parts->run.spec.labels[0] = (struct label){"branch", "main"};
    parts->imported = (struct imported){.run = &parts->run,
                                        .stratum = "00000000000000bb",
                                        .facts = "{\"isa\":\"avx2\",\"cores\":2}",
                                        .steps = imported_span(IMPORTED_STEPS),
                                        .evidence = imported_span(IMPORTED_EVIDENCE)};
}

/* Gives the run a trace of so many steps, of 1, 2, ... nanoseconds; the caller frees its text. */
static inline struct bytes imported_lengthen(struct imported_parts *parts, long long steps)
{
    struct bytes text = {.limit = 1 << 20};
    bool ok = bytes_printf(&text, "{\"nanoseconds\":[1");

    for (long long i = 1; i < steps; i++)
        ok = ok && bytes_printf(&text, ",%lld", i + 1);
    ok = ok && bytes_printf(&text, "],\"loss\":[0");
    for (long long i = 1; i < steps; i++)
        ok = ok && bytes_printf(&text, ",%lld", i % 10);
    EXPECT(ok && bytes_printf(&text, "]}"));
    parts->run.steps = steps;
    parts->imported.steps = imported_span(text.data);
    return text;
}

/* In a transaction of its own. */
static inline bool import_alone(struct db *db, const struct imported *imported,
                                enum import_fate *ret_fate, struct error *err)
{
    __attribute__((cleanup(imports_end))) struct imports imports = {0};

    return imports_begin(&imports, db, err) && imports_put(&imports, imported, ret_fate, err) &&
           imports_commit(&imports, err);
}
