#include "server/present.h"

#include "server/cursor.h"

static const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

void present_progress(struct out *out, const char *key, const struct progress *progress)
{
    out_open(out, key, '{');
    out_integer(out, "steps_done", progress->steps_done);
    out_integer(out, "steps_planned", progress->steps_planned);
    out_number(out, "samples_per_second", progress->samples_per_second);
    out_number(out, "elapsed_seconds", progress->elapsed_seconds);
    out_number(out, "seconds_left", progress->seconds_left);
    out_close(out, '}');
}

static void present_summary(struct out *out, const struct summary *summary)
{
    out_open(out, "summary", '{');
    out_number(out, "samples_per_second", summary->samples_per_second);
    out_number(out, "median_step_seconds", summary->median_step_seconds);
    out_integer(out, "measured_steps", summary->measured_steps);
    out_number(out, "measured_seconds", summary->measured_seconds);
    out_close(out, '}');
}

void present_run(struct out *out, const char *key, const struct run *run,
                 const struct progress *progress)
{
    out_open(out, key, '{');
    out_text(out, "id", run->id.text);
    out_text(out, "state", run_state_name(run->state));
    out_raw(out, "spec", run->spec_text);
    out_text(out, "instance", text_or_null(run->instance));
    out_time(out, "created_at", run->created_us);
    out_time(out, "started_at", run->started_us);
    out_time(out, "ended_at", run->ended_us);
    out_text(out, "software", text_or_null(run->software));
    out_integer(out, "steps_stored", run->steps);
    if (run->state == RUN_FINISHED)
        present_summary(out, &run->summary);
    else
        out_null(out, "summary");
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

void present_step(struct out *out, long long position, const struct step *step, bool measured)
{
    out_open(out, NULL, '{');
    out_integer(out, "index", position);
    out_number(out, "seconds", (double)step->nanoseconds / 1e9);
    out_number(out, "loss", step->loss);
    out_bool(out, "measured", measured);
    out_close(out, '}');
}
