#include "server/bench_plan.h"

#include "common/cleanup.h"
#include "engine/json_text.h"
#include "engine/run_spec.h"

#define FLAG "--label"
#define QUICK_MIN_SECONDS 12
#define QUICK_MAX_SECONDS 45
#define STANDARD_MIN_SECONDS 60
#define RUN_SECONDS_MAX 86400
#define ENDING_SECONDS 2 /* from a run's own limit to the start of the next one */

static bool is_quick(const struct bench_wish *wish)
{
    return strcmp(wish->set, "quick") == 0;
}

static bool out_of_memory(struct error *err)
{
    return error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

/* One "key=value", which is changed. */
static bool add_label(json_t *labels, char *pair, struct error *err)
{
    char *equals = strchr(pair, '=');

    if (!equals)
        return error_set(err, ERROR_INVALID, FLAG, "must be KEY=VALUE, got '%.100s'", pair);
    *equals = '\0';
    if (strcmp(pair, BENCH_LABEL) == 0)
        return error_set(err, ERROR_INVALID, FLAG,
                         "the key '" BENCH_LABEL "' is the bench's own: take another");
    if (!label_check(FLAG, pair, equals + 1, err))
        return false;
    if (json_object_get(labels, pair))
        return error_set(err, ERROR_INVALID, FLAG, "the key '%.64s' is given twice", pair);
    if (json_object_size(labels) == RUN_LABELS_MAX)
        return error_set(err, ERROR_INVALID, FLAG, "more than %d, of which '%s' is one",
                         RUN_LABELS_MAX, BENCH_LABEL);
    return json_object_set_new(labels, pair, json_string(equals + 1)) == 0 || out_of_memory(err);
}

static json_t *make_labels(const struct bench_wish *wish, struct error *err)
{
    AUTO(freep) char *text = strdup(wish->label);
    AUTO(json_decrefp) json_t *labels = json_object();
    char *rest = text, *pair;

    if (!text || !labels ||
        json_object_set_new(labels, BENCH_LABEL, json_string(wish->set)) != 0) {
        out_of_memory(err);
        return NULL;
    }
    while (rest && (pair = strsep(&rest, ";")) != NULL)
        if (*pair && !add_label(labels, pair, err))
            return NULL;
    return json_incref(labels);
}

/* Emulated bf16 says nothing of a machine that anybody would train on in it. */
static json_t *make_cells(const struct bench_wish *wish)
{
    if (is_quick(wish))
        return json_pack("[{s:s}]", "precision", wish->has_bf16 ? "bf16" : "f32");
    if (wish->has_bf16)
        return json_pack("[{s:s},{s:s}]", "precision", "f32", "precision", "bf16");
    return json_pack("[{s:s}]", "precision", "f32");
}

/* Each run gets the same share of the time and of the money: what fits together, ends by itself
 * with a number. */
static void set_limits(const struct bench_wish *wish, struct bench_plan *plan,
                       long long *ret_min_seconds)
{
    long long most = is_quick(wish) ? QUICK_MAX_SECONDS : RUN_SECONDS_MAX;
    long long least = is_quick(wish) ? QUICK_MIN_SECONDS : STANDARD_MIN_SECONDS;
    long long share = wish->max_seconds / (long long)plan->runs - ENDING_SECONDS;

    if (share > most)
        share = most;
    if (share < 1)
        share = 1;
    plan->run_seconds = share;
    *ret_min_seconds = least < share / 2 ? least : share / 2;
}

static json_t *make_base(const struct bench_wish *wish, const struct bench_plan *plan,
                         long long min_seconds, json_t *labels)
{
    AUTO(json_decrefp)
    json_t *base = json_pack("{s:s,s:I,s:I,s:O}", "workload", "resnet50", "min_seconds",
                             (json_int_t)min_seconds, "max_seconds",
                             (json_int_t)plan->run_seconds, "labels", labels);

    if (!base || (wish->max_dollars > 0 &&
                  json_object_set_new(base, "max_dollars",
                                      json_real(wish->max_dollars / (double)plan->runs)) != 0))
        return NULL;
    return json_incref(base);
}

bool bench_plan_make(const struct bench_wish *wish, struct bench_plan *ret_plan,
                     struct error *err)
{
    AUTO(json_decrefp) json_t *labels = make_labels(wish, err);
    AUTO(json_decrefp) json_t *cells = make_cells(wish);
    AUTO(json_decrefp) json_t *request = NULL;
    struct bench_plan plan = {0};
    long long blocks = is_quick(wish) ? 1 : 2, min_seconds;

    if (!labels)
        return false;
    if (!cells)
        return out_of_memory(err);
    plan.cells = json_array_size(cells);
    plan.runs = plan.cells * (size_t)blocks;
    set_limits(wish, &plan, &min_seconds);
    request = json_pack("{s:I,s:o*,s:O}", "blocks", (json_int_t)blocks, "base",
                        make_base(wish, &plan, min_seconds, labels), "cells", cells);
    if (!request || !json_object_get(request, "base"))
        return out_of_memory(err);
    plan.request = json_text(request);
    if (!plan.request)
        return out_of_memory(err);
    *ret_plan = plan;
    return true;
}

void bench_plan_clear(struct bench_plan *plan)
{
    freep(&plan->request);
    *plan = (struct bench_plan){0};
}

static bool same(const json_t *left, const json_t *right, const char *member)
{
    return json_equal(json_object_get(left, member), json_object_get(right, member));
}

/* Whether each run of theirs keeps to what ours may take. */
static bool takes_no_more(const json_t *ours, const json_t *theirs)
{
    const json_t *dollars = json_object_get(ours, "max_dollars");
    const json_t *their_dollars = json_object_get(theirs, "max_dollars");

    return json_integer_value(json_object_get(theirs, "max_seconds")) <=
               json_integer_value(json_object_get(ours, "max_seconds")) &&
           (!dollars ||
            (their_dollars && json_number_value(their_dollars) <= json_number_value(dollars)));
}

/* Anybody may label a sweep as they like: this one has all that ours have, and nothing else. */
static bool is_ours(const json_t *request)
{
    const json_t *base = json_object_get(request, "base");
    size_t limits = json_object_get(base, "max_dollars") ? 5 : 4;

    return json_is_string(json_object_get(json_object_get(base, "labels"), BENCH_LABEL)) &&
           json_object_get(base, "workload") && json_object_get(base, "min_seconds") &&
           json_object_get(base, "max_seconds") && json_object_size(base) == limits &&
           json_object_get(request, "cells") && json_object_get(request, "blocks") &&
           json_object_size(request) == 3;
}

enum bench_kin bench_plan_compare(const struct bench_plan *plan, const char *request)
{
    AUTO(json_decrefp) json_t *ours = json_loads(plan->request, 0, NULL);
    AUTO(json_decrefp) json_t *theirs = json_loads(request, 0, NULL);
    const json_t *base = json_object_get(theirs, "base");
    const json_t *our_base = json_object_get(ours, "base");

    if (!is_ours(theirs))
        return BENCH_STRANGER;
    return same(ours, theirs, "cells") && same(ours, theirs, "blocks") &&
                   same(our_base, base, "labels") && same(our_base, base, "workload") &&
                   takes_no_more(our_base, base)
               ? BENCH_SAME
               : BENCH_OTHER;
}
