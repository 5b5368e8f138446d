/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/verify/verify_against.h"

#include "common/cleanup.h"
#include "engine/train/networks/recipes.h"

#include <assert.h>
#include <math.h>

/* Relative deviations that rounding explains: f32 against float64, and bf16. */
struct verify_limits {
    const char *workload;
    double loss, update, element;
    double gradient;        /* the largest of the norms, of any ordering */
    double gradient_usual;  /* the median ordering's largest */
    double gradient_median; /* the median ordering's median */
    double update_median;
    double dot; /* of a gradient with noise, to its norm */
};
static const struct verify_limits limits_f32 = {
    .loss = 1e-5,
    .update = 2e-2,
    .update_median = 2e-2,
    .element = 3e-2,
    .gradient = 2e-3,
    .gradient_usual = 2e-3,
    .gradient_median = 1e-4,
    .dot = INFINITY,
};
/* Of f32, where the file lists no ReLUs near zero: one of them moves an element by 0.2. */
#define ELEMENT_UNLISTED 0.25
/* The median gradient tells right from wrong. The largest of 161 depends on nothing but the order
 * of sums: docs/engine.md has the spread, PyTorch's own reaches 0.101. */
static const struct verify_limits limits_bf16 = {
    .loss = 1e-3,
    .update = 1e-1,
    .update_median = 1e-1,
    .element = INFINITY,
    .gradient = 1.5e-1,
    .gradient_usual = 1.01e-1,
    .gradient_median = 8e-3,
    .dot = INFINITY,
};
/* Of graphs: ten times what PyTorch is off in f32, twice what it is off in bf16. */
static const struct verify_limits graph_f32 = {
    .loss = 1e-5,
    .update = 2e-4,
    .update_median = 2e-4,
    .element = 5e-6,
    .gradient = 1e-6,
    .gradient_usual = 1e-6,
    .gradient_median = 1e-6,
    .dot = 1e-5,
};
/* clang-format off */
#define BF16(name, of_loss, worst, median, of_update, of_update_median)                          \
    {                                                                                            \
        .workload = name, .loss = of_loss, .update = of_update,                                  \
        .update_median = of_update_median, .element = INFINITY, .gradient = worst,               \
        .gradient_usual = worst, .gradient_median = median, .dot = 0.4                           \
    }
/* clang-format on */
static const struct verify_limits graphs_bf16[] = {
    BF16("mlp2017", 2e-3, 1e-2, 5e-3, 2e-2, 2e-3),
    BF16("cnn2017", 1.5e-2, 1.4e-1, 5e-2, 1.6e-1, 3e-2),
    BF16("cifar2017", 1.5e-2, 1.4e-1, 5e-2, 1.6e-1, 3e-2),
    BF16("fasttext2017", 4e-3, 2e-2, 8e-3, 3e-3, 1.5e-3),
    BF16("fasttext2017_unigrams", 4e-3, 2e-2, 8e-3, 3e-3, 1.5e-3),
    BF16("bilstm2017", 2e-3, 1e-2, 3e-3, 1.5e-2, 8e-3),
    BF16("lstm2017", 2e-3, 1e-2, 3e-3, 1.5e-2, 8e-3),
    BF16("textgen2017", 4e-3, 2e-2, 5e-3, 4e-2, 4e-3),
    BF16("gpt2", 1e-4, 5e-3, 1.5e-3, 2e-2, 1e-3),
    BF16("gpt2_tiny", 1e-4, 5e-3, 1.5e-3, 2e-2, 1e-3),
};

#define ORDERINGS_FOR_USUAL 3 /* fewer say nothing about what is usual */

static const struct verify_limits *limits_of(const char *workload, const char *precision)
{
    bool bf16 = strcmp(precision, "bf16") == 0;

    if (!recipe_find(workload))
        return bf16 ? &limits_bf16 : &limits_f32;
    for (size_t i = 0; bf16 && i < COUNT(graphs_bf16); i++)
        if (strcmp(graphs_bf16[i].workload, workload) == 0)
            return &graphs_bf16[i];
    return &graph_f32;
}

static bool lists_near_zero(const json_t *reference)
{
    const char *name;
    json_t *tensor;

    json_object_foreach(json_object_get(reference, "gradients"), name, tensor)
    {
        if (json_object_get(tensor, "near_zero"))
            return true;
    }
    return false;
}

void verify_judgement_start(struct verify_judgement *judgement, const char *workload,
                            const char *precision, json_t *reference)
{
    const struct verify_limits *limits = limits_of(workload, precision);
    bool wide = limits == &limits_f32 && !lists_near_zero(reference);

    *judgement =
        (struct verify_judgement){.limits = limits,
                                  .reference = reference,
                                  .element_limit = wide ? ELEMENT_UNLISTED : limits->element};
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

        printf("    %s is off by %.3g; %d ReLU%s near zero explain%s all but %.3g\n",
               excuse->name, excuse->before, excuse->units, excuse->units == 1 ? "" : "s",
               excuse->units == 1 ? "s" : "", excuse->after);
    }
}

void verify_judgement_add(struct verify_judgement *judgement, const json_t *result)
{
    struct deviations found;

    assert(judgement->count < (int)COUNT(judgement->medians));
    deviations_find(result, judgement->reference, judgement->element_limit, &found);
    print_ordering(result, &found);
    keep_worse(&judgement->loss, &found.loss);
    keep_worse(&judgement->gradient, &found.gradient);
    keep_worse(&judgement->update, &found.update);
    keep_worse(&judgement->running, &found.running);
    keep_worse(&judgement->element, &found.element);
    keep_worse(&judgement->dot, &found.dot);
    judgement->update_median = fmax(judgement->update_median, found.update_median);
    judgement->medians[judgement->count] = found.gradient_median;
    judgement->largest[judgement->count] = found.gradient.value;
    judgement->count++;
}

static bool verify_report(const char *what, double value, const char *name, double limit)
{
    bool ok = value <= limit;

    printf("%-26s %10.3g  limit %8.3g  %s  %s\n", what, value, limit, ok ? "ok  " : "LARGE",
           name);
    return ok;
}

static bool report_worst(const char *what, const struct worst *worst, double limit)
{
    return verify_report(what, worst->value, worst->name, limit);
}

bool verify_judgement_end(struct verify_judgement *judgement)
{
    const struct verify_limits *limits = judgement->limits;
    size_t count = (size_t)judgement->count;
    bool ok = report_worst("loss, relative", &judgement->loss, limits->loss);

    ok &= report_worst("gradient norm, relative", &judgement->gradient, limits->gradient);
    if (count >= ORDERINGS_FOR_USUAL)
        ok &= verify_report("gradient norm, usual", deviations_median(judgement->largest, count),
                            "", limits->gradient_usual);
    ok &= verify_report("gradient norm, median", deviations_median(judgement->medians, count), "",
                        limits->gradient_median);
    ok &= report_worst(limits->dot < INFINITY ? "gradient element / largest"
                                              : "gradient element / rms",
                       &judgement->element, judgement->element_limit);
    ok &= report_worst("update norm, relative", &judgement->update, limits->update);
    if (limits->update_median < limits->update)
        ok &= verify_report("update norm, median", judgement->update_median, "",
                            limits->update_median);
    if (limits->dot < INFINITY)
        ok &= report_worst("gradient . noise / norm", &judgement->dot, limits->dot);
    ok &= report_worst("running norm, relative", &judgement->running, limits->update);
    return ok;
}
