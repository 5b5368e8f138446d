#include "engine/run/spec_fits.h"

#include "tests/test.h"

static const char *refusal(const char *text, const struct place *place, struct error *err)
{
    struct run_spec spec;

    error_clear(err);
    EXPECT(run_spec_from_text(text, strlen(text), &spec, NULL));
    if (spec_fits(&spec, place, err))
        return "";
    EXPECT_INT(err->kind, ERROR_UNABLE);
    return err->field;
}

TEST(a_spec_too_large_for_the_machine_is_refused_with_its_field)
{
    static struct topology small = {
        .cpu_count = 2, .core_count = 2, .package_count = 1, .node_count = 1};
    const struct place place = {.topology = &small, .isa = CPU_AVX512, .root = "/nowhere"};
    static const char *const rows[][2] = {{"{}", ""},
                                          {"{\"threads\":2}", ""},
                                          {"{\"threads\":3}", "threads"},
                                          {"{\"pinning\":\"none\"}", ""},
                                          {"{\"pinning\":\"smt\"}", "pinning"},
                                          {"{\"numa\":\"local\"}", "numa"},
                                          {"{\"numa\":\"interleave\"}", "numa"},
                                          {"{\"isa\":\"avx512\"}", ""},
                                          {"{\"isa\":\"sse41\"}", ""},
                                          {"{\"isa\":\"avx512_bf16\"}", "isa"},
                                          {"{\"max_dollars\":1}", "max_dollars"},
                                          {"{\"allocator\":\"tcmalloc\"}", "allocator"},
                                          {"{\"openmp\":\"llvm\"}", "openmp"}};
    struct error err = {0};

    for (size_t i = 0; i < COUNT(rows); i++)
        EXPECT_STR(refusal(rows[i][0], &place, &err), rows[i][1]);
}

TEST(a_large_machine_can_more)
{
    static struct topology large = {
        .cpu_count = 192, .core_count = 96, .package_count = 2, .node_count = 2};
    const struct place place = {
        .topology = &large, .isa = CPU_AMX, .root = "/nowhere", .dollars_per_hour = 8};
    struct error err = {0};

    EXPECT_STR(refusal("{\"threads\":192,\"pinning\":\"smt\",\"numa\":\"interleave\","
                       "\"isa\":\"amx\",\"max_dollars\":0.5}",
                       &place, &err),
               "");
}

static bool never(const void *user, const struct run_spec *spec, struct error *err)
{
    (void)spec;
    return error_set(err, ERROR_UNABLE, "precision", "%s", (const char *)user);
}

TEST(other_engines_may_refuse_a_spec)
{
    static struct topology small = {.cpu_count = 2, .core_count = 2, .node_count = 1};
    const struct place place = {
        .topology = &small, .root = "/nowhere", .can = never, .user = "not today"};
    struct error err = {0};

    EXPECT_STR(refusal("{}", &place, &err), "precision");
    EXPECT_STR(err.message, "not today");
}
