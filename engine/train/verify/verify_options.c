/* Tested by tests/engine/train/verify_test.py. */
#include "engine/train/verify/verify_options.h"

#include "common/cleanup.h"
#include "common/rows/fields.h"

#include <math.h>

const char verify_usage[] =
    "Usage: pennyworth-worker verify [--workload resnet50] [--batch 4] [--seed 1] [--steps 3]\n"
    "           [--length 0] [--lr 0.002] [--momentum 0] [--weight-decay 0]\n"
    "           [--precision f32|bf16] [--threads 0]\n"
    "           [--plan auto|fixed|plain] [--layout auto|nhwc|nchw|blocked]\n"
    "           [--isa auto|sse41|avx2|avx512|avx512_bf16|amx]\n"
    "           [--orderings 0] [--against FILE]\n"
    "Trains a workload for a few steps on data that anybody can make again, and prints losses,\n"
    "logits, gradients, running statistics and updates as JSON. With --against it prints the\n"
    "largest deviations from such a FILE instead; exit status 1 says that they are too large.\n"
    "FILE says the workload, batch, seed, steps, length, precision and optimizer: what this\n"
    "command prints is such a file. One that lacks something and an option that says something\n"
    "else are refused, exit status 2. `pennyworth-worker workloads` lists the workloads.\n";

static const char *const precisions[] = {"f32", "bf16", NULL};
static const char *const plans[] = {"auto", "fixed", "plain", NULL};
static const char *const layouts[] = {"auto", "nhwc", "nchw", "blocked", NULL};
static const char *const isas[] = {"auto", "sse41", "avx2", "avx512", "avx512_bf16", "amx", NULL};

#define AT(member) .offset = offsetof(struct verify_options, member)
static const struct field whole_options[] = {
    {.name = "--batch", AT(batch), .type = FIELD_INTEGER, .min = 1, .max = 4096},
    {.name = "--seed", AT(seed), .type = FIELD_INTEGER, .min = 0, .max = 4294967295},
    {.name = "--steps", AT(steps), .type = FIELD_INTEGER, .min = 1, .max = 1000},
    {.name = "--length", AT(length), .type = FIELD_INTEGER, .min = 0, .max = 65536},
    {.name = "--threads", AT(threads), .type = FIELD_INTEGER, .min = 0, .max = 1024},
    {.name = "--orderings", AT(orderings), .type = FIELD_INTEGER, .min = 0, .max = ORDERINGS_MAX},
    {.name = "--precision", AT(precision), .type = FIELD_CHOICE, .choices = precisions},
    {.name = "--plan", AT(plan), .type = FIELD_CHOICE, .choices = plans},
    {.name = "--layout", AT(layout), .type = FIELD_CHOICE, .choices = layouts},
    {.name = "--isa", AT(isa), .type = FIELD_CHOICE, .choices = isas},
};
#undef AT

static const struct {
    const char *name;
    size_t offset;
    double max;
} fraction_options[] = {
    {"--lr", offsetof(struct verify_options, optimizer.lr), 10},
    {"--momentum", offsetof(struct verify_options, optimizer.momentum), 1},
    {"--weight-decay", offsetof(struct verify_options, optimizer.weight_decay), 1},
};

static bool read_fraction(const char *name, const char *text, struct verify_options *options,
                          struct error *err)
{
    for (size_t i = 0; i < COUNT(fraction_options); i++) {
        char *end;
        double number;

        if (strcmp(fraction_options[i].name, name) != 0)
            continue;
        number = strtod(text, &end);
        if (end == text || *end || !isfinite(number) || number < 0 ||
            number > fraction_options[i].max)
            return error_set(err, ERROR_INVALID, name, "must be between 0 and %g, got '%.40s'",
                             fraction_options[i].max, text);
        memcpy((char *)options + fraction_options[i].offset, &number, sizeof number);
        return true;
    }
    return error_set(err, ERROR_INVALID, name, "is not an option");
}

const struct verify_options verify_defaults = {.batch = 4,
                                               .seed = 1,
                                               .steps = 3,
                                               .optimizer = {.lr = 0.002},
                                               .workload = "resnet50",
                                               .precision = "f32",
                                               .plan = "auto",
                                               .layout = "auto",
                                               .isa = "auto"};

enum dnn_type verify_type(const struct verify_options *options)
{
    return strcmp(options->precision, "bf16") == 0 ? DNN_BF16 : DNN_F32;
}

bool verify_options_read(int argc, char *const argv[], const struct verify_options *defaults,
                         struct verify_options *ret_options, struct error *err)
{
    struct verify_options options = *defaults;

    for (int i = 0; i < argc; i += 2) {
        const struct field *field = fields_find(whole_options, COUNT(whole_options), argv[i]);

        options.help = options.help || strcmp(argv[i], "--help") == 0;
        if (options.help)
            break;
        if (i + 1 == argc)
            return error_set(err, ERROR_INVALID, argv[i], "wants a value");
        if (strcmp(argv[i], "--against") == 0)
            options.against = argv[i + 1];
        else if (strcmp(argv[i], "--workload") == 0)
            options.workload = argv[i + 1];
        else if (field ? !field_read_text(field, argv[i + 1], &options, err)
                       : !read_fraction(argv[i], argv[i + 1], &options, err))
            return false;
    }
    *ret_options = options;
    return true;
}
