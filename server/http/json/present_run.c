#include "server/http/json/present_run.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "engine/stats/load_advice.h"
#include "server/base/cursor.h"
#include "server/base/taken_back_json.h"
#include "server/http/json/present_roofline.h"
#include "server/http/json/present_unmatched.h"
#include "server/prices/cost_json.h"
#include "server/prices/price_json.h"

#include <math.h>

void present_progress(struct json_writer *out, const char *key, const struct progress *progress)
{
    jsonw_open(out, key, '{');
    jsonw_integer(out, "steps_done", progress->steps_done);
    jsonw_integer(out, "steps_planned", progress->steps_planned);
    jsonw_text(out, "phase", progress->phase);
    jsonw_number(out, "samples_per_second", progress->samples_per_second);
    if (progress->half_width_percent > 0)
        jsonw_number(out, "half_width_percent", progress->half_width_percent);
    else
        jsonw_null(out, "half_width_percent");
    if (progress->dollars > 0)
        jsonw_number(out, "dollars", price_exact(progress->dollars));
    else
        jsonw_null(out, "dollars");
    jsonw_number(out, "elapsed_seconds", progress->elapsed_seconds);
    jsonw_number(out, "seconds_left", progress->seconds_left);
    jsonw_close(out, '}');
}

/* The head of a summary, with the names that summary_to_text() gives the whole. */
static void present_head(struct json_writer *out, const struct summary *summary)
{
    jsonw_open(out, "summary", '{');
    jsonw_number(out, "samples_per_second", summary->samples_per_second);
    if (summary->throughput.known) {
        jsonw_open(out, "interval", '{');
        jsonw_number(out, "low", summary->throughput.low);
        jsonw_number(out, "high", summary->throughput.high);
        jsonw_number(out, "level", 0.95);
        jsonw_close(out, '}');
    } else {
        jsonw_null(out, "interval");
    }
    jsonw_number(out, "median_step_seconds", summary->median_step_seconds);
    jsonw_integer(out, "measured_steps", summary->measured_steps);
    jsonw_number(out, "measured_seconds", summary->measured_seconds);
    jsonw_integer(out, "first_measured", summary->first_measured);
    jsonw_close(out, '}');
}

static void present_summary(struct json_writer *out, const struct run *run)
{
    if (run->state != RUN_FINISHED)
        jsonw_null(out, "summary");
    else if (run->summary_text)
        jsonw_raw(out, "summary", run->summary_text);
    else
        present_head(out, &run->summary);
}

/* As samples a second, of workloads on text. */
static void present_tokens(struct json_writer *out, const struct run *run)
{
    double tokens = (double)run_spec_text_tokens(run->spec_text);
    const struct summary *summary = &run->summary;
    const struct amount speed = {.value = tokens * summary->samples_per_second,
                                 .low = tokens * summary->throughput.low,
                                 .high = tokens * summary->throughput.high,
                                 .has_interval = summary->throughput.known};

    present_interval(out, "tokens_per_second",
                     run->state == RUN_FINISHED && tokens > 0 ? &speed : NULL);
}

void present_judgement(struct json_writer *out, enum validity level, const char *findings,
                       const char *load)
{
    AUTO(freep) char *named = load_name_in_findings(findings, load);

    if (level == VALIDITY_UNKNOWN) {
        jsonw_null(out, "validity");
        return;
    }
    jsonw_open(out, "validity", '{');
    jsonw_text(out, "level", validity_name(level));
    jsonw_raw(out, "findings", named);
    jsonw_close(out, '}');
}

/* Of a run that belongs to a sweep: where in it. */
static void present_place(struct json_writer *out, const struct run *run)
{
    if (!run->sweep.text[0]) {
        jsonw_null(out, "sweep");
        return;
    }
    jsonw_open(out, "sweep", '{');
    jsonw_text(out, "id", run->sweep.text);
    jsonw_integer(out, "cell", run->cell);
    jsonw_integer(out, "block", run->block);
    jsonw_close(out, '}');
}

static void present_count(struct json_writer *out, const char *key, long long number)
{
    if (number > 0)
        jsonw_integer(out, key, number);
    else
        jsonw_null(out, key);
}

static void present_told(struct json_writer *out, const struct run *run)
{
    jsonw_raw(out, "engine_details", run->engine_details);
    jsonw_raw(out, "loaded", run->loaded);
    present_count(out, "samples", run->samples);
    present_count(out, "peak_memory_bytes", run->peak_memory_bytes);
    jsonw_number(out, "gradient_cosine", run->certified.whole_known ? run->certified.whole : NAN);
    jsonw_number(out, "worst_layer_cosine",
                 run->certified.worst_known ? run->certified.worst : NAN);
}

static void present_where(struct json_writer *out, const struct run *run)
{
    jsonw_text(out, "provider", text_or_null(run->where.provider));
    jsonw_text(out, "region", text_or_null(run->where.region));
    jsonw_text(out, "zone", text_or_null(run->where.zone));
    jsonw_text(out, "vm", text_or_null(run->where.vm));
    jsonw_text(out, "provenance", provenance_names[run->provenance]);
    jsonw_text(out, "sender", text_or_null(run->sender));
    jsonw_text(out, "signed_by", text_or_null(run->signed_by));
}

void present_run(struct json_writer *out, const char *key, const struct run *run,
                 const struct progress *progress)
{
    jsonw_open(out, key, '{');
    jsonw_text(out, "id", run->id.text);
    jsonw_text(out, "state", run_state_name(run->state));
    jsonw_raw(out, "spec", run->spec_text);
    jsonw_text(out, "instance_type", text_or_null(run->instance));
    present_where(out, run);
    jsonw_text(out, "machine", text_or_null(run->machine));
    jsonw_time(out, "created_at", run->created_us);
    jsonw_time(out, "started_at", run->started_us);
    jsonw_time(out, "ended_at", run->ended_us);
    jsonw_text(out, "software", text_or_null(run->software));
    present_told(out, run);
    jsonw_integer(out, "steps_stored", run->steps);
    jsonw_time(out, "thinned_at", run->thinned_us);
    present_summary(out, run);
    present_tokens(out, run);
    present_roofline(out, run);
    present_judgement(out, run->validity, run->findings, run->load);
    present_taken_back(out, "void", &run->voided);
    if (run->price)
        present_run_cost(out, "cost", run);
    else
        present_run_cost_head(out, "cost", run);
    present_place(out, run);
    jsonw_text(out, "ended_by", run->ended_by);
    jsonw_text(out, "reason", text_or_null(run->reason));
    jsonw_text(out, "stderr_tail", run->stderr_tail);
    if (progress && run->state == RUN_RUNNING)
        present_progress(out, "progress", progress);
    else
        jsonw_null(out, "progress");
    jsonw_close(out, '}');
}

void present_run_list(struct json_writer *out, const struct run_list *list,
                      const struct unmatched *unmatched, size_t unmatched_count)
{
    char cursor[CURSOR_SIZE];

    jsonw_open(out, NULL, '{');
    jsonw_open(out, "runs", '[');
    for (size_t i = 0; i < list->count; i++)
        present_run(out, NULL, &list->runs[i], NULL);
    jsonw_close(out, ']');
    if (list->more) {
        cursor_write(list->runs[list->count - 1].number, cursor);
        jsonw_text(out, "next_cursor", cursor);
    } else {
        jsonw_null(out, "next_cursor");
    }
    present_unmatched(out, unmatched, unmatched_count);
    jsonw_close(out, '}');
}

void present_implementations(struct json_writer *out, const char *text)
{
    jsonw_open(out, NULL, '{');
    if (text)
        jsonw_raw(out, "implementations", text);
    else
        jsonw_null(out, "implementations");
    jsonw_close(out, '}');
}

static void present_split(struct json_writer *out, const struct step_split *split)
{
    if (!step_split_is_known(split)) {
        jsonw_null(out, "split");
        return;
    }
    jsonw_open(out, "split", '{');
    jsonw_number(out, "input_seconds", (double)split->input / 1e9);
    jsonw_number(out, "forward_seconds", (double)split->forward / 1e9);
    jsonw_number(out, "backward_seconds", (double)split->backward / 1e9);
    jsonw_number(out, "update_seconds", (double)split->update / 1e9);
    jsonw_number(out, "communication_seconds", (double)split->communication / 1e9);
    jsonw_close(out, '}');
}

void present_step(struct json_writer *out, long long position, const struct step *step,
                  bool measured)
{
    jsonw_open(out, NULL, '{');
    jsonw_integer(out, "index", position);
    jsonw_number(out, "seconds", (double)step->nanoseconds / 1e9);
    jsonw_number(out, "loss", step->loss);
    jsonw_bool(out, "measured", measured);
    present_split(out, &step->split);
    jsonw_close(out, '}');
}
