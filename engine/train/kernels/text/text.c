#include "engine/train/kernels/text/text.h"

#include "common/cleanup.h"

#define DECLARE(set)                                                                             \
    extern const struct product_kernel product_##set;                                            \
    extern const struct attention_kernel attention_##set;                                        \
    extern const struct rows_kernel rows_##set;                                                  \
    extern const struct loss_kernel loss_##set;                                                  \
    extern const struct lstm_kernel lstm_##set;                                                  \
    extern const struct dropout_kernel dropout_##set;                                            \
    extern const struct learn_kernel learn_##set;                                                \
    extern const struct embedding_kernel embedding_##set

#define SET(set, isa, type)                                                                      \
    {                                                                                            \
        "text_" #set, isa, type, &product_##set, &attention_##set, &rows_##set, &loss_##set,     \
            &lstm_##set, &dropout_##set, &learn_##set, &embedding_##set                          \
    }

DECLARE(portable_f32);
DECLARE(portable_bf16);
DECLARE(avx2_f32);
DECLARE(avx2_bf16);
DECLARE(avx512_f32);
DECLARE(avx512_bf16);
DECLARE(avx512bf16_bf16);

/* From the most to the least that is asked of the processor. */
static const struct text_kernels all[] = {
    SET(avx512bf16_bf16, CPU_AVX512_BF16, DNN_BF16),
    SET(avx512_f32, CPU_AVX512, DNN_F32),
    SET(avx512_bf16, CPU_AVX512, DNN_BF16),
    SET(avx2_f32, CPU_AVX2, DNN_F32),
    SET(avx2_bf16, CPU_AVX2, DNN_BF16),
    SET(portable_f32, CPU_BASE, DNN_F32),
    SET(portable_bf16, CPU_BASE, DNN_BF16),
};

const struct text_kernels *text_kernels_for(enum cpu_isa isa, enum dnn_type type)
{
    size_t i = 0;

    while (all[i].isa > isa || all[i].type != type)
        i++; /* every processor can run the portable ones */
    return &all[i];
}

const struct text_kernels *text_kernels_at(int index)
{
    return index < (int)COUNT(all) ? &all[index] : NULL;
}
