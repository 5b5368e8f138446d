/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/verify/verify_against.h"

#include "common/cleanup.h"

#include <assert.h>
#include <math.h>

/* Relative deviations that rounding explains: f32 against float64, and bf16. */
struct verify_limits {
    double loss, update, element;
    double gradient;        /* the largest of the norms, of any ordering */
    double gradient_usual;  /* the median ordering's largest */
    double gradient_median; /* the median ordering's median */
};
static const struct verify_limits limits_f32 = {
    .loss = 1e-5,
    .update = 2e-2,
    .element = 3e-2,
    .gradient = 2e-3,
    .gradient_usual = 2e-3,
    .gradient_median = 1e-4,
};
/* The median gradient tells right from wrong. The largest of 161 depends on nothing but the order
 * of sums: docs/engine.md has the spread, PyTorch's own reaches 0.101. */
static const struct verify_limits limits_bf16 = {
    .loss = 1e-3,
    .update = 1e-1,
    .element = INFINITY,
    .gradient = 1.5e-1,
    .gradient_usual = 1.01e-1,
    .gradient_median = 8e-3,
};

#define ORDERINGS_FOR_USUAL 3 /* fewer say nothing about what is usual */

json_t *verify_reference(const struct verify_options *options, struct error *err)
{
    const struct {
        const char *name;
        double asked;
    } same[] = {{"batch", (double)options->batch},
                {"seed", (double)options->seed},
                {"lr", options->lr},
                {"momentum", options->momentum},
                {"weight_decay", options->weight_decay}};
    json_error_t why;
    AUTO(json_decrefp) json_t *reference = json_load_file(options->against, 0, &why);

    if (!reference) {
        error_set(err, ERROR_INVALID, NULL, "%s: %s", options->against, why.text);
        return NULL;
    }
    for (size_t i = 0; i < COUNT(same); i++) {
        double there = json_number_value(json_object_get(reference, same[i].name));

        if (there != same[i].asked) {
            error_set(err, ERROR_INVALID, NULL, "%s has %s %g, not %g", options->against,
                      same[i].name, there, same[i].asked);
            return NULL;
        }
    }
    return json_incref(reference);
}

void verify_judgement_start(struct verify_judgement *judgement, const char *precision)
{
    *judgement = (struct verify_judgement){
        .limits = strcmp(precision, "bf16") == 0 ? &limits_bf16 : &limits_f32};
}

static void keep_worse(struct worst *kept, const struct worst *other)
{
    if (!(other->value <= kept->value)) /* NaN is the worst of all */
        *kept = *other;
}

static void print_ordering(const json_t *result, const struct deviations *found)
{
    printf("%-34s gradient norm: median %.2g, largest %.2g  %s\n",
           json_string_value(json_object_get(result, "ordering")), found->gradient_median,
           found->gradient.value, found->gradient.name);
    for (int i = 0; i < found->excuse_count && i < EXCUSES_MAX; i++) {
        const struct excuse *excuse = &found->excuses[i];

        printf("    %s is off by %.3g, of which %d ReLU%s near zero explain%s all but %.3g\n",
               excuse->name, excuse->before, excuse->units, excuse->units == 1 ? "" : "s",
               excuse->units == 1 ? "s" : "", excuse->after);
    }
}

void verify_judgement_add(struct verify_judgement *judgement, const json_t *result,
                          json_t *reference)
{
    struct deviations found;

    assert(judgement->count < (int)COUNT(judgement->medians));
    deviations_find(result, reference, judgement->limits->element, &found);
    print_ordering(result, &found);
    keep_worse(&judgement->loss, &found.loss);
    keep_worse(&judgement->gradient, &found.gradient);
    keep_worse(&judgement->update, &found.update);
    keep_worse(&judgement->running, &found.running);
    keep_worse(&judgement->element, &found.element);
    judgement->medians[judgement->count] = found.gradient_median;
    judgement->largest[judgement->count] = found.gradient.value;
    judgement->count++;
}

static bool report(const char *what, double value, const char *name, double limit)
{
    bool ok = value <= limit;

    printf("%-26s %10.3g  limit %8.3g  %s  %s\n", what, value, limit, ok ? "ok  " : "LARGE",
           name);
    return ok;
}

static bool report_worst(const char *what, const struct worst *worst, double limit)
{
    return report(what, worst->value, worst->name, limit);
}

bool verify_judgement_end(struct verify_judgement *judgement)
{
    const struct verify_limits *limits = judgement->limits;
    size_t count = (size_t)judgement->count;
    bool ok = report_worst("loss, relative", &judgement->loss, limits->loss);

    ok &= report_worst("gradient norm, relative", &judgement->gradient, limits->gradient);
    if (count >= ORDERINGS_FOR_USUAL)
        ok &= report("gradient norm, usual", deviations_median(judgement->largest, count), "",
                     limits->gradient_usual);
    ok &= report("gradient norm, median", deviations_median(judgement->medians, count), "",
                 limits->gradient_median);
    ok &= report_worst("gradient element / rms", &judgement->element, limits->element);
    ok &= report_worst("update norm, relative", &judgement->update, limits->update);
    ok &= report_worst("running norm, relative", &judgement->running, limits->update);
    return ok;
}
