#include "engine/run/run_request.h"

#include "tests/test.h"

static struct topology topology = {
    .cpu_count = 4, .core_count = 4, .package_count = 1, .node_count = 1};
static const struct place tiles = {.topology = &topology, .isa = CPU_AMX, .root = "/nowhere"};
static const struct place old = {.topology = &topology, .isa = CPU_AVX2, .root = "/nowhere"};

/* What a request means on two machines: one with tiles, and one without any bf16. */
static const struct {
    const char *text, *with_tiles, *without;
} rows[] = {
    {"{}", "bf16", "f32"},
    {"{\"workload\":\"mlp2017\"}", "bf16", "f32"},
    {"{\"engine\":\"another\"}", "bf16", "f32"},
    {"{\"precision\":\"f32\"}", "f32", "f32"},
    {"{\"precision\":\"bf16\"}", "bf16", "bf16"},
    {"{\"isa\":\"auto\"}", "bf16", "f32"},
    {"{\"isa\":\"amx\"}", "bf16", "f32"},
    {"{\"isa\":\"avx512\"}", "f32", "f32"},
    {"{\"isa\":\"sse41\"}", "f32", "f32"},
};

TEST(a_request_without_a_precision_gets_the_machines)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t length = strlen(rows[i].text);
        struct run_spec spec;

        EXPECT(run_request_from_text(rows[i].text, length, &tiles, &spec, NULL));
        EXPECT_STR(spec.precision, rows[i].with_tiles);
        EXPECT(run_request_from_text(rows[i].text, length, &old, &spec, NULL));
        EXPECT_STR(spec.precision, rows[i].without);
    }
}

TEST(without_a_place_the_processor_is_asked)
{
    const struct place here = {.isa = cpu_probe()};
    struct run_spec asked, told;

    EXPECT(run_request_from_text("{}", 2, NULL, &asked, NULL));
    EXPECT(run_request_from_text("{}", 2, &here, &told, NULL));
    EXPECT_STR(asked.precision, told.precision);
}

static long long batch_of(const char *text, const struct place *place)
{
    struct run_spec spec = {.batch_size = 0};

    EXPECT(run_request_from_text(text, strlen(text), place, &spec, NULL));
    return spec.batch_size;
}

/* A worker gets a number, and a registered engine the usual one. */
TEST(nothing_asks_for_resnet50_with_the_batch_that_fits)
{
    struct run_spec spec;

    EXPECT(run_request_from_text("{}", 2, &old, &spec, NULL));
    EXPECT_STR(spec.workload, "resnet50");
    EXPECT_INT(spec.batch_size, FIELD_IS_AUTO);
    EXPECT_INT(batch_of("{\"batch_size\":7}", &old), 7);
    EXPECT_INT(batch_of("{\"engine\":\"torch\"}", &old), 32);
    EXPECT_INT(batch_of("{\"engine\":\"torch\",\"batch_size\":\"auto\"}", &old), FIELD_IS_AUTO);
    EXPECT_INT(batch_of("{}", NULL), 32);
}

/* The spec that a worker gets is complete, and its least may be a default. */
TEST(the_least_seconds_may_not_exceed_the_most_that_a_client_names)
{
    static const char both[] = "{\"min_seconds\":50,\"max_seconds\":10}";
    static const char most[] = "{\"max_seconds\":10}";
    struct run_spec spec;

    EXPECT_WRONG(run_request_from_text(both, strlen(both), &old, &spec, &err), "min_seconds",
                 "must be at most max_seconds, 10, got 50");
    EXPECT(run_request_from_text(most, strlen(most), &old, &spec, NULL));
    EXPECT(run_request_from_text(both, strlen(both), NULL, &spec, NULL));
}

TEST(what_is_wrong_is_said_as_of_any_spec)
{
    static const char *const wrong[] = {
        "{\"isa\":5}", "{\"precision\":null}", "{\"workload\":\"gnn\"}", "[]", "{", ""};

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct run_spec spec = {.batch_size = -7};
        struct error err = {0}, plain = {0};

        EXPECT(!run_request_from_text(wrong[i], strlen(wrong[i]), &old, &spec, &err));
        EXPECT(!run_spec_from_text(wrong[i], strlen(wrong[i]), &spec, &plain));
        EXPECT_INT(err.kind, ERROR_INVALID);
        EXPECT_STR(err.field, plain.field);
        EXPECT_STR(err.message, plain.message);
        EXPECT_INT(spec.batch_size, -7);
    }
}
