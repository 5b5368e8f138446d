#include "server/cli/bench_plan.h"

#include "common/cleanup.h"
#include "common/json_text.h"
#include "common/limits.h"
#include "common/memory.h"
#include "engine/run/run.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/run_spec_text.h"

#define FLAG "--label"
#define QUICK_MIN_SECONDS 12
#define QUICK_MAX_SECONDS 45
#define QUICK_SECONDS 75 /* including a repetition */
#define STANDARD_MIN_SECONDS 60

static bool is_quick(const struct bench_wish *wish)
{
    return strcmp(wish->set, "quick") == 0;
}

static bool add_label(json_t *labels, const char *pair, struct error *err)
{
    char key[LABEL_KEY_MAX + 1];
    const char *value;

    if (!label_read(FLAG, pair, key, &value, err))
        return false;
    if (strcmp(key, BENCH_LABEL) == 0)
        return error_set(err, ERROR_INVALID, FLAG,
                         "the key '" BENCH_LABEL "' is the bench's own: take another");
    if (json_object_get(labels, key))
        return error_set(err, ERROR_INVALID, FLAG, "the key '%.64s' is given twice", key);
    if (json_object_size(labels) == RUN_LABELS_MAX)
        return error_set(err, ERROR_INVALID, FLAG, "more than %d, including '%s'", RUN_LABELS_MAX,
                         BENCH_LABEL);
    json_object_set_new(labels, key, json_string(value));
    return true;
}

static json_t *make_labels(const struct bench_wish *wish, struct error *err)
{
    AUTO(freep) char *text = xstrdup(wish->label);
    AUTO(json_decrefp) json_t *labels = json_object();
    char *rest = text, *pair;

    json_object_set_new(labels, BENCH_LABEL, json_string(wish->set));
    while ((pair = strsep(&rest, ";")) != NULL)
        if (*pair && !add_label(labels, pair, err))
            return NULL;
    return json_incref(labels);
}

/* A configuration, and its share of the time and the money. */
struct part {
    const char *precision;
    long long weight;
};

/* Without bf16 in hardware, only f32 is measured: emulated bf16 is of no use for training. Steps
 * in f32 take about twice as long, and a result needs a number of steps. */
static size_t choose_parts(const struct bench_wish *wish, struct part ret_parts[2])
{
    static const struct part f32 = {"f32", 8}, bf16 = {"bf16", 5};

    if (wish->wanted) {
        ret_parts[0] = (struct part){wish->wanted->precision, 1};
        return 1;
    }
    ret_parts[0] = is_quick(wish) && wish->has_bf16 ? bf16 : f32;
    ret_parts[1] = bf16;
    return wish->has_bf16 && !is_quick(wish) ? 2 : 1;
}

/* The share of one run of this part in the seconds or dollars of all runs. */
static double share_of(double all, long long blocks, const struct part *part, long long weights)
{
    return all * (double)part->weight / (double)(weights * blocks);
}

/* The time limit of a run: its share, up to the maximum of the set. */
static long long seconds_of(const struct bench_wish *wish, double share)
{
    long long most = is_quick(wish) ? QUICK_MAX_SECONDS : RUN_SECONDS_MAX;
    long long seconds = share < (double)most ? (long long)share : most;

    return seconds > 1 ? seconds : 1;
}

static long long measured_seconds_of(const struct bench_wish *wish, long long seconds)
{
    long long least = is_quick(wish) ? QUICK_MIN_SECONDS : STANDARD_MIN_SECONDS;

    return least < seconds * 3 / 5 ? least : seconds * 3 / 5;
}

static json_t *make_cell(const struct bench_wish *wish, const struct part *part,
                         long long seconds, double dollars)
{
    json_t *cell = json_pack("{s:s,s:I,s:I}", "precision", part->precision, "min_seconds",
                             (json_int_t)measured_seconds_of(wish, seconds), "max_seconds",
                             (json_int_t)seconds);

    if (wish->max_dollars > 0)
        json_object_set_new(cell, "max_dollars", json_real(dollars));
    return cell;
}

static json_t *make_cells(const struct bench_wish *wish, long long blocks,
                          struct bench_plan *plan)
{
    json_t *cells = json_array();
    struct part parts[2];
    long long weights = 0;

    plan->cells = choose_parts(wish, parts);
    plan->runs = plan->cells * (size_t)blocks;
    for (size_t i = 0; i < plan->cells; i++)
        weights += parts[i].weight;
    for (size_t i = 0; i < plan->cells; i++) {
        double all = (double)(wish->max_seconds - RUN_ENDING_SECONDS * (long long)plan->runs);
        long long seconds = seconds_of(wish, share_of(all, blocks, &parts[i], weights));
        double dollars = share_of(wish->max_dollars, blocks, &parts[i], weights);

        json_array_append_new(cells, make_cell(wish, &parts[i], seconds, dollars));
        if (seconds > plan->run_seconds)
            plan->run_seconds = seconds;
    }
    return cells;
}

static long long repeat_seconds_of(const struct bench_wish *wish)
{
    return is_quick(wish) && wish->max_seconds > QUICK_SECONDS ? QUICK_SECONDS
                                                               : wish->max_seconds;
}

static json_t *batch_of(const struct bench_wish *wish)
{
    return wish->batch_size == FIELD_IS_AUTO ? json_string("auto")
                                             : json_integer(wish->batch_size);
}

/* What all cells share: the workload of a set; or the wanted spec without the fields that a cell
 * or a bench sets. */
static json_t *make_base(const struct bench_wish *wish, json_t *labels)
{
    static const char *const own[] = {"precision", "min_seconds", "max_seconds", "max_dollars"};
    json_t *base = wish->wanted ? run_spec_to_json(wish->wanted)
                                : json_pack("{s:s, s:o}", "workload", "resnet50", "batch_size",
                                            batch_of(wish));

    json_object_set(base, "labels", labels);
    for (size_t i = 0; i < COUNT(own); i++)
        json_object_del(base, own[i]);
    return base;
}

bool bench_plan_make(const struct bench_wish *wish, struct bench_plan *ret_plan,
                     struct error *err)
{
    long long blocks = is_quick(wish) ? 1 : 2;
    struct bench_plan plan = {.repeat_seconds = repeat_seconds_of(wish)};
    AUTO(json_decrefp) json_t *labels = make_labels(wish, err);
    AUTO(json_decrefp) json_t *cells = make_cells(wish, blocks, &plan);
    AUTO(json_decrefp) json_t *request = NULL, *base = NULL;

    if (!labels)
        return false;
    base = make_base(wish, labels);
    request =
        json_pack("{s:I,s:O,s:O}", "blocks", (json_int_t)blocks, "base", base, "cells", cells);
    plan.request = json_text(request);
    *ret_plan = plan;
    return true;
}

void bench_plan_clear(struct bench_plan *plan)
{
    freep(&plan->request);
    *plan = (struct bench_plan){0};
}

static bool plan_same(const json_t *left, const json_t *right, const char *member)
{
    return json_equal(json_object_get(left, member), json_object_get(right, member));
}

/* Whether the object has the first of the members, may have the rest, and has no others. */
static bool holds_only(const json_t *object, const char *const *members)
{
    const char *first = members[0];
    size_t known = 0;

    for (; *members; members++)
        known += json_object_get(object, *members) ? 1U : 0U;
    return json_object_get(object, first) && json_object_size(object) == known;
}

/* Whether their cell is the same as ours, with limits no higher than ours. */
static bool takes_no_more(const json_t *ours, const json_t *theirs)
{
    const json_t *dollars = json_object_get(ours, "max_dollars");
    const json_t *their_dollars = json_object_get(theirs, "max_dollars");

    return plan_same(ours, theirs, "precision") &&
           json_integer_value(json_object_get(theirs, "max_seconds")) <=
               json_integer_value(json_object_get(ours, "max_seconds")) &&
           (!dollars ||
            (their_dollars && json_number_value(their_dollars) <= json_number_value(dollars)));
}

/* Any client may use our label: compare all labels, not only that one. */
static bool is_ours(const json_t *request)
{
    const json_t *base = json_object_get(request, "base");
    const json_t *cells = json_object_get(request, "cells");
    const json_t *set = json_object_get(json_object_get(base, "labels"), BENCH_LABEL);
    static const char *const of_base[] = {"workload", "labels", "batch_size", NULL};
    static const char *const of_cell[] = {"precision", "min_seconds", "max_seconds",
                                          "max_dollars", NULL};
    bool is_wanted = json_is_string(set) && strcmp(json_string_value(set), BENCH_WANTED) == 0;

    for (size_t i = 0; i < json_array_size(cells); i++) {
        const json_t *cell = json_array_get(cells, i);

        if (!holds_only(cell, of_cell) || !json_object_get(cell, "min_seconds") ||
            !json_object_get(cell, "max_seconds"))
            return false;
    }
    return json_is_string(set) && (is_wanted || holds_only(base, of_base)) &&
           json_array_size(cells) > 0 && json_object_get(request, "blocks") &&
           json_object_size(request) == 3;
}

/* The base is workload and labels for a set, a whole spec for BENCH_WANTED. */
static bool is_same_wanted(const json_t *ours, const json_t *theirs)
{
    const char *set =
        json_string_value(json_object_get(json_object_get(ours, "labels"), BENCH_LABEL));

    return !set || strcmp(set, BENCH_WANTED) != 0 || json_equal(ours, theirs);
}

enum bench_kin bench_plan_compare(const struct bench_plan *plan, const char *request)
{
    AUTO(json_decrefp) json_t *ours = json_loads(plan->request, 0, NULL);
    AUTO(json_decrefp) json_t *theirs = json_loads(request, 0, NULL);
    const json_t *base = json_object_get(theirs, "base");
    const json_t *our_base = json_object_get(ours, "base");

    if (!is_ours(theirs))
        return BENCH_STRANGER;
    if (!plan_same(ours, theirs, "blocks") || !plan_same(our_base, base, "labels") ||
        !plan_same(our_base, base, "workload") ||
        (json_object_get(base, "batch_size") && !plan_same(our_base, base, "batch_size")) ||
        !is_same_wanted(our_base, base) ||
        json_array_size(json_object_get(theirs, "cells")) != plan->cells)
        return BENCH_OTHER;
    for (size_t i = 0; i < plan->cells; i++)
        if (!takes_no_more(json_array_get(json_object_get(ours, "cells"), i),
                           json_array_get(json_object_get(theirs, "cells"), i)))
            return BENCH_OTHER;
    return BENCH_SAME;
}
