#include "server/http/json/present_run.h"

#include "server/base/cursor.h"

#include <math.h>

static const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

void present_progress(struct out *out, const char *key, const struct progress *progress)
{
    out_open(out, key, '{');
    out_integer(out, "steps_done", progress->steps_done);
    out_integer(out, "steps_planned", progress->steps_planned);
    out_text(out, "phase", progress->phase);
    out_number(out, "samples_per_second", progress->samples_per_second);
    if (progress->half_width_percent > 0)
        out_number(out, "half_width_percent", progress->half_width_percent);
    else
        out_null(out, "half_width_percent");
    if (progress->dollars > 0)
        out_number(out, "dollars", progress->dollars);
    else
        out_null(out, "dollars");
    out_number(out, "elapsed_seconds", progress->elapsed_seconds);
    out_number(out, "seconds_left", progress->seconds_left);
    out_close(out, '}');
}

/* The head of a summary, with the names that summary_to_text() gives the whole. */
static void present_head(struct out *out, const struct summary *summary)
{
    out_open(out, "summary", '{');
    out_number(out, "samples_per_second", summary->samples_per_second);
    if (summary->throughput.known) {
        out_open(out, "interval", '{');
        out_number(out, "low", summary->throughput.low);
        out_number(out, "high", summary->throughput.high);
        out_number(out, "level", 0.95);
        out_close(out, '}');
    } else {
        out_null(out, "interval");
    }
    out_number(out, "median_step_seconds", summary->median_step_seconds);
    out_integer(out, "measured_steps", summary->measured_steps);
    out_number(out, "measured_seconds", summary->measured_seconds);
    out_integer(out, "first_measured", summary->first_measured);
    out_close(out, '}');
}

static void present_summary(struct out *out, const struct run *run)
{
    if (run->state != RUN_FINISHED)
        out_null(out, "summary");
    else if (run->summary_text)
        out_raw(out, "summary", run->summary_text);
    else
        present_head(out, &run->summary);
}

void present_judgement(struct out *out, enum validity level, const char *findings)
{
    if (level == VALIDITY_UNKNOWN) {
        out_null(out, "validity");
        return;
    }
    out_open(out, "validity", '{');
    out_text(out, "level", validity_name(level));
    out_raw(out, "findings", findings);
    out_close(out, '}');
}

/* Of a run that belongs to a sweep: where in it. */
static void present_place(struct out *out, const struct run *run)
{
    if (!run->sweep.text[0]) {
        out_null(out, "sweep");
        return;
    }
    out_open(out, "sweep", '{');
    out_text(out, "id", run->sweep.text);
    out_integer(out, "cell", run->cell);
    out_integer(out, "block", run->block);
    out_close(out, '}');
}

static void present_count(struct out *out, const char *key, long long number)
{
    if (number > 0)
        out_integer(out, key, number);
    else
        out_null(out, key);
}

static void present_told(struct out *out, const struct run *run)
{
    out_raw(out, "engine_details", run->engine_details);
    out_raw(out, "loaded", run->loaded);
    present_count(out, "samples", run->samples);
    present_count(out, "peak_memory_bytes", run->peak_memory_bytes);
    out_number(out, "gradient_cosine", run->certified.whole_known ? run->certified.whole : NAN);
    out_number(out, "worst_layer_cosine",
               run->certified.worst_known ? run->certified.worst : NAN);
}

static void present_where(struct out *out, const struct run *run)
{
    out_text(out, "provider", text_or_null(run->where.provider));
    out_text(out, "region", text_or_null(run->where.region));
    out_text(out, "zone", text_or_null(run->where.zone));
    out_text(out, "vm", text_or_null(run->where.vm));
    out_text(out, "provenance", provenance_names[run->provenance]);
    out_text(out, "sender", text_or_null(run->sender));
}

void present_run(struct out *out, const char *key, const struct run *run,
                 const struct progress *progress)
{
    out_open(out, key, '{');
    out_text(out, "id", run->id.text);
    out_text(out, "state", run_state_name(run->state));
    out_raw(out, "spec", run->spec_text);
    out_text(out, "instance", text_or_null(run->instance));
    present_where(out, run);
    out_text(out, "machine", text_or_null(run->machine));
    out_time(out, "created_at", run->created_us);
    out_time(out, "started_at", run->started_us);
    out_time(out, "ended_at", run->ended_us);
    out_text(out, "software", text_or_null(run->software));
    present_told(out, run);
    out_integer(out, "steps_stored", run->steps);
    out_time(out, "thinned_at", run->thinned_us);
    present_summary(out, run);
    present_judgement(out, run->validity, run->findings);
    out_raw(out, "cost", run->price);
    present_place(out, run);
    out_text(out, "ended_by", run->ended_by);
    out_text(out, "reason", text_or_null(run->reason));
    out_text(out, "stderr_tail", run->stderr_tail);
    if (progress && run->state == RUN_RUNNING)
        present_progress(out, "progress", progress);
    else
        out_null(out, "progress");
    out_close(out, '}');
}

void present_run_list(struct out *out, const struct run_list *list)
{
    char cursor[CURSOR_SIZE];

    out_open(out, NULL, '{');
    out_open(out, "runs", '[');
    for (size_t i = 0; i < list->count; i++)
        present_run(out, NULL, &list->runs[i], NULL);
    out_close(out, ']');
    if (list->more) {
        cursor_write(list->runs[list->count - 1].number, cursor);
        out_text(out, "next_cursor", cursor);
    } else {
        out_null(out, "next_cursor");
    }
    out_close(out, '}');
}

void present_implementations(struct out *out, const char *text)
{
    out_open(out, NULL, '{');
    if (text)
        out_raw(out, "implementations", text);
    else
        out_null(out, "implementations");
    out_close(out, '}');
}

static void present_split(struct out *out, const struct step_split *split)
{
    if (!step_split_is_told(split)) {
        out_null(out, "split");
        return;
    }
    out_open(out, "split", '{');
    out_number(out, "input_seconds", (double)split->input / 1e9);
    out_number(out, "forward_seconds", (double)split->forward / 1e9);
    out_number(out, "backward_seconds", (double)split->backward / 1e9);
    out_number(out, "update_seconds", (double)split->update / 1e9);
    out_number(out, "communication_seconds", (double)split->communication / 1e9);
    out_close(out, '}');
}

void present_step(struct out *out, long long position, const struct step *step, bool measured)
{
    out_open(out, NULL, '{');
    out_integer(out, "index", position);
    out_number(out, "seconds", (double)step->nanoseconds / 1e9);
    out_number(out, "loss", step->loss);
    out_bool(out, "measured", measured);
    present_split(out, &step->split);
    out_close(out, '}');
}
