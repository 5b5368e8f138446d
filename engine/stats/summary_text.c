#include "engine/stats/summary_text.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/json_text.h"

#define LEVEL 0.95

/* Each of these returns null where nothing is known. */

static json_t *throughput_interval(const struct summary *summary)
{
    if (!summary->throughput.known)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:s, s:I, s:I, s:f, s:f, s:f, s:f}", "low",
                     summary->throughput.low, "high", summary->throughput.high, "level", LEVEL,
                     "method", "batch_means_ar1", "batches", (json_int_t)summary->batches,
                     "batch_steps", (json_int_t)summary->batch_steps, "lag1", summary->batch_lag1,
                     "memory", summary->memory, "drift_percent", summary->drift_percent,
                     "disturbance_percent", summary->disturbance_percent);
}

static json_t *median_interval(const struct summary *summary)
{
    if (!summary->median.known)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:s, s:i, s:I}", "low", summary->median.low, "high",
                     summary->median.high, "level", LEVEL, "method", "block_bootstrap",
                     "resamples", BOOTSTRAP_RESAMPLES, "block_steps",
                     (json_int_t)summary->block_steps);
}

static json_t *split(const struct summary *summary)
{
    const struct split_seconds *parts = &summary->split;

    if (!summary->split_known)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f, s:f}", "input_seconds", parts->input,
                     "forward_seconds", parts->forward, "backward_seconds", parts->backward,
                     "update_seconds", parts->update, "communication_seconds",
                     parts->communication);
}

static json_t *half_width(const struct summary *summary)
{
    return summary->throughput.known ? json_real(summary->half_width_percent) : json_null();
}

char *summary_to_text(const struct summary *summary)
{
    /* In the order in which a reader asks: the number, how sure, of what, and what about it. */
    AUTO(json_decrefp)
    json_t *json = json_pack(
        "{s:i, s:f, s:o, s:o, s:f, s:f, s:o, s:I, s:f, s:I}", "method", SUMMARY_METHOD,
        "samples_per_second", summary->samples_per_second, "interval",
        throughput_interval(summary), "half_width_percent", half_width(summary),
        "idle_samples_per_second", summary->idle_samples_per_second, "median_step_seconds",
        summary->median_step_seconds, "median_interval", median_interval(summary),
        "measured_steps", (json_int_t)summary->measured_steps, "measured_seconds",
        summary->measured_seconds, "first_measured", (json_int_t)summary->first_measured);
    AUTO(json_decrefp)
    json_t *rest = json_pack(
        "{s:f, s:{s:I, s:f, s:b, s:s, s:f}, s:f, s:f, s:{s:I, s:f, s:f, s:f}, s:b, s:o, s:{s:f, "
        "s:f}}",
        "init_seconds", summary->init_seconds, "warmup", "steps",
        (json_int_t)summary->first_measured, "seconds", summary->warmup_seconds, "steady_state",
        summary->steady, "class", trace_class_name(summary->trace), "change_percent",
        summary->change_percent, "coefficient_of_variation", summary->cov, "lag1", summary->lag1,
        "outliers", "count", (json_int_t)summary->outliers, "share_of_time",
        summary->outlier_time_share, "below_seconds", summary->outlier_low_seconds,
        "above_seconds", summary->outlier_high_seconds, "skewed", summary->skewed, "split",
        split(summary), "loss", "first", summary->first_loss, "last", summary->last_loss);

    if (!json || !rest)
        return NULL;
    json_object_update(json, rest);
    return json_text(json);
}

bool summary_split_from_text(const char *text, bool *ret_known, struct split_seconds *ret_split,
                             struct error *err)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_read(text, strlen(text), 0, &why);
    const json_t *split = json_object_get(json, "split");
    const struct {
        const char *name;
        double *seconds;
    } parts[] = {{"input_seconds", &ret_split->input},
                 {"forward_seconds", &ret_split->forward},
                 {"backward_seconds", &ret_split->backward},
                 {"update_seconds", &ret_split->update},
                 {"communication_seconds", &ret_split->communication}};

    if (!json)
        return error_set(err, ERROR_INVALID, "summary", "is not JSON: %s", why.text);
    *ret_known = json_is_object(split);
    *ret_split = (struct split_seconds){0};
    for (size_t i = 0; i < COUNT(parts); i++)
        *parts[i].seconds = json_number_value(json_object_get(split, parts[i].name));
    return true;
}
