/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/verify/deviations.h"

#include "common/cleanup.h"
#include "common/order.h"
#include "engine/train/networks/recipes.h"
#include "engine/train/verify/near_zero.h"

#include <math.h>
#include <stdbool.h>

static void deviations_consider(struct worst *worst, double value, const char *name)
{
    if (!(value <= worst->value)) { /* NaN is the worst of all */
        worst->value = value;
        snprintf(worst->name, sizeof worst->name, "%s", name);
    }
}

static double deviations_number(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

/* What is equal is not off, even from zero. */
static double deviations_relative(double ours, double theirs, double scale)
{
    double difference = fabs(ours - theirs);

    return difference <= 0 ? 0 : difference / fabs(scale);
}

static void deviations_losses(const json_t *ours, const json_t *theirs, struct worst *worst)
{
    size_t count = json_array_size(theirs);

    if (json_array_size(ours) != count)
        deviations_consider(worst, INFINITY, "number of steps");
    for (size_t i = 0; i < count; i++) {
        double a = json_number_value(json_array_get(ours, i));
        double b = json_number_value(json_array_get(theirs, i));
        char name[32];

        snprintf(name, sizeof name, "step %zu", i);
        deviations_consider(worst, deviations_relative(a, b, b), name);
    }
}

static void keep_excuse(struct deviations *all, const struct excuse *excuse)
{
    if (all->excuse_count < EXCUSES_MAX)
        all->excuses[all->excuse_count] = *excuse;
    all->excuse_count++;
}

/* What remains of an element's deviation; ReLUs near zero excuse it whole or not at all. */
static double deviations_excused(struct excuse *excuse, const json_t *near_zero,
                                 double difference, double rms, double limit)
{
    excuse->before = deviations_relative(difference, 0, rms);
    excuse->after = excuse->before;
    if (excuse->before > limit)
        excuse->after = fabs(near_zero_left(near_zero, difference, &excuse->units)) / rms;
    if (excuse->after <= limit)
        return excuse->after;
    excuse->units = 0;
    return excuse->before;
}

static double deviations_largest(json_t *elements)
{
    const char *index;
    json_t *value;
    double most = 0;

    json_object_foreach(elements, index, value) most = fmax(most, fabs(json_number_value(value)));
    return most;
}

/* The single elements of one gradient. */
static void deviations_elements(const char *name, const json_t *ours, const json_t *theirs,
                                double limit, bool of_graph, struct deviations *all)
{
    double rms = of_graph
                     ? deviations_largest(json_object_get(theirs, "at"))
                     : deviations_number(theirs, "l2") / sqrt(deviations_number(theirs, "count"));
    const char *index;
    json_t *value;

    json_object_foreach(json_object_get(theirs, "at"), index, value)
    {
        const json_t *near_zero = json_object_get(json_object_get(theirs, "near_zero"), index);
        double own = deviations_number(json_object_get(ours, "at"), index);
        struct excuse excuse = {0};
        double left =
            deviations_excused(&excuse, near_zero, own - json_number_value(value), rms, limit);

        snprintf(excuse.name, sizeof excuse.name, "%s[%.10s]", name, index);
        if (excuse.units > 0)
            keep_excuse(all, &excuse);
        deviations_consider(&all->element, left, excuse.name);
    }
}

double deviations_median(double *values, size_t count)
{
    if (count == 0)
        return INFINITY;
    qsort(values, count, sizeof *values, order_ascending);
    return values[count / 2];
}

static double deviations_norm(const json_t *ours, const json_t *theirs)
{
    if (!ours || deviations_number(ours, "count") < deviations_number(theirs, "count") ||
        deviations_number(ours, "count") > deviations_number(theirs, "count"))
        return INFINITY;
    return deviations_relative(deviations_number(ours, "l2"), deviations_number(theirs, "l2"),
                               deviations_number(theirs, "l2"));
}

/* Where a gradient is zero by mathematics, Adam makes steps of the rounding noise. The gradient
 * of a key's bias is zero. */
static bool is_noise(const char *name)
{
    const char *end = strstr(name, "c_attn.bias");

    return end && strcmp(end, "c_attn.bias") == 0;
}

/* The largest; returns the median. */
static double deviations_norms(const json_t *ours, json_t *theirs, bool updates,
                               struct worst *worst)
{
    double deviations[512];
    size_t count = 0;
    const char *name;
    json_t *tensor;

    json_object_foreach(theirs, name, tensor)
    {
        double deviation = deviations_norm(json_object_get(ours, name), tensor);

        if (updates && is_noise(name))
            continue;
        deviations_consider(worst, deviation, name);
        if (count < COUNT(deviations))
            deviations[count++] = deviation;
    }
    if (json_object_size(ours) > json_object_size(theirs))
        deviations_consider(worst, INFINITY, "of a tensor that the file lacks");
    return deviations_median(deviations, count);
}

/* The sum of a gradient times noise notices an order or a sign that norms do not. */
static void deviations_dots(const char *name, const json_t *ours, const json_t *theirs,
                            struct worst *worst)
{
    if (json_object_get(theirs, "dot"))
        deviations_consider(worst,
                            deviations_relative(deviations_number(ours, "dot"),
                                                deviations_number(theirs, "dot"),
                                                deviations_number(theirs, "l2")),
                            name);
}

/* Norms, their median, and single elements. */
static void deviations_gradients(const json_t *ours, json_t *theirs, double element_limit,
                                 bool of_graph, struct deviations *all)
{
    const char *name;
    json_t *tensor;

    all->gradient_median = deviations_norms(ours, theirs, false, &all->gradient);
    json_object_foreach(theirs, name, tensor)
    {
        const json_t *own = json_object_get(ours, name);

        deviations_elements(name, own, tensor, element_limit, of_graph, all);
        deviations_dots(name, own, tensor, &all->dot);
    }
}

void deviations_find(const json_t *ours, const json_t *theirs, double element_limit,
                     struct deviations *ret)
{
    const char *network = json_string_value(json_object_get(theirs, "network"));
    bool of_graph = network && recipe_find(network);

    *ret = (struct deviations){0};
    deviations_losses(json_object_get(ours, "losses"), json_object_get(theirs, "losses"),
                      &ret->loss);
    deviations_gradients(json_object_get(ours, "gradients"), json_object_get(theirs, "gradients"),
                         element_limit, of_graph, ret);
    ret->update_median = deviations_norms(json_object_get(ours, "updates"),
                                          json_object_get(theirs, "updates"), true, &ret->update);
    deviations_norms(json_object_get(ours, "running"), json_object_get(theirs, "running"), false,
                     &ret->running);
}
