#include "engine/spec/run_spec.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "common/json_text.h"
#include "common/text.h"

#include <stdio.h>

const char *const run_spec_workloads[] = {
    "resnet50",   "mlp2017",  "cnn2017",     "cifar2017", "fasttext2017", "fasttext2017_unigrams",
    "bilstm2017", "lstm2017", "textgen2017", "gpt2",      "gpt2_tiny",    NULL};

const size_t run_spec_workload_count = COUNT(run_spec_workloads) - 1;

#define USUAL_BATCH 32

/* Default samples per step, and tokens per sample: 32 and none for unknown workloads. A test of
 * the worker compares both with its recipes. */
static const struct {
    const char *workload;
    long long batch_size, tokens;
} usual[] = {{"mlp2017", 128, 0},       {"cnn2017", 128, 0},
             {"fasttext2017", 32, 400}, {"fasttext2017_unigrams", 32, 400},
             {"bilstm2017", 32, 100},   {"lstm2017", 128, 40},
             {"textgen2017", 128, 40},  {"gpt2", 4, 64},
             {"gpt2_tiny", 4, 32}};
const char *const run_spec_precisions[] = {"f32", "bf16", "f16", NULL};
static const char *const native_precisions[] = {"f32", "bf16", NULL};
static const char *const layouts[] = {"auto", "nchw", "nhwc", "blocked", NULL};
static const char *const plans[] = {"auto", "fixed", "plain", NULL};
static const char *const isas[] = {"auto", "sse41", "avx2", "avx512", "avx512_bf16", "amx", NULL};
static const char *const protocols[] = {"detected", "published", NULL};
static const char *const pinnings[] = {"cores", "smt", "none", NULL};
static const char *const numas[] = {"auto", "local", "interleave", NULL};
static const char *const openmps[] = {"gnu", "llvm", NULL};
static const char *const allocators[] = {"system", "tcmalloc", "jemalloc", "mimalloc", NULL};
static const char *const huge_pages[] = {"auto", "off", NULL};

#define AT(member) .name = #member, .offset = offsetof(struct run_spec, member)
const struct field run_spec_fields[] = {
    {AT(workload), .type = FIELD_TEXT, .min = 1, .max = WORKLOAD_NAME_MAX,
     .meaning =
         "What to train: a workload of the engine native (see `examples`); with a registered "
         "engine any name that it knows"},
    {AT(engine), .type = FIELD_TEXT, .min = 1, .max = ENGINE_NAME_MAX,
     .meaning =
         "Name of the engine that trains it: native, or one that the server was started with"},
    {AT(precision), .type = FIELD_CHOICE, .choices = run_spec_precisions,
     .meaning =
         "Number format of the arithmetic; master weights are always f32. Where it is left out, "
         "a "
         "run that is measured here has bf16 if the processor computes in it natively and no "
         "more slowly than in f32, and f32 otherwise; an imported one has f32. The native engine "
         "has f32 and bf16; f16 needs a registered engine that has it"},
    {AT(batch_size), .type = FIELD_AUTO, .min = 1, .max = BATCH_SIZE_MAX,
     .meaning = "Samples per step. The usual batch is 32, of mlp2017, cnn2017, lstm2017 and "
                "textgen2017 128, of gpt2 and gpt2_tiny 4. auto times a few steps and takes the "
                "largest of 2, 4, 8 ... up to the usual one with which 60 steps count in "
                "max_seconds; the spec of the run then says which. Where it is left out, a run "
                "that is posted for the engine native has auto, and any other the usual batch"},
    {AT(layout), .type = FIELD_CHOICE, .choices = layouts,
     .meaning = "Memory layout of images; auto lets the engine choose"},
    {AT(threads), .type = FIELD_INTEGER, .min = 0, .max = PROCESSORS_MAX,
     .meaning = "Threads of the engine; 0 means one for each core that it may use"},
    {AT(warmup_steps), .type = FIELD_AUTO, .min = 0, .max = 10000,
     .meaning = "Steps at the start that are stored but do not count; auto detects where the "
                "warm-up ends"},
    {AT(steps), .type = FIELD_AUTO, .min = 1, .max = RUN_STEPS_MAX,
     .meaning =
         "Steps to measure after the warm-up; auto measures until target_percent is reached"},
    {AT(max_seconds), .type = FIELD_INTEGER, .min = 1, .max = RUN_SECONDS_MAX,
     .meaning = "Limit of wall-clock time; at the limit the run ends with the steps done so far"},
    {AT(seed), .type = FIELD_INTEGER, .min = 0, .max = 4294967295,
     .meaning = "Seed of weights and data"},
    {AT(plan), .type = FIELD_CHOICE, .choices = plans,
     .meaning = "How the engine arranges the work: auto measures what is fast on this machine, "
                "fixed does not measure, plain is a baseline of plain library calls"},
    {AT(isa), .type = FIELD_CHOICE, .choices = isas,
     .meaning =
         "Highest instruction set that the engine may use; auto means all of the processor"},
    {AT(input_workers), .type = FIELD_INTEGER, .min = 0, .max = 64,
     .meaning =
         "Threads that prepare the next batch during a step; 0 prepares it inside the step"},
    {AT(pinning), .type = FIELD_CHOICE, .choices = pinnings,
     .meaning =
         "Where threads stay: cores puts one on each core, smt also uses the other hardware "
         "threads of a core, none lets the system move them"},
    {AT(numa), .type = FIELD_CHOICE, .choices = numas,
     .meaning = "Memory on machines with several nodes: auto places a page where it is first "
                "touched, local keeps threads and memory on one node, interleave spreads pages "
                "over all nodes"},
    {AT(huge_pages), .type = FIELD_CHOICE, .choices = huge_pages,
     .meaning = "Whether to use large pages where the system has them"},
    {AT(openmp), .type = FIELD_CHOICE, .choices = openmps,
     .meaning = "OpenMP runtime: gnu is the compiler's own, llvm is LLVM's"},
    {AT(allocator), .type = FIELD_CHOICE, .choices = allocators,
     .meaning =
         "Library that provides malloc: system is the C library, others are loaded before it"},
    {AT(protocol), .type = FIELD_CHOICE, .choices = protocols,
     .meaning =
         "How steps become a number: detected finds the end of the warm-up; published skips "
         "11 steps and measures 91, as published results do"},
    {AT(min_seconds), .type = FIELD_INTEGER, .min = 0, .max = RUN_SECONDS_MAX,
     .meaning = "Least number of seconds to measure where steps is auto"},
    {AT(target_percent), .type = FIELD_NUMBER, .min = 0, .max = PERCENT_MAX,
     .meaning =
         "Where steps is auto, measure until half of the 95 % interval is at most this many "
         "percent of the throughput"},
    {AT(max_dollars), .type = FIELD_LIMIT, .min = 0, .max = 1000000,
     .meaning = "Limit of cost at this machine's price; at the limit the run ends with the steps "
                "done so far; null means no limit"},
};
#undef AT
const size_t run_spec_field_count = COUNT(run_spec_fields);

struct run_spec run_spec_default(void)
{
    return (struct run_spec){.workload = "resnet50",
                             .engine = ENGINE_NATIVE,
                             .precision = run_spec_precisions[0],
                             .layout = layouts[0],
                             .batch_size = USUAL_BATCH,
                             .threads = 0,
                             .warmup_steps = FIELD_IS_AUTO,
                             .steps = FIELD_IS_AUTO,
                             .max_seconds = 120,
                             .seed = 1,
                             .plan = plans[0],
                             .isa = isas[0],
                             .input_workers = 0,
                             .pinning = pinnings[0],
                             .numa = numas[0],
                             .huge_pages = huge_pages[0],
                             .openmp = openmps[0],
                             .allocator = allocators[0],
                             .protocol = protocols[0],
                             .min_seconds = 60,
                             .target_percent = 1,
                             .max_dollars = 0};
}

static bool is_key_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '.' || c == '_' || c == '-' || c == '/';
}

bool label_check(const char *field, const char *key, const char *value, struct error *err)
{
    size_t length = strlen(key);

    if (length < 1 || length > LABEL_KEY_MAX)
        return error_set(err, ERROR_INVALID, field, "a key must have 1 to %d characters, got %zu",
                         LABEL_KEY_MAX, length);
    for (size_t i = 0; i < length; i++)
        if (!is_key_character(key[i]))
            return error_set(err, ERROR_INVALID, field,
                             "the key '%.64s' must hold only letters, digits and . _ - /", key);
    length = strlen(value);
    if (length > LABEL_VALUE_MAX)
        return error_set(err, ERROR_INVALID, field,
                         "the value of '%s' must have at most %d bytes, got %zu", key,
                         LABEL_VALUE_MAX, length);
    if (!text_is_clean(value, length))
        return error_set(err, ERROR_INVALID, field,
                         "the value of '%s' must not hold control characters", key);
    if (!text_is_utf8(value, length))
        return error_set(err, ERROR_INVALID, field, "the value of '%s' must be UTF-8", key);
    return true;
}

bool label_read(const char *field, const char *text, char ret_key[LABEL_KEY_MAX + 1],
                const char **ret_value, struct error *err)
{
    size_t length = strcspn(text, "=");

    if (!text[length])
        return error_set(err, ERROR_INVALID, field, "must be KEY=VALUE, got '%.100s'", text);
    if (length > LABEL_KEY_MAX)
        return error_set(err, ERROR_INVALID, field, "a key must have 1 to %d characters, got %zu",
                         LABEL_KEY_MAX, length);
    memcpy(ret_key, text, length);
    ret_key[length] = '\0';
    *ret_value = text + length + 1;
    return label_check(field, ret_key, *ret_value, err);
}

static int by_key(const void *left, const void *right)
{
    return strcmp(((const struct label *)left)->key, ((const struct label *)right)->key);
}

static bool read_labels(json_t *json, struct run_spec *spec, struct error *err)
{
    const char *key;
    json_t *value;

    if (!json_is_object(json))
        return error_set(err, ERROR_INVALID, "labels", "must be an object of strings");
    if (json_object_size(json) > RUN_LABELS_MAX)
        return error_set(err, ERROR_INVALID, "labels", "must be at most %d, got %zu",
                         RUN_LABELS_MAX, json_object_size(json));
    spec->label_count = 0;
    json_object_foreach(json, key, value)
    {
        struct label *label = &spec->labels[spec->label_count++];

        if (!json_is_string(value))
            return error_set(err, ERROR_INVALID, "labels",
                             "the value of '%.64s' must be a string", key);
        if (!label_check("labels", key, json_string_value(value), err))
            return false;
        snprintf(label->key, sizeof label->key, "%s", key);
        snprintf(label->value, sizeof label->value, "%s", json_string_value(value));
    }
    qsort(spec->labels, (size_t)spec->label_count, sizeof spec->labels[0], by_key);
    return true;
}

static bool is_native(const struct run_spec *spec)
{
    return strcmp(spec->engine, ENGINE_NATIVE) == 0;
}

static bool name_is_valid(const char *field, const char *name, struct error *err)
{
    for (const char *c = name; *c; c++)
        if (!is_key_character(*c))
            return error_set(err, ERROR_INVALID, field,
                             "must hold only letters, digits and . _ - /");
    return true;
}

bool run_spec_names_are_valid(const struct run_spec *spec, struct error *err)
{
    return name_is_valid("engine", spec->engine, err) &&
           name_is_valid("workload", spec->workload, err);
}

static bool is_one_of(const char *const *names, const char *word)
{
    while (*names && strcmp(*names, word) != 0)
        names++;
    return *names != NULL;
}

static bool workload_is_trained(const struct run_spec *spec, struct error *err)
{
    if (!is_native(spec) || is_one_of(run_spec_workloads, spec->workload))
        return true;
    return error_not_allowed(err, "workload", (struct allowed){.choices = run_spec_workloads},
                             "'%.64s' is not trained by the engine " ENGINE_NATIVE
                             "; a registered engine may train its own",
                             spec->workload);
}

long long run_spec_usual_batch(const char *workload)
{
    for (size_t i = 0; i < COUNT(usual); i++)
        if (strcmp(usual[i].workload, workload) == 0)
            return usual[i].batch_size;
    return USUAL_BATCH;
}

long long run_spec_tokens(const char *workload)
{
    for (size_t i = 0; i < COUNT(usual); i++)
        if (strcmp(usual[i].workload, workload) == 0)
            return usual[i].tokens;
    return 0;
}

/* A request must not contradict the published protocol. */
static bool protocol_is_kept(struct run_spec *spec, const json_t *json, struct error *err)
{
    const struct {
        const char *name;
        long long *steps, fixed;
    } counts[] = {{"warmup_steps", &spec->warmup_steps, PUBLISHED_WARMUP},
                  {"steps", &spec->steps, PUBLISHED_STEPS}};

    if (spec->protocol == protocols[0])
        return true;
    for (size_t i = 0; i < COUNT(counts); i++) {
        if (json_object_get(json, counts[i].name) && *counts[i].steps != FIELD_IS_AUTO &&
            *counts[i].steps != counts[i].fixed)
            return error_set(err, ERROR_INVALID, counts[i].name,
                             "is %lld where the protocol is published", counts[i].fixed);
        *counts[i].steps = counts[i].fixed;
    }
    return true;
}

/* The value of one member. The error for a bad precision lists the precisions of the spec's
 * engine, wherever in the object that is. */
static bool read_member(const json_t *json, const struct field *field, const json_t *value,
                        struct run_spec *spec, struct error *err)
{
    const char *engine = json_string_value(json_object_get(json, "engine"));
    struct error cause = {0};

    if (field_read(field, value, spec, &cause))
        return true;
    if (cause.allowed.choices == run_spec_precisions &&
        (!engine || strcmp(engine, ENGINE_NATIVE) == 0))
        cause.allowed.choices = native_precisions;
    if (err && err->kind == ERROR_NONE)
        *err = cause;
    return false;
}

static const char *const others[] = {"labels", NULL};

bool run_spec_from_stored_json(json_t *json, struct run_spec *ret_spec, struct error *err)
{
    struct run_spec spec = run_spec_default();
    const char *key;
    json_t *value;

    if (!json_is_object(json))
        return error_set(err, ERROR_INVALID, NULL, "the body must be a JSON object");
    json_object_foreach(json, key, value)
    {
        const struct field *field = fields_find(run_spec_fields, run_spec_field_count, key);

        if (field ? !read_member(json, field, value, &spec, err)
            : strcmp(key, "labels") == 0
                ? !read_labels(value, &spec, err)
                : !fields_refuse_name(run_spec_fields, run_spec_field_count, others, key, err))
            return false;
    }
    if (!run_spec_names_are_valid(&spec, err))
        return false;
    if (!json_object_get(json, "batch_size"))
        spec.batch_size = run_spec_usual_batch(spec.workload);
    *ret_spec = spec;
    return true;
}

bool run_spec_from_json(json_t *json, struct run_spec *ret_spec, struct error *err)
{
    struct run_spec spec;

    if (!run_spec_from_stored_json(json, &spec, err) || !workload_is_trained(&spec, err) ||
        !protocol_is_kept(&spec, json, err))
        return false;
    *ret_spec = spec;
    return true;
}

json_t *run_spec_parse(const char *text, size_t length, struct error *err)
{
    json_error_t why;
    json_t *json = json_read(text, length, 0, &why);

    if (!json)
        error_set(err, ERROR_INVALID, NULL, "the body is not JSON: %s at line %d column %d",
                  why.text, why.line, why.column);
    return json;
}

bool run_spec_from_text(const char *text, size_t length, struct run_spec *ret_spec,
                        struct error *err)
{
    AUTO(json_decrefp) json_t *json = run_spec_parse(text, length, err);

    return json && run_spec_from_json(json, ret_spec, err);
}

static void add_property(json_t *properties, const struct field *field,
                         const struct run_spec *defaults)
{
    json_t *schema = field_schema(field);

    if (strcmp(field->name, "precision") !=
        0) /* the machine decides the precision of a request */
        json_object_set_new(schema, "default", field_write(field, defaults));
    json_object_set_new(properties, field->name, schema);
}

static json_t *list_of(const char *const names[])
{
    json_t *list = json_array();

    for (; *names; names++)
        json_array_append_new(list, json_string(*names));
    return list;
}

/* The form of a workload's name, and the known ones. */
static void describe_workload(json_t *properties)
{
    json_t *workload = json_object_get(properties, "workload");

    json_object_set_new(workload, "pattern", json_string("^[A-Za-z0-9._/-]+$"));
    json_object_set_new(workload, "examples", list_of(run_spec_workloads));
}

json_t *run_spec_schema(void)
{
    struct run_spec defaults = run_spec_default();
    json_t *properties = json_object(), *labels;

    defaults.batch_size = FIELD_IS_AUTO; /* of a request (engine/run/run_request.h) */
    for (size_t i = 0; i < run_spec_field_count; i++)
        add_property(properties, &run_spec_fields[i], &defaults);
    describe_workload(properties);
    labels = json_pack(
        "{s:s, s:s, s:i, s:{s:s}, s:{s:s, s:i, s:s}}", "type", "object", "description",
        "Labels of your choice to find the run by, such as branch and commit; at "
        "most " LIMIT_TEXT(LABEL_VALUE_MAX) " bytes each",
        "maxProperties", RUN_LABELS_MAX, "propertyNames", "pattern",
        "^[A-Za-z0-9._/-]{1," LIMIT_TEXT(LABEL_KEY_MAX) "}$", "additionalProperties", "type",
        "string", "maxLength", LABEL_VALUE_MAX, "pattern", "^[^\\u0000-\\u001f\\u007f]*$");
    json_object_set_new(properties, "labels", labels);
    return json_pack(
        "{s:s, s:b, s:o, s:{s:{s:{s:s}}, s:[s]}, s:{s:{s:{s:[s, i]}, s:{s:[s, i]}}}}", "type",
        "object", "additionalProperties", 0, "properties", properties, "if", "properties",
        "protocol", "const", protocols[1], "required", "protocol", "then", "properties",
        "warmup_steps", "enum", "auto", PUBLISHED_WARMUP, "steps", "enum", "auto",
        PUBLISHED_STEPS);
}

json_t *run_spec_native_schema(void)
{
    return json_pack("{s:{s:{s:{s:s}}}, s:{s:{s:{s:o}, s:{s:o}}}}", "if", "properties", "engine",
                     "const", ENGINE_NATIVE, "then", "properties", "workload", "enum",
                     list_of(run_spec_workloads), "precision", "enum",
                     list_of(native_precisions));
}
