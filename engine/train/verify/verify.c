#include "engine/train/verify/verify.h"

#include "common/cleanup.h"
#include "engine/train/verify/verify_against.h"
#include "engine/train/verify/verify_result.h"

static int refuse(const struct error *err, int status)
{
    fprintf(stderr, "pennyworth-worker verify: %s\n", err->message);
    return status;
}

/* Prints the first ordering's result, with the others in "orderings". */
static int print(const struct verify_options *options, enum cpu_isa isa, struct error *err)
{
    AUTO(json_decrefp) json_t *first = NULL;

    for (int i = 0; i < orderings_count(options); i++) {
        const struct ordering ordering = orderings_at(options, i);
        json_t *result = verify_result(options, isa, &ordering, err);

        if (!result)
            return refuse(err, 1);
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
static int compare(const struct verify_options *options, enum cpu_isa isa, struct error *err)
{
    AUTO(json_decrefp) json_t *reference = verify_reference(options, err);
    struct verify_judgement judgement;

    if (!reference)
        return refuse(err, 2);
    verify_judgement_start(&judgement, options->precision);
    for (int i = 0; i < orderings_count(options); i++) {
        const struct ordering ordering = orderings_at(options, i);
        AUTO(json_decrefp) json_t *result = verify_result(options, isa, &ordering, err);

        if (!result)
            return refuse(err, 1);
        verify_judgement_add(&judgement, result, reference);
    }
    return verify_judgement_end(&judgement) ? 0 : 1;
}

int verify_main(int argc, char *const argv[])
{
    struct verify_options options;
    enum cpu_isa isa;
    struct error err = {0};

    if (!verify_options_read(argc, argv, &options, &err)) {
        fprintf(stderr, "pennyworth-worker verify: %s %s\n%s", err.field, err.message,
                verify_usage);
        return 2;
    }
    if (options.help) {
        fputs(verify_usage, stdout);
        return 0;
    }
    if (!dnn_use_isa(options.isa, &isa, &err))
        return refuse(&err, 1);
    return options.against ? compare(&options, isa, &err) : print(&options, isa, &err);
}
