/* The part of present.h about what a number rests on. */
#include "db/machines.h"
#include "engine/trace/evidence.h"
#include "server/http/json/present_run.h"
#include "server/runs/conclusion.h"

#include <string.h>

/* A counter that was not visible is -1. */
static void present_counter(struct out *out, const char *key, long long count)
{
    if (count < 0)
        out_null(out, key);
    else
        out_integer(out, key, count);
}

static void present_observation(struct out *out, const struct observation *seen)
{
    out_open(out, NULL, '{');
    out_integer(out, "steps", seen->steps);
    out_number(out, "seconds", (double)seen->taken_ns / 1e9);
    present_counter(out, "cpu_ticks", seen->cpu_ticks);
    present_counter(out, "steal_ticks", seen->steal_ticks);
    present_counter(out, "throttled_periods", seen->throttled_periods);
    present_counter(out, "throttled_microseconds", seen->throttled_us);
    present_counter(out, "involuntary_switches", seen->involuntary_switches);
    present_counter(out, "waited_nanoseconds", seen->waited_ns);
    present_counter(out, "cpu_nanoseconds", seen->own_cpu_ns);
    present_counter(out, "major_faults", seen->major_faults);
    present_counter(out, "pages_swapped_in", seen->swap_ins);
    out_close(out, '}');
}

void present_evidence(struct out *out, const struct evidence *evidence, bool thinned)
{
    out_open(out, NULL, '{');
    out_open(out, "observations", '[');
    for (size_t i = 0; i < evidence->observation_count; i++)
        present_observation(out, &evidence->observations[i]);
    out_close(out, ']');
    out_open(out, "canaries", '[');
    for (size_t i = 0; i < evidence->song_count; i++) {
        out_open(out, NULL, '{');
        out_integer(out, "steps", evidence->songs[i].steps);
        out_number(out, "hertz", evidence->songs[i].canary.hertz);
        out_number(out, "copy_bytes_per_second", evidence->songs[i].canary.copy_bytes_per_second);
        out_close(out, '}');
    }
    out_close(out, ']');
    out_bool(out, "thinned", thinned);
    out_close(out, '}');
}

/* Equal texts are equal numbers to the last digit, for one writer wrote both. */
static bool is_same(const char *stored, const char *now)
{
    return stored && strcmp(stored, now) == 0;
}

void present_recomputed(struct out *out, const struct run *run,
                        const struct conclusion *conclusion)
{
    out_open(out, NULL, '{');
    out_bool(out, "identical",
             is_same(run->summary_text, conclusion->summary_text) &&
                 is_same(run->findings, conclusion->findings) &&
                 run->validity == conclusion->validity);
    out_open(out, "stored", '{');
    out_raw(out, "summary", run->summary_text);
    present_judgement(out, run->validity, run->findings);
    out_close(out, '}');
    out_open(out, "recomputed", '{');
    out_raw(out, "summary", conclusion->summary_text);
    present_judgement(out, conclusion->validity, conclusion->findings);
    out_close(out, '}');
    out_close(out, '}');
}

void present_machine(struct out *out, const char *key, const struct machine_row *machine)
{
    out_open(out, key, '{');
    out_text(out, "fingerprint", machine->fingerprint);
    out_text(out, "stratum", machine->stratum);
    out_time(out, "first_seen_at", machine->seen_us);
    out_raw(out, "facts", machine->facts);
    out_close(out, '}');
}
