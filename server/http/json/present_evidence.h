/* The shape of answers about machines: what was seen of one during a run, and who uses it now. */
#pragma once

#include "common/json_writer.h"
#include "engine/run/run.h"

#include <stdbool.h>

struct conclusion;
struct evidence;
struct load;
struct machine_row;

/* What the trace of a run says now, next to what is stored. */
void present_recomputed(struct json_writer *out, const struct run *run,
                        const struct conclusion *conclusion);

void present_evidence(struct json_writer *out, const struct evidence *evidence, bool thinned);

/* Who uses the processors, with the advice for a run of so many threads. */
void present_load(struct json_writer *out, const char *key, const struct load *load, int threads);

void present_machine(struct json_writer *out, const char *key, const struct machine_row *machine);
