/* The shape of every JSON answer about runs. openapi.json describes what is written here, and a
 * test holds the two together. */
#pragma once

#include "answers/compare/unmatched.h"
#include "common/json_writer.h"
#include "db/runs/run_list.h"
#include "engine/run/pace.h"
#include "engine/run/run.h"
#include "engine/trace/steps.h"

/* `progress` may be NULL. */
void present_run(struct json_writer *out, const char *key, const struct run *run,
                 const struct progress *progress);

void present_run_list(struct json_writer *out, const struct run_list *list,
                      const struct unmatched *unmatched, size_t unmatched_count);

/* The member "roofline" of a run: null but of a finished run with its whole summary. */
void present_roofline(struct json_writer *out, const struct run *run);

void present_progress(struct json_writer *out, const char *key, const struct progress *progress);

/* `findings` and `load` as in struct run, whose names of processes the words get; null for what
 * was never judged. */
void present_judgement(struct json_writer *out, enum validity level, const char *findings,
                       const char *load);

/* What the trace of a run comes to now, beside what is stored. */
struct conclusion;
void present_recomputed(struct json_writer *out, const struct run *run,
                        const struct conclusion *conclusion);

struct evidence;
void present_evidence(struct json_writer *out, const struct evidence *evidence, bool thinned);

struct load;
/* Who uses the processors, with the advice for a run of so many threads. */
void present_load(struct json_writer *out, const char *key, const struct load *load, int threads);

struct machine_row;
void present_machine(struct json_writer *out, const char *key, const struct machine_row *machine);

/* `text` is that of engine/protocol/implementations.h, or NULL. */
void present_implementations(struct json_writer *out, const char *text);

/* One element of the list of steps. */
void present_step(struct json_writer *out, long long position, const struct step *step,
                  bool measured);
