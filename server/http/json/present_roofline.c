/* Tested by tests/server/http/json/present_run_test.c. */
#include "server/http/json/present_roofline.h"

#include "common/limits.h"
#include "engine/run/run_roofline.h"

struct shown {
    struct roofline roofline;
    struct engine_details details;
};

MEMBER_KNOWN(peak_is_known, struct shown, shown,
             shown->roofline.peak_multiply_adds_per_second > 0)

static const struct member peak_rows[] = {
    {MEMBER_AS(struct shown, "unit", details.peak_unit), .nullable = true, .filled = true},
    {MEMBER_AS(struct shown, "multiply_adds_per_second", roofline.peak_multiply_adds_per_second),
     .range = MEMBER_POSITIVE},
    {0},
};
static const struct members peak_members = {.rows = peak_rows, .is_known = peak_is_known};

static const struct member roofline_part_rows[] = {
    {MEMBER(struct roofline_part, seconds), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Mean of the measured steps."},
    {MEMBER(struct roofline_part, multiply_adds), .nullable = true, .range = MEMBER_POSITIVE,
     .meaning = "By the definition of convolutions and linear layers; null where none are "
                "counted or they are not known."},
    {MEMBER(struct roofline_part, multiply_adds_per_second), .nullable = true,
     .range = MEMBER_POSITIVE},
    {MEMBER(struct roofline_part, share), .nullable = true, .range = MEMBER_POSITIVE,
     .meaning = "Of the peak. A way to compute that multiplies less than the definition "
                "(Winograd's, or one product for all places of a token) may exceed 1."},
    {0},
};
static const struct members roofline_part_members = {.name = "RooflinePart",
                                                     .rows = roofline_part_rows};

static const char *const phase_names[] = {"input",         "forward", "backward", "update",
                                          "communication", "other",   NULL};

static const struct member phase_rows[] = {
    {MEMBER(struct roofline_part, name), .words = phase_names},
    {MEMBER_ROWS(&roofline_part_members)},
    {0},
};
static const struct members phase_members = {.name = "RooflinePhase", .rows = phase_rows};

static const struct member memory_rows[] = {
    {MEMBER_AS(struct roofline, "least_bytes", step_bytes), .nullable = true,
     .range = MEMBER_POSITIVE,
     .meaning = "The least that a step moves to and from memory; it may have moved more."},
    {MEMBER_AS(struct roofline, "least_bytes_per_second", step_bytes_per_second),
     .nullable = true, .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct roofline, "peak_bytes_per_second", peak_read_bytes_per_second),
     .nullable = true, .range = MEMBER_POSITIVE,
     .meaning = "Peak read bandwidth of all threads together."},
    {MEMBER_AS(struct roofline, "least_share", memory_share), .nullable = true,
     .range = MEMBER_POSITIVE, .meaning = "`least_bytes_per_second` of `peak_bytes_per_second`."},
    {0},
};
static const struct members memory_members = {.name = "RooflineMemory", .rows = memory_rows};

MEMBER_LISTS(write_phases, struct shown, it, it->roofline.phases, it->roofline.phase_count)

static void write_missing(struct json_writer *out, const struct member *row, const void *object)
{
    const struct roofline *roofline = &((const struct shown *)object)->roofline;

    jsonw_open(out, row->name, '[');
    for (int i = 0; i < roofline->missing_count; i++)
        jsonw_text(out, NULL, roofline->missing[i]);
    jsonw_close(out, ']');
}

static const struct member roofline_rows[] = {
    {MEMBER_GROUP("peak", &peak_members), .nullable = true,
     .meaning = "Peak multiplications of all threads together."},
    {MEMBER_LIST_OF("phases", &phase_members), .write = write_phases, .most = ROOFLINE_PHASES_MAX,
     .meaning =
         "The parts of a step, in their order; empty where the engine does not report them. "
         "`input` is waiting for, or making, the batch; `other` is the rest of the step."},
    {MEMBER_OBJECT_AT(struct shown, "step", roofline.step), .members = &roofline_part_members},
    {MEMBER_OBJECT_AT(struct shown, "memory", roofline), .members = &memory_members},
    {MEMBER_WRITTEN("missing", MEMBER_LIST, write_missing), .most = ROOFLINE_MISSING_MAX,
     .schema = "{\"type\": \"string\", \"minLength\": 1}",
     .meaning = "The reason for each unknown value."},
    {0},
};
const struct members roofline_members = {
    .name = "Roofline",
    .meaning = "A run's speed as a share of its machine's peaks, computed from "
               "`engine_details`, `spec` and `summary`. The engine measured the peaks in this "
               "run; without them there are no shares.",
    .rows = roofline_rows};

void roofline_write(struct json_writer *out, const struct member *row, const void *object)
{
    struct shown shown = {.roofline = {0}};
    bool known = false;

    /* A damaged text must not hide the rest of the run. */
    if (!run_roofline(object, &known, &shown.details, &shown.roofline, NULL))
        known = false;
    members_write(out, row->name, &roofline_members, known ? &shown : NULL);
}
