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

void present_progress(struct json_writer *out, const char *key, const struct progress *progress);

/* `findings` and `load` as in struct run, whose names of processes the words get; null for what
 * was never judged. */
void present_judgement(struct json_writer *out, enum validity level, const char *findings,
                       const char *load);

/* `text` is that of engine/protocol/implementations.h, or NULL. */
void present_implementations(struct json_writer *out, const char *text);

/* One element of the list of steps. */
void present_step(struct json_writer *out, long long position, const struct step *step,
                  bool measured);
