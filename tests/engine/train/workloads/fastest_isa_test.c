#include "engine/train/workloads/fastest_isa.h"

#include "tests/test.h"

TEST(pairs_of_bf16_are_left_where_fma_multiplies_more)
{
    EXPECT_INT(fastest_isa(CPU_AVX512_BF16, 214e9, 402e9), CPU_AVX512);
    EXPECT_INT(fastest_isa(CPU_AVX512_BF16, 472e9, 236e9), CPU_AVX512_BF16);
    EXPECT_INT(fastest_isa(CPU_AVX512_BF16, 300e9, 300e9), CPU_AVX512_BF16);
}

TEST(no_other_set_has_a_slower_unit)
{
    EXPECT_INT(fastest_isa(CPU_AMX, 1e9, 402e9), CPU_AMX);
    EXPECT_INT(fastest_isa(CPU_AVX512, 1e9, 402e9), CPU_AVX512);
    EXPECT_INT(fastest_isa(CPU_AVX2, 1e9, 402e9), CPU_AVX2);
}

TEST(what_is_not_known_changes_nothing)
{
    EXPECT_INT(fastest_isa(CPU_AVX512_BF16, 0, 402e9), CPU_AVX512_BF16);
    EXPECT_INT(fastest_isa(CPU_AVX512_BF16, 214e9, 0), CPU_AVX512_BF16);
}

TEST(f32_has_all_of_the_processor)
{
    enum cpu_isa isa = CPU_BASE;

    EXPECT_OK(fastest_isa_use("auto", DNN_F32, &isa, &err));
    EXPECT_INT(isa, cpu_probe());
}

/* Last: the library keeps what it was held to. */
TEST(a_named_set_is_taken_as_it_is)
{
    enum cpu_isa isa = CPU_AMX, has = cpu_probe();

    EXPECT_OK(fastest_isa_use("sse41", DNN_BF16, &isa, &err));
    EXPECT_INT(isa, has < CPU_SSE41 ? has : CPU_SSE41);
    EXPECT_INVALID(fastest_isa_use("avx1024", DNN_BF16, &isa, &err), "isa");
}

TEST(bf16_has_one_of_the_two_sets)
{
    enum cpu_isa isa = CPU_BASE, has = cpu_probe();

    EXPECT_OK(fastest_isa_use("auto", DNN_BF16, &isa, &err));
    EXPECT(isa == has || (has == CPU_AVX512_BF16 && isa == CPU_AVX512));
}
