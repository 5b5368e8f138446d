#include "engine/stats/summary_text.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/limits.h"
#include "common/rows/members.h"

#include <math.h>

MEMBER_KNOWN(throughput_is_known, struct summary, summary, summary->throughput.known)

static const struct member interval_rows[] = {
    {MEMBER_AS(struct summary, "low", throughput.low), .range = MEMBER_POSITIVE},
    {MEMBER_AS(struct summary, "high", throughput.high), .range = MEMBER_POSITIVE},
    {MEMBER_CONSTANT("level", "0.95")},
    {MEMBER_CONSTANT("method", "\"batch_means_ar1\"")},
    {MEMBER(struct summary, batches), .schema = "{\"minimum\": 2}"},
    {MEMBER(struct summary, batch_steps), .schema = "{\"minimum\": 10}"},
    {MEMBER_AS(struct summary, "lag1", batch_lag1), .meaning = "Autocorrelation of the batches."},
    {MEMBER(struct summary, memory), .range = MEMBER_SHARE,
     .meaning = "Autocorrelation of the steps, at the upper end of its confidence range."},
    {MEMBER(struct summary, drift_percent), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Percent of the mean by which a drift of the steps widened the interval on each "
                "side."},
    {MEMBER(struct summary, disturbance_percent), .range = MEMBER_NOT_NEGATIVE,
     .meaning =
         "Percent by which the machine may be faster undisturbed: the upper end is so much "
         "higher."},
    {0},
};
static const struct members interval_members = {
    .name = "Interval",
    .meaning = "Interval of the throughput: the wider one of batch means and first-order "
               "autoregression, widened by a drift of the mean, and upwards by disturbance.",
    .rows = interval_rows,
    .is_known = throughput_is_known};

MEMBER_KNOWN(median_is_known, struct summary, summary, summary->median.known)

static const struct member median_rows[] = {
    {MEMBER_AS(struct summary, "low", median.low), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct summary, "high", median.high), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_CONSTANT("level", "0.95")},
    {MEMBER_CONSTANT("method", "\"block_bootstrap\"")},
    {MEMBER_CONSTANT("resamples", LIMIT_TEXT(BOOTSTRAP_RESAMPLES))},
    {MEMBER(struct summary, block_steps), .range = MEMBER_POSITIVE},
    {0},
};
static const struct members median_members = {
    .name = "MedianInterval",
    .meaning = "Interval of the median step in seconds, by moving-block bootstrap; the run's id "
               "is the seed.",
    .rows = median_rows,
    .is_known = median_is_known};

static const struct member warmup_rows[] = {
    {MEMBER_AS(struct summary, "steps", first_measured), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct summary, "seconds", warmup_seconds), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Without step 0, which belongs to `init_seconds`."},
    {MEMBER_AS(struct summary, "steady_state", steady)},
    {MEMBER_AS(struct summary, "class", trace), .words = trace_class_names},
    {MEMBER(struct summary, change_percent),
     .meaning = "Change of the step time from the earlier to the later of the two parts of the "
                "measured steps that differ most; positive: the later part is slower."},
    {0},
};
static const struct members warmup_members = {
    .name = "WarmUp",
    .meaning = "The warm-up steps, which do not count, and the shape of the trace.",
    .rows = warmup_rows};

static const struct member outlier_rows[] = {
    {MEMBER_AS(struct summary, "count", outliers), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct summary, "share_of_time", outlier_time_share), .range = MEMBER_SHARE},
    {MEMBER_AS(struct summary, "below_seconds", outlier_low_seconds),
     .range = MEMBER_NOT_NEGATIVE},
    {MEMBER_AS(struct summary, "above_seconds", outlier_high_seconds),
     .range = MEMBER_NOT_NEGATIVE},
    {0},
};
static const struct members outlier_members = {
    .name = "Outliers",
    .meaning = "Measured steps beyond a modified z score of 3.5: marked, never dropped.",
    .rows = outlier_rows};

MEMBER_KNOWN(split_is_known, struct summary, summary, summary->split_known)

static const struct member split_rows[] = {
    {MEMBER_AS(struct summary, "input_seconds", split.input)},
    {MEMBER_AS(struct summary, "forward_seconds", split.forward)},
    {MEMBER_AS(struct summary, "backward_seconds", split.backward)},
    {MEMBER_AS(struct summary, "update_seconds", split.update)},
    {MEMBER_AS(struct summary, "communication_seconds", split.communication)},
    {0},
};
static const struct members split_members = {.rows = split_rows, .is_known = split_is_known};

static void write_split(struct json_writer *out, const struct member *row, const void *object)
{
    members_write(out, row->name, &split_members, object);
}

static const struct member loss_rows[] = {
    {MEMBER_AS(struct summary, "first", first_loss)},
    {MEMBER_AS(struct summary, "last", last_loss)},
    {0},
};
static const struct members loss_members = {
    .name = "Losses",
    .meaning = "Means of the first and of the last fifth of all steps.",
    .rows = loss_rows};

MEMBER_WRITES(write_method, integer, struct summary, it, ((void)it, SUMMARY_METHOD))
MEMBER_WRITES(write_half_width, number, struct summary, it,
              it->throughput.known ? it->half_width_percent : NAN)

/* In the order in which a reader asks: the number, how sure, of what, and what about it. */
static const struct member summary_rows[] = {
    {MEMBER_WRITTEN("method", MEMBER_INT, write_method), .range = MEMBER_POSITIVE,
     .meaning = "Version of the statistics."},
    {MEMBER(struct summary, samples_per_second), .range = MEMBER_POSITIVE,
     .meaning = "All samples divided by all seconds of the measured steps."},
    {MEMBER_GROUP("interval", &interval_members), .nullable = true},
    {MEMBER(struct summary, half_width_percent), .nullable = true, .range = MEMBER_NOT_NEGATIVE,
     .write = write_half_width,
     .meaning = "Half of the interval as the steps make it, in percent of the throughput."},
    {MEMBER(struct summary, idle_samples_per_second), .range = MEMBER_POSITIVE,
     .meaning = "The approximate speed of the same machine undisturbed."},
    {MEMBER(struct summary, median_step_seconds), .range = MEMBER_POSITIVE},
    {MEMBER_GROUP("median_interval", &median_members), .nullable = true},
    {MEMBER(struct summary, measured_steps), .range = MEMBER_POSITIVE},
    {MEMBER(struct summary, measured_seconds), .range = MEMBER_POSITIVE},
    {MEMBER(struct summary, first_measured), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "Index of the first step that counts."},
    {MEMBER(struct summary, init_seconds), .range = MEMBER_NOT_NEGATIVE,
     .meaning = "From the engine's start to the end of step 0: the setup."},
    {MEMBER_GROUP("warmup", &warmup_members)},
    {MEMBER_AS(struct summary, "coefficient_of_variation", cov), .range = MEMBER_NOT_NEGATIVE},
    {MEMBER(struct summary, lag1), .meaning = "Autocorrelation of the measured steps."},
    {MEMBER_GROUP("outliers", &outlier_members)},
    {MEMBER(struct summary, skewed),
     .meaning = "Mean and median step differ by more than 2 %: there were stalls, and the bill "
                "includes them."},
    {MEMBER_WRITTEN("split", MEMBER_OBJECT, write_split), .reference = "Split", .nullable = true},
    {MEMBER_GROUP("loss", &loss_members)},
    {0},
};
const struct members summary_members = {
    .name = "Summary", .meaning = "The result of the measured steps.", .rows = summary_rows};

char *summary_to_text(const struct summary *summary)
{
    return isfinite(summary->first_loss) && isfinite(summary->last_loss)
               ? members_to_text(&summary_members, summary)
               : NULL;
}

bool summary_split_from_text(const char *text, bool *ret_known, struct split_seconds *ret_split,
                             struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_read(text, strlen(text), 0, &why);
    const json_t *split = json_object_get(json, "split");
    struct summary summary = {0};

    if (!json)
        return error_set(err, ERROR_INVALID, "summary", "is not JSON: %s", why.text);
    *ret_known = json_is_object(split);
    for (const struct member *row = split_rows; row->name; row++) {
        double seconds = json_number_value(json_object_get(split, row->name));

        memcpy((char *)&summary + row->offset, &seconds, sizeof seconds);
    }
    *ret_split = summary.split;
    return true;
}
