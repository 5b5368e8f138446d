#include "engine/train/kernels/peak_loop.h"

#include "tests/test.h"

TEST(each_instruction_set_has_its_best_unit)
{
    static const struct {
        enum cpu_isa isa;
        const char *f32, *bf16;
    } wanted[] = {
#ifdef __x86_64__
        {CPU_BASE, "128 bits", "128 bits"},
        {CPU_SSE41, "128 bits", "128 bits"},
        {CPU_AVX2, "FMA 256 bits", "FMA 256 bits"}, /* where bf16 is computed in f32 */
        {CPU_AVX512, "FMA 512 bits", "FMA 512 bits"},
        {CPU_AVX512_BF16, "FMA 512 bits", "VDPBF16PS"},
        {CPU_AMX, "AMX / 6", "AMX"},
#endif
    };

    for (size_t i = 0; i < COUNT(wanted); i++) {
        EXPECT_STR(peak_loop_for(wanted[i].isa, DNN_F32)->unit, wanted[i].f32);
        EXPECT_STR(peak_loop_for(wanted[i].isa, DNN_BF16)->unit, wanted[i].bf16);
    }
    EXPECT(peak_loop_for(CPU_BASE, DNN_BF16)->isa == CPU_BASE);
}

TEST(the_list_goes_from_the_least_to_the_most_and_ends)
{
    int count = 0;

    for (; peak_loop_at(count); count++)
        EXPECT(count == 0 || peak_loop_at(count)->isa >= peak_loop_at(count - 1)->isa);
    EXPECT(count > 0);
    EXPECT(peak_loop_at(-1) == NULL);
}

/* That the processor executes them, and that they come back; how fast is for bench/peak.c.
 */
TEST(every_loop_that_this_machine_has_runs)
{
    enum cpu_isa isa = cpu_probe();

    for (int i = 0; peak_loop_at(i); i++)
        if (peak_loop_at(i)->isa <= isa)
            EXPECT(peak_loop_at(i)->run() >= 40000);
}
