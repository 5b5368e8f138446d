/* Tested by tests/server/http/json/present_run_test.c. */
#include "server/http/json/present_roofline.h"

#include "engine/run/run_roofline.h"

#include <math.h>

/* 0 is not known, and written as null. */
static void present_known(struct json_writer *out, const char *key, double number)
{
    jsonw_number(out, key, number > 0 ? number : NAN);
}

static void present_part(struct json_writer *out, const struct roofline_part *part)
{
    jsonw_number(out, "seconds", part->seconds);
    present_known(out, "multiply_adds", part->multiply_adds);
    present_known(out, "multiply_adds_per_second", part->multiply_adds_per_second);
    present_known(out, "share", part->share);
}

static void present_peak(struct json_writer *out, const struct roofline *roofline,
                         const char *unit)
{
    if (!(roofline->peak_multiply_adds_per_second > 0)) {
        jsonw_null(out, "peak");
        return;
    }
    jsonw_open(out, "peak", '{');
    jsonw_text(out, "unit", unit[0] ? unit : NULL);
    jsonw_number(out, "multiply_adds_per_second", roofline->peak_multiply_adds_per_second);
    jsonw_close(out, '}');
}

static void present_known_roofline(struct json_writer *out, const struct roofline *roofline,
                                   const char *unit)
{
    jsonw_open(out, "roofline", '{');
    present_peak(out, roofline, unit);
    jsonw_open(out, "phases", '[');
    for (int i = 0; i < roofline->phase_count; i++) {
        jsonw_open(out, NULL, '{');
        jsonw_text(out, "name", roofline->phases[i].name);
        present_part(out, &roofline->phases[i]);
        jsonw_close(out, '}');
    }
    jsonw_close(out, ']');
    jsonw_open(out, "step", '{');
    present_part(out, &roofline->step);
    jsonw_close(out, '}');
    jsonw_open(out, "memory", '{');
    present_known(out, "least_bytes", roofline->step_bytes);
    present_known(out, "least_bytes_per_second", roofline->step_bytes_per_second);
    present_known(out, "peak_bytes_per_second", roofline->peak_read_bytes_per_second);
    present_known(out, "least_share", roofline->memory_share);
    jsonw_close(out, '}');
    jsonw_open(out, "missing", '[');
    for (int i = 0; i < roofline->missing_count; i++)
        jsonw_text(out, NULL, roofline->missing[i]);
    jsonw_close(out, ']');
    jsonw_close(out, '}');
}

void present_roofline(struct json_writer *out, const struct run *run)
{
    struct engine_details details = {0};
    struct roofline roofline = {0};
    bool known = false;

    /* A damaged text must not hide the rest of the run. */
    if (run_roofline(run, &known, &details, &roofline, NULL) && known)
        present_known_roofline(out, &roofline, details.peak_unit);
    else
        jsonw_null(out, "roofline");
}
