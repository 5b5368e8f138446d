#include "engine/train/kernels/passes.h"

#include "common/cleanup.h"

extern const struct passes passes_portable_f32, passes_portable_bf16;
extern const struct passes passes_avx2_f32, passes_avx2_bf16;
extern const struct passes passes_avx512_f32, passes_avx512_bf16;
extern const struct passes passes_avx512bf16_bf16;

/* From the most to the least that is asked of the processor. */
static const struct passes *const all[] = {
#ifdef __x86_64__
    &passes_avx512bf16_bf16,
#endif
    &passes_avx512_f32,      &passes_avx512_bf16,  &passes_avx2_f32,
    &passes_avx2_bf16,       &passes_portable_f32, &passes_portable_bf16};

const struct passes *passes_for(enum cpu_isa isa, enum dnn_type type)
{
    size_t i = 0;

    while (all[i]->isa > isa || all[i]->type != type)
        i++; /* every processor can run the portable ones */
    return all[i];
}

const struct passes *passes_at(int index)
{
    return index < (int)COUNT(all) ? all[index] : NULL;
}
