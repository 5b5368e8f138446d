#include "engine/spec/run_spec.h"
#include "engine/spec/run_spec_text.h"

#include "tests/test.h"

static bool read_text(const char *text, struct run_spec *spec, struct error *err)
{
    return run_spec_from_text(text, strlen(text), spec, err);
}

#define DEFAULTS                                                                                 \
    "{\"workload\":\"resnet50\",\"engine\":\"native\",\"precision\":\"f32\",\"batch_size\":32,"  \
    "\"layout\":\"auto\",\"threads\":0,\"warmup_steps\":\"auto\",\"steps\":\"auto\","            \
    "\"max_seconds\":120,\"seed\":1,\"plan\":\"auto\",\"isa\":\"auto\",\"input_workers\":0,"     \
    "\"pinning\":\"cores\",\"numa\":\"auto\",\"huge_pages\":\"auto\",\"openmp\":\"gnu\","        \
    "\"allocator\":\"system\",\"protocol\":\"detected\",\"min_seconds\":60,"                     \
    "\"target_percent\":1.0,\"max_dollars\":null,\"labels\":{}}"

TEST(an_empty_spec_has_all_defaults)
{
    struct run_spec defaults = run_spec_default(), spec;
    AUTO(freep) char *of_default = run_spec_to_text(&defaults);

    EXPECT_STR(of_default, DEFAULTS);
    EXPECT(read_text("{}", &spec, NULL));
    AUTO(freep) char *of_nothing = run_spec_to_text(&spec);
    EXPECT_STR(of_nothing, DEFAULTS);
}

TEST(every_field_can_be_asked_for)
{
    static const char text[] =
        "{\"workload\":\"mlp\",\"engine\":\"torch/2.1_b-x\",\"precision\":\"bf16\","
        "\"batch_size\":65536,\"layout\":\"nhwc\",\"threads\":1024,\"warmup_steps\":0,"
        "\"steps\":1000000,\"max_seconds\":86400,\"seed\":4294967295,"
        "\"plan\":\"plain\",\"isa\":\"avx512_bf16\",\"input_workers\":64,"
        "\"pinning\":\"smt\",\"numa\":\"interleave\",\"huge_pages\":\"off\",\"openmp\":\"llvm\","
        "\"allocator\":\"tcmalloc\",\"protocol\":\"detected\",\"min_seconds\":0,"
        "\"target_percent\":0.1,\"max_dollars\":2.5,\"labels\":{\"a\":\"\",\"b/c\":\"caf\xc3\xa9 "
        "\\\"\\\\\"}}";
    struct run_spec spec;

    EXPECT_OK(read_text(text, &spec, &err));
    EXPECT_STR(spec.workload, "mlp");
    EXPECT_STR(spec.engine, "torch/2.1_b-x");
    EXPECT_STR(spec.precision, "bf16");
    EXPECT_STR(spec.layout, "nhwc");
    EXPECT_INT(spec.batch_size, 65536);
    EXPECT_INT(spec.threads, 1024);
    EXPECT_INT(spec.warmup_steps, 0);
    EXPECT_INT(spec.steps, 1000000);
    EXPECT_INT(spec.max_seconds, 86400);
    EXPECT_INT(spec.seed, 4294967295);
    EXPECT_STR(spec.plan, "plain");
    EXPECT_STR(spec.isa, "avx512_bf16");
    EXPECT_INT(spec.input_workers, 64);
    EXPECT_STR(spec.pinning, "smt");
    EXPECT_STR(spec.numa, "interleave");
    EXPECT_STR(spec.huge_pages, "off");
    EXPECT_STR(spec.openmp, "llvm");
    EXPECT_STR(spec.allocator, "tcmalloc");
    EXPECT_INT(spec.min_seconds, 0);
    EXPECT_NEAR(spec.target_percent, 0.1, 1e-15);
    EXPECT_NEAR(spec.max_dollars, 2.5, 0);
    EXPECT_INT(spec.label_count, 2);
    EXPECT_STR(spec.labels[1].value, "caf\xc3\xa9 \"\\");
    AUTO(freep) char *again = run_spec_to_text(&spec);
    EXPECT_STR(again, text); /* what was asked is what is stored and what the worker reads */
}

TEST(the_published_protocol_fixes_what_is_skipped_and_measured)
{
    struct run_spec spec;

    static const char *const texts[] = {
        "{\"protocol\":\"published\"}",
        /* A client that sends all fields sends their defaults, as if it left them out. */
        "{\"warmup_steps\":\"auto\",\"steps\":\"auto\",\"protocol\":\"published\"}"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        EXPECT(read_text(texts[i], &spec, NULL));
        EXPECT_INT(spec.warmup_steps, 11);
        EXPECT_INT(spec.steps, 91);
    }
    EXPECT(read_text("{\"protocol\":\"published\",\"steps\":91}", &spec, NULL));
    EXPECT_WRONG(read_text("{\"steps\":90,\"protocol\":\"published\"}", &spec, &err), "steps",
                 "is 91 where the protocol is published");
    EXPECT_INVALID(read_text("{\"warmup_steps\":10,\"protocol\":\"published\"}", &spec, &err),
                   "warmup_steps");
}

static const char *const accepted[] = {
    "{\"batch_size\":1}",
    "{\"batch_size\":\"auto\"}",
    "{\"threads\":0}",
    "{\"warmup_steps\":10000}",
    "{\"steps\":1}",
    "{\"steps\":\"auto\"}",
    "{\"warmup_steps\":\"auto\"}",
    "{\"seed\":0}",
    "{\"max_seconds\":1}",
    "{\"precision\":\"f16\"}",
    "{\"layout\":\"nchw\"}",
    "{\"plan\":\"fixed\"}",
    "{\"isa\":\"avx2\"}",
    "{\"isa\":\"avx512\"}",
    "{\"isa\":\"amx\"}",
    "{\"input_workers\":0}",
    "{\"labels\":{}}",
    " \n{ \"seed\" : 5 }\r\n ",
    "{\"engine\":\"a\"}",
    "{\"engine\":\"a\",\"workload\":\"lstm.v2_large-x/1\"}",
    "{\"workload\":\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\","
    "\"engine\":"
    "\"a\"}",
    "{\"engine\":\"a\",\"precision\":\"f16\"}",
    "{\"engine\":\"0123456789abcdef0123456789abcdef\"}",
};

TEST(the_edges_are_inside)
{
    for (size_t i = 0; i < COUNT(accepted); i++) {
        struct run_spec spec;

        EXPECT_OK(read_text(accepted[i], &spec, &err));
    }
}

#define UNKNOWN "is not a known field"
static const struct {
    const char *body, *field, *message;
} refusals[] = {
    {"{\"batch_size\":0}", "batch_size", "must be between 1 and 65536, got 0"},
    {"{\"batch_size\":65537}", "batch_size", "must be between 1 and 65536, got 65537"},
    {"{\"batch_size\":\"8\"}", "batch_size", "must be an integer or \"auto\", got a string"},
    {"{\"batch_size\":8.5}", "batch_size", "must be an integer or \"auto\", got a fraction"},
    {"{\"batch_size\":8,\"steps\":0}", "steps", "must be between 1 and 1000000, got 0"},
    {"{\"steps\":-1}", "steps", "must be between 1 and 1000000, got -1"},
    {"{\"steps\":1000001}", "steps", "must be between 1 and 1000000, got 1000001"},
    {"{\"steps\":\"Auto\"}", "steps", "must be an integer or \"auto\", got a string"},
    {"{\"warmup_steps\":-1}", "warmup_steps", "must be between 0 and 10000, got -1"},
    {"{\"warmup_steps\":10001}", "warmup_steps", "must be between 0 and 10000, got 10001"},
    {"{\"threads\":-1}", "threads", "must be between 0 and 1024, got -1"},
    {"{\"threads\":1025}", "threads", "must be between 0 and 1024, got 1025"},
    {"{\"max_seconds\":0}", "max_seconds", "must be between 1 and 86400, got 0"},
    {"{\"max_seconds\":86401}", "max_seconds", "must be between 1 and 86400, got 86401"},
    {"{\"seed\":-1}", "seed", "must be between 0 and 4294967295, got -1"},
    {"{\"seed\":4294967296}", "seed", "must be between 0 and 4294967295, got 4294967296"},
    {"{\"precision\":\"f64\"}", "precision", "'f64' is not supported"},
    {"{\"precision\":null}", "precision", "must be a string, got null"},
    {"{\"layout\":\"NCHW\"}", "layout", "'NCHW' is not supported"},
    {"{\"plan\":\"measured\"}", "plan", "'measured' is not supported"},
    {"{\"isa\":\"avx\"}", "isa", "'avx' is not supported"},
    {"{\"input_workers\":-1}", "input_workers", "must be between 0 and 64, got -1"},
    {"{\"input_workers\":65}", "input_workers", "must be between 0 and 64, got 65"},
    {"{\"engine\":\"torch\",\"workload\":\"\"}", "workload",
     "must have between 1 and 63 bytes, got 0"},
    {"{\"engine\":\"torch\",\"workload\":\"a b\"}", "workload",
     "must hold only letters, digits and . _ - /"},
    {"{\"engine\":\"torch\",\"workload\":\"caf\xc3\xa9\"}", "workload",
     "must hold only letters, digits and . _ - /"},
    {"{\"engine\":\"torch\",\"workload\":7}", "workload", "must be a string, got a number"},
    {"{\"workload\":\"gpt\"}", "workload",
     "'gpt' is not trained by the engine native; a registered engine may train its own"},
    {"{\"engine\":\"\"}", "engine", "must have between 1 and 32 bytes, got 0"},
    {"{\"engine\":\"0123456789abcdef0123456789abcdefg\"}", "engine",
     "must have between 1 and 32 bytes, got 33"},
    {"{\"engine\":\"a b\"}", "engine", "must hold only letters, digits and . _ - /"},
    {"{\"engine\":\"caf\xc3\xa9\"}", "engine", "must hold only letters, digits and . _ - /"},
    {"{\"engine\":\"a\\nb\"}", "engine", "must not hold control characters"},
    {"{\"batchsize\":8}", "batchsize", UNKNOWN},
    {"{\"Steps\":8}", "Steps", UNKNOWN},
    {"{\"\":8}", "", UNKNOWN},
    {"{\"caf\xc3\xa9\":8}",
     "caf?"
     "?",
     UNKNOWN},
    {"{\"labels\":[]}", "labels", "must be an object of strings"},
    {"{\"labels\":null}", "labels", "must be an object of strings"},
    {"{\"labels\":{\"a\":1}}", "labels", "the value of 'a' must be a string"},
    {"[]", "", "the body must be a JSON object"},
    {"[{}]", "", "the body must be a JSON object"},
};

TEST(a_refused_spec_names_the_field_and_the_reason)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct run_spec spec = {.batch_size = -7}, untouched = spec;
        struct error err = {0};

        memcpy(&untouched, &spec, sizeof spec);
        EXPECT(!read_text(refusals[i].body, &spec, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT_STR(err.field, refusals[i].field);
        if (strcmp(refusals[i].message, UNKNOWN) == 0)
            EXPECT(strncmp(err.message, UNKNOWN "; the nearest of 23 are ", 43) == 0);
        else
            EXPECT_STR(err.message, refusals[i].message);
        EXPECT(memcmp(&spec, &untouched, sizeof spec) == 0); /* the caller's is left alone */
    }
}

static const char *const not_json[] = {
    "",
    " ",
    "{",
    "42",
    "\"text\"",
    "nonsense",
    "{\"steps\":1",
    "{\"steps\":1}{}",
    "{\"steps\":1} x",
    "{'steps':1}",
    "{\"steps\":01}",
    "{\"steps\":NaN}",
    "{\"steps\":1,}",
    "{\"steps\":1,\"steps\":2}",
    "{\"labels\":{\"a\":\"1\",\"a\":\"2\"}}",
    "{\"steps\":99999999999999999999}",
    "{\"engine\":\"\xff\"}",
    "{\"engine\":\"a\\u0000b\"}",
    "{\"engine\":\"\\ud800\"}",
};

TEST(text_that_is_not_json_is_refused_with_its_place)
{
    for (size_t i = 0; i < COUNT(not_json); i++) {
        struct run_spec spec = {.batch_size = -7};
        struct error err = {0};

        EXPECT(!read_text(not_json[i], &spec, &err));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT_STR(err.field, "");
        EXPECT(strncmp(err.message, "the body is not JSON: ", 22) == 0);
        EXPECT_PART(err.message, " at line 1 column ");
        EXPECT_INT(spec.batch_size, -7);
    }
}

TEST(a_zero_byte_does_not_end_the_text)
{
    struct run_spec spec;

    EXPECT(!run_spec_from_text("{}\0", 3, &spec, NULL));
    EXPECT(!run_spec_from_text("{}x", 3, &spec, NULL));
    EXPECT(run_spec_from_text("{}x", 2, &spec, NULL)); /* nothing behind the length is read */
}

TEST(depth_has_an_end)
{
    char deep[20001];
    struct run_spec spec;

    memset(deep, '[', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    EXPECT_ERROR(read_text(deep, &spec, &err), ERROR_INVALID);
}

TEST(labels_are_sorted_so_that_equal_specs_give_equal_text)
{
    struct run_spec one, two;

    EXPECT(
        read_text("{\"steps\":3,\"labels\":{\"b\":\"2\",\"a\":\"1\",\"B\":\"0\"}}", &one, NULL));
    EXPECT(
        read_text("{\"labels\":{\"B\":\"0\",\"a\":\"1\",\"b\":\"2\"},\"steps\":3}", &two, NULL));
    EXPECT_STR(one.labels[0].key, "B");
    EXPECT_STR(one.labels[1].key, "a");
    EXPECT_STR(one.labels[2].key, "b");
    EXPECT_STR(one.labels[2].value, "2");

    AUTO(freep) char *first = run_spec_to_text(&one);
    AUTO(freep) char *second = run_spec_to_text(&two);
    EXPECT_STR(first, second);
    EXPECT_PART(first, "\"labels\":{\"B\":\"0\",\"a\":\"1\",\"b\":\"2\"}");
}

static json_t *with_labels(int count, size_t key_length, size_t value_length)
{
    json_t *labels = json_object();
    char key[LABEL_KEY_MAX + 2], value[LABEL_VALUE_MAX + 2];

    for (int i = 0; i < count; i++) {
        memset(key, 'k', sizeof key);
        memset(value, '"', sizeof value); /* each takes two bytes in JSON */
        key[0] = (char)('A' + i);
        key[key_length] = '\0';
        value[value_length] = '\0';
        json_object_set_new(labels, key, json_string(value));
    }
    return json_pack("{s:o}", "labels", labels);
}

TEST(labels_have_limits)
{
    static const struct {
        int count;
        size_t key, value;
        const char *message;
    } sizes[] = {
        {16, 64, 256, ""},
        {17, 1, 1, "must be at most 16, got 17"},
        {1, 65, 1, "a key must have 1 to 64 characters, got 65"},
        {1, 1, 257, "the value of 'A' must have at most 256 bytes, got 257"},
    };

    for (size_t i = 0; i < COUNT(sizes); i++) {
        AUTO(json_decrefp)
        json_t *json = with_labels(sizes[i].count, sizes[i].key, sizes[i].value);
        struct run_spec spec;
        struct error err = {0};

        EXPECT_INT(run_spec_from_json(json, &spec, &err), sizes[i].message[0] == '\0');
        EXPECT_STR(err.message, sizes[i].message);
        EXPECT_STR(err.field, err.kind == ERROR_NONE ? "" : "labels");
    }
}

/* The worker's pipe takes 64 KiB and its reader as much. */
TEST(the_largest_spec_fits_into_a_pipe)
{
    AUTO(json_decrefp) json_t *json = with_labels(16, 64, 256);
    struct run_spec spec, again;

    EXPECT(run_spec_from_json(json, &spec, NULL));
    AUTO(freep) char *text = run_spec_to_text(&spec);
    EXPECT(strlen(text) < 16384);
    EXPECT(strchr(text, '\n') == NULL);
    EXPECT(read_text(text, &again, NULL));
    AUTO(freep) char *same = run_spec_to_text(&again);
    EXPECT_STR(same, text);
}

/* The refusal lists what the engine of the spec has, wherever the spec names the engine. */
TEST(a_refusal_lists_what_the_engine_of_the_spec_has)
{
    static const struct {
        const char *body, *last;
        int count;
    } specs[] = {
        {"{\"precision\":\"f8\"}", "bf16", 2},
        {"{\"precision\":\"f8\",\"engine\":\"native\"}", "bf16", 2},
        {"{\"engine\":\"torch\",\"precision\":\"f8\"}", "f16", 3},
        {"{\"precision\":\"f8\",\"engine\":\"torch\"}", "f16", 3},
        {"{\"workload\":\"gpt\"}", "gpt2_tiny", 11},
    };

    for (size_t i = 0; i < COUNT(specs); i++) {
        struct error err = {0};
        struct run_spec spec;
        int count = 0;

        EXPECT(!read_text(specs[i].body, &spec, &err));
        EXPECT(err.allowed.choices != NULL);
        while (err.allowed.choices && err.allowed.choices[count])
            count++;
        EXPECT_INT(count, specs[i].count);
        EXPECT_STR(count > 0 ? err.allowed.choices[count - 1] : "", specs[i].last);
    }
}

TEST(a_typo_is_answered_with_the_nearest_fields)
{
    struct error err = {0};
    struct run_spec spec;

    EXPECT(!read_text("{\"batchsize\":8}", &spec, &err));
    EXPECT_PART(err.message, " are batch_size, ");
    EXPECT_PART(err.message, "; docs/api.md lists all");
    error_clear(&err);
    EXPECT(!read_text("{\"label\":{}}", &spec, &err));
    EXPECT_PART(err.message, " are labels, ");
}

TEST(the_schema_describes_every_field_with_its_default)
{
    AUTO(json_decrefp) json_t *schema = run_spec_schema();
    struct run_spec defaults = run_spec_default();
    AUTO(json_decrefp) json_t *spec = run_spec_to_json(&defaults);
    json_t *properties = json_object_get(schema, "properties");

    EXPECT_STR(json_string_value(json_object_get(schema, "type")), "object");
    EXPECT(json_is_false(json_object_get(schema, "additionalProperties")));
    EXPECT_INT((long long)json_object_size(properties), (long long)json_object_size(spec));
    for (size_t i = 0; i < run_spec_field_count; i++) {
        const char *name = run_spec_fields[i].name;
        json_t *property = json_object_get(properties, name);

        if (strcmp(name, "precision") == 0) /* of a request it is the machine's */
            EXPECT(!json_object_get(property, "default"));
        else if (strcmp(name, "batch_size") == 0) /* likewise */
            EXPECT_STR(json_string_value(json_object_get(property, "default")), "auto");
        else
            EXPECT(json_equal(json_object_get(property, "default"), json_object_get(spec, name)));
        EXPECT(json_string_length(json_object_get(property, "description")) > 0);
    }

    json_t *labels = json_object_get(properties, "labels");
    EXPECT_INT(json_integer_value(json_object_get(labels, "maxProperties")), RUN_LABELS_MAX);
    EXPECT_INT(json_integer_value(
                   json_object_get(json_object_get(labels, "additionalProperties"), "maxLength")),
               LABEL_VALUE_MAX);
}

TEST(a_stored_spec_may_be_one_that_is_no_longer_trained)
{
    struct run_spec spec = run_spec_default(), again;

    snprintf(spec.workload, sizeof spec.workload, "mlp");
    AUTO(freep) char *text = run_spec_to_text(&spec);
    EXPECT(!read_text(text, &again, NULL));
    EXPECT(run_spec_from_stored(text, &again, NULL));
    AUTO(freep) char *same = run_spec_to_text(&again);
    EXPECT_STR(same, text);
    EXPECT(!run_spec_from_stored("{\"plan\":", &again, NULL));
}
