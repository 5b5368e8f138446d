/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/verify/verify_against.h"

#include "common/cleanup.h"

#include <math.h>
#include <stdbool.h>

/* Relative deviations that rounding explains: f32 against float64, and bf16. */
struct limits {
    double loss, gradient, gradient_median, update, element;
};
static const struct limits limits_f32 = {1e-5, 2e-3, 1e-4, 2e-2, 3e-2};
/* The median gradient tells right from wrong. The largest of 161 depends on nothing but the order
 * of sums: docs/engine.md has the spread, PyTorch's own reaches 0.101. */
static const struct limits limits_bf16 = {1e-3, 1.5e-1, 8e-3, 1e-1, INFINITY};

/* The worst of many, and whose it is. */
struct worst {
    double value;
    char name[64];
};

static void consider(struct worst *worst, double value, const char *name)
{
    if (!(value <= worst->value)) { /* NaN is the worst of all */
        worst->value = value;
        snprintf(worst->name, sizeof worst->name, "%s", name);
    }
}

static double number(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

static double losses(const json_t *ours, const json_t *theirs, struct worst *worst)
{
    size_t count = json_array_size(theirs);

    if (json_array_size(ours) != count)
        consider(worst, INFINITY, "number of steps");
    for (size_t i = 0; i < count; i++) {
        double a = json_number_value(json_array_get(ours, i));
        double b = json_number_value(json_array_get(theirs, i));
        char name[32];

        snprintf(name, sizeof name, "step %zu", i);
        consider(worst, fabs(a - b) / fabs(b), name);
    }
    return worst->value;
}

/* Single elements, relative to the root mean square of their tensor. */
static void elements(const char *name, const json_t *ours, const json_t *theirs,
                     struct worst *worst)
{
    double rms = number(theirs, "l2") / sqrt(number(theirs, "count"));
    const char *index;
    json_t *value;

    json_object_foreach(json_object_get(theirs, "at"), index, value)
    {
        double a = number(json_object_get(ours, "at"), index);

        consider(worst, fabs(a - json_number_value(value)) / rms, name);
    }
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Compares the tensors of one section; returns the median deviation of their norms. */
static double tensors(json_t *ours, json_t *theirs, struct worst *norm, struct worst *element)
{
    double deviations[512], deviation;
    size_t count = 0;
    const char *name;
    json_t *tensor;

    json_object_foreach(theirs, name, tensor)
    {
        json_t *own = json_object_get(ours, name);

        deviation = own ? fabs(number(own, "l2") / number(tensor, "l2") - 1) : INFINITY;
        consider(norm, deviation, name);
        elements(name, own, tensor, element);
        if (count < COUNT(deviations))
            deviations[count++] = deviation;
    }
    if (count == 0)
        return INFINITY;
    qsort(deviations, count, sizeof deviations[0], ascending);
    return deviations[count / 2];
}

static bool report(const char *what, double value, const char *name, double limit)
{
    bool ok = value <= limit;

    printf("%-26s %10.3g  limit %8.3g  %s  %s\n", what, value, limit, ok ? "ok  " : "LARGE",
           name);
    return ok;
}

static bool compare(json_t *result, json_t *reference, const struct limits *limits)
{
    struct worst loss = {0}, gradient = {0}, update = {0}, running = {0};
    struct worst element = {0}, update_element = {0}, running_element = {0};
    double median;
    bool ok;

    losses(json_object_get(result, "losses"), json_object_get(reference, "losses"), &loss);
    median = tensors(json_object_get(result, "gradients"),
                     json_object_get(reference, "gradients"), &gradient, &element);
    tensors(json_object_get(result, "updates"), json_object_get(reference, "updates"), &update,
            &update_element);
    tensors(json_object_get(result, "running"), json_object_get(reference, "running"), &running,
            &running_element);
    ok = report("loss, relative", loss.value, loss.name, limits->loss);
    ok &= report("gradient norm, relative", gradient.value, gradient.name, limits->gradient);
    ok &= report("gradient norm, median", median, "", limits->gradient_median);
    ok &= report("gradient element / rms", element.value, element.name, limits->element);
    ok &= report("update norm, relative", update.value, update.name, limits->update);
    ok &= report("running norm, relative", running.value, running.name, limits->update);
    return ok;
}

int verify_against(json_t *result, const char *path)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *reference = json_load_file(path, 0, &why);
    const char *precision =
        json_string_value(json_object_get(json_object_get(result, "made_with"), "dtype"));
    static const char *const same[] = {"batch", "seed", "lr", "momentum", "weight_decay"};

    if (!reference) {
        fprintf(stderr, "pennyworth-worker verify: %s: %s\n", path, why.text);
        return 2;
    }
    for (size_t i = 0; i < COUNT(same); i++)
        if (number(result, same[i]) != number(reference, same[i])) {
            fprintf(stderr, "pennyworth-worker verify: %s has %s %g, not %g\n", path, same[i],
                    number(reference, same[i]), number(result, same[i]));
            return 2;
        }
    return compare(result, reference, strcmp(precision, "bf16") == 0 ? &limits_bf16 : &limits_f32)
               ? 0
               : 1;
}
