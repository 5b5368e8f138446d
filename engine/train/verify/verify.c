/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/verify/verify.h"

#include "common/cleanup.h"
#include "engine/train/networks/recipes.h"
#include "engine/train/verify/reference.h"
#include "engine/train/verify/verify_against.h"
#include "engine/train/verify/verify_result.h"
#include "engine/train/workloads/fastest_isa.h"

static int verify_refuse(const struct joiner *joiner, const struct error *err, int status)
{
    joiner_complain(joiner, "pennyworth-worker verify", err->message);
    return status;
}

/* Prints the first ordering's result, with the others in "orderings". */
static int verify_print(const struct verify_options *options, enum cpu_isa isa, struct error *err)
{
    AUTO(json_decrefp) json_t *first = NULL;

    for (int i = 0; i < orderings_count(options); i++) {
        const struct ordering ordering = orderings_at(options, i);
        json_t *result = verify_result(options, isa, &ordering, NULL, err);

        if (!result)
            return verify_refuse(options->joiner, err, 1);
        if (first)
            json_array_append_new(json_object_get(first, "orderings"), result);
        else
            first = result;
        if (i == 0 && orderings_count(options) > 1)
            json_object_set_new(first, "orderings", json_array());
    }
    json_dumpf(first, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    putchar('\n');
    return 0;
}

/* Prints how far each ordering is from the reference, as it ends, and the verdict. */
static int verify_compare(const struct verify_options *options, enum cpu_isa isa,
                          json_t *reference, struct error *err)
{
    struct verify_judgement judgement;

    verify_judgement_start(&judgement, options->workload, options->precision, reference);
    for (int i = 0; i < orderings_count(options); i++) {
        const struct ordering ordering = orderings_at(options, i);
        AUTO(json_decrefp)
        json_t *result = verify_result(options, isa, &ordering, reference, err);

        if (!result)
            return verify_refuse(options->joiner, err, 1);
        if (joiner_rank(options->joiner) > 0)
            continue;
        verify_judgement_add(&judgement, result);
    }
    if (joiner_rank(options->joiner) > 0)
        return 0;
    return verify_judgement_end(&judgement) ? 0 : 1;
}

/* Whether the workload is there, and takes such samples. */
static bool check_workload(const struct verify_options *options, struct error *err)
{
    const struct recipe *recipe = recipe_find(options->workload);

    if (!recipe && strcmp(options->workload, "resnet50") != 0)
        return error_set(err, ERROR_INVALID, NULL, "the workload '%.40s' is not known",
                         options->workload);
    if (!recipe && options->batch < 2)
        return error_set(err, ERROR_INVALID, NULL, "resnet50 takes a batch of 2 or more");
    if (options->length > (recipe ? recipe->length_max : 0))
        return error_set(err, ERROR_INVALID, NULL, "%s takes a length of at most %ld",
                         options->workload, recipe ? recipe->length_max : 0);
    return true;
}

/* The options, after what the reference says where one is named; *ret_reference is a new
 * reference or NULL. Returns the exit status. */
static int read_options(int argc, char *const argv[], struct joiner *joiner,
                        struct verify_options *ret_options, json_t **ret_reference)
{
    struct verify_options defaults = verify_defaults;
    struct error err = {0};

    defaults.joiner = joiner;
    *ret_reference = NULL;
    if (!verify_options_read(argc, argv, &defaults, ret_options, &err)) {
        fprintf(stderr, "pennyworth-worker verify: %s %s\n%s", err.field, err.message,
                verify_usage);
        return 2;
    }
    if (ret_options->help)
        return 0;
    if (!ret_options->against)
        return check_workload(ret_options, &err) ? 0 : verify_refuse(joiner, &err, 2);
    *ret_reference = reference_read(ret_options, &err);
    if (!*ret_reference || !reference_options(*ret_reference, &defaults, &err) ||
        !verify_options_read(argc, argv, &defaults, ret_options, &err) ||
        !check_workload(ret_options, &err) || !reference_fits(&defaults, ret_options, &err))
        return verify_refuse(joiner, &err, 2);
    return 0;
}

int verify_main(int argc, char *const argv[], struct joiner *joiner)
{
    AUTO(json_decrefp) json_t *reference = NULL;
    struct verify_options options;
    enum cpu_isa isa;
    struct error err = {0};
    int status = read_options(argc, argv, joiner, &options, &reference);

    if (status != 0)
        return status;
    if (options.help) {
        fputs(verify_usage, stdout);
        return 0;
    }
    if (!fastest_isa_use(options.isa, verify_type(&options), &isa, &err))
        return verify_refuse(joiner, &err, 1);
    return reference ? verify_compare(&options, isa, reference, &err)
                     : verify_print(&options, isa, &err);
}
