/* Tested by tests/api/test_measuring.py and test_load.py. */
#include "server/http/json/present_evidence.h"

#include "db/runs/machines.h"
#include "engine/stats/load_advice.h"
#include "engine/trace/evidence.h"
#include "server/http/json/present_run.h"
#include "server/runs/conclusion.h"

#include <string.h>

/* A counter that was not visible is -1. */
static void present_counter(struct json_writer *out, const char *key, long long count)
{
    if (count < 0)
        jsonw_null(out, key);
    else
        jsonw_integer(out, key, count);
}

static void present_observation(struct json_writer *out, const struct observation *seen)
{
    jsonw_open(out, NULL, '{');
    jsonw_integer(out, "steps", seen->steps);
    jsonw_number(out, "seconds", (double)seen->taken_ns / 1e9);
    present_counter(out, "cpu_ticks", seen->cpu_ticks);
    present_counter(out, "steal_ticks", seen->steal_ticks);
    present_counter(out, "throttled_periods", seen->throttled_periods);
    present_counter(out, "throttled_microseconds", seen->throttled_us);
    present_counter(out, "involuntary_switches", seen->involuntary_switches);
    present_counter(out, "waited_nanoseconds", seen->waited_ns);
    present_counter(out, "cpu_nanoseconds", seen->own_cpu_ns);
    present_counter(out, "major_faults", seen->major_faults);
    present_counter(out, "pages_swapped_in", seen->swap_ins);
    jsonw_close(out, '}');
}

void present_evidence(struct json_writer *out, const struct evidence *evidence, bool thinned)
{
    jsonw_open(out, NULL, '{');
    jsonw_open(out, "observations", '[');
    for (size_t i = 0; i < evidence->observation_count; i++)
        present_observation(out, &evidence->observations[i]);
    jsonw_close(out, ']');
    jsonw_open(out, "canaries", '[');
    for (size_t i = 0; i < evidence->reading_count; i++) {
        jsonw_open(out, NULL, '{');
        jsonw_integer(out, "steps", evidence->readings[i].steps);
        jsonw_number(out, "hertz", evidence->readings[i].canary.hertz);
        jsonw_number(out, "copy_bytes_per_second",
                     evidence->readings[i].canary.copy_bytes_per_second);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
    jsonw_bool(out, "thinned", thinned);
    jsonw_close(out, '}');
}

/* One writer makes both texts, so equal texts mean equal numbers to the last digit. */
static bool is_same(const char *stored, const char *now)
{
    return stored && strcmp(stored, now) == 0;
}

void present_recomputed(struct json_writer *out, const struct run *run,
                        const struct conclusion *conclusion)
{
    jsonw_open(out, NULL, '{');
    jsonw_bool(out, "identical",
               is_same(run->summary_text, conclusion->summary_text) &&
                   is_same(run->findings, conclusion->findings) &&
                   run->validity == conclusion->validity);
    jsonw_open(out, "stored", '{');
    jsonw_raw(out, "summary", run->summary_text);
    present_judgement(out, run->validity, run->findings, run->load);
    jsonw_close(out, '}');
    jsonw_open(out, "recomputed", '{');
    jsonw_raw(out, "summary", conclusion->summary_text);
    present_judgement(out, conclusion->validity, conclusion->findings, run->load);
    jsonw_close(out, '}');
    jsonw_close(out, '}');
}

void present_machine(struct json_writer *out, const char *key, const struct machine_row *machine)
{
    jsonw_open(out, key, '{');
    jsonw_text(out, "fingerprint", machine->fingerprint);
    jsonw_text(out, "stratum", machine->stratum);
    jsonw_time(out, "first_seen_at", machine->seen_us);
    jsonw_raw(out, "facts", machine->facts);
    jsonw_close(out, '}');
}

void present_load(struct json_writer *out, const char *key, const struct load *load, int threads)
{
    struct load_opinion opinion;

    load_advise(load, threads, &opinion);
    jsonw_open(out, key, '{');
    jsonw_number(out, "busy_percent", load->busy_percent);
    jsonw_number(out, "hidden_percent", load->hidden_percent);
    jsonw_open(out, "processes", '[');
    for (int i = 0; i < load->count; i++) {
        jsonw_open(out, NULL, '{');
        jsonw_text(out, "name", load->users[i].name);
        jsonw_number(out, "percent", load->users[i].percent);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
    jsonw_text(out, "advice", load_advice_name(opinion.advice));
    if (opinion.threads > 0)
        jsonw_integer(out, "threads", opinion.threads);
    else
        jsonw_null(out, "threads");
    jsonw_text(out, "words", opinion.words);
    jsonw_close(out, '}');
}
