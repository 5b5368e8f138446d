/* Tested by tests/engine/train/kernels/elements_test.c. */
#include "engine/train/kernels/elements.h"

#include "common/cleanup.h"

extern const struct elements elements_portable, elements_avx2, elements_avx512;

/* From the most to the least that is asked of the processor. */
static const struct elements *const all[] = {&elements_avx512, &elements_avx2,
                                             &elements_portable};

const struct elements *elements_for(enum cpu_isa isa)
{
    size_t i = 0;

    while (all[i]->isa > isa)
        i++; /* every processor can run the portable ones */
    return all[i];
}

const struct elements *elements_at(int index)
{
    return index < (int)COUNT(all) ? all[index] : NULL;
}
