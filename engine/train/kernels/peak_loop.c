/* Written in assembly, so that no compiler drops, joins or spills what does not look useful. */
#include "engine/train/kernels/peak_loop.h"

#include "common/cleanup.h"

#include <stdint.h>

/* Chains that do not wait for each other: twelve hide the latency of two units of five cycles
 * each, and with two operands still fit the sixteen registers of older instruction sets. */
#define CHAINS(of)                                                                               \
    of("0") of("1") of("2") of("3") of("4") of("5") of("6") of("7") of("8") of("9") of("10")     \
        of("11")
#define CHAIN_COUNT 12
#define ROUNDS 20000L

/* Chains of factor * chain + term tend to 1: neither infinities nor denormals, which some cores
 * do slowly. */
static const float factor = 0.999f, term = 0.001f;

#ifdef __x86_64__
#include "engine/train/kernels/wgrad_tiles.h"

#define USED                                                                                     \
    "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",        \
        "xmm10", "xmm11", "xmm12", "xmm13"
#define LOOP(steps) ".p2align 5\n1:\n\t" steps "decq %0\n\tjnz 1b\n\t"
#define ZERO(k) "vpxor %%xmm" k ", %%xmm" k ", %%xmm" k "\n\t" /* all of the wider register */

static double run_128(void)
{
    long rounds = ROUNDS;

#define CLEAR(k) "xorps %%xmm" k ", %%xmm" k "\n\t"
#define STEP(k) "mulps %%xmm12, %%xmm" k "\n\taddps %%xmm13, %%xmm" k "\n\t"
    __asm__ volatile("movss %1, %%xmm12\n\tshufps $0, %%xmm12, %%xmm12\n\t"
                     "movss %2, %%xmm13\n\tshufps $0, %%xmm13, %%xmm13\n\t" CHAINS(CLEAR)
                         LOOP(CHAINS(STEP))
                     : "+r"(rounds)
                     : "m"(factor), "m"(term)
                     : USED);
#undef STEP
#undef CLEAR
    return (double)ROUNDS * CHAIN_COUNT * 4;
}

/* ROUNDS of one instruction for each chain, on registers of that width: its operands are `left`
 * and `right` in every lane, and it multiplies and adds `each` numbers. */
#define VECTOR_LOOP(name, instruction, width, left, right, each)                                 \
    static double name(void)                                                                     \
    {                                                                                            \
        long rounds = ROUNDS;                                                                    \
                                                                                                 \
        __asm__ volatile("vbroadcastss %1, %%" width "12\n\tvbroadcastss %2, %%" width           \
                         "13\n\t" CHAINS(ZERO) LOOP(CHAINS(instruction)) "vzeroupper"            \
                         : "+r"(rounds)                                                          \
                         : "m"(left), "m"(right)                                                 \
                         : USED);                                                                \
        return (double)ROUNDS * CHAIN_COUNT * (each);                                            \
    }
#define FMA_256(k) "vfmadd213ps %%ymm13, %%ymm12, %%ymm" k "\n\t"
#define FMA_512(k) "vfmadd213ps %%zmm13, %%zmm12, %%zmm" k "\n\t"
#define PAIRS_512(k) "vdpbf16ps %%zmm13, %%zmm12, %%zmm" k "\n\t"
static const uint32_t ones = 0x3f803f80; /* a pair */

VECTOR_LOOP(run_fma_256, FMA_256, "ymm", factor, term, 8)
VECTOR_LOOP(run_fma_512, FMA_512, "zmm", factor, term, 16)
VECTOR_LOOP(run_vdpbf16ps, PAIRS_512, "zmm", ones, ones, 32)

TILE_TARGET static double run_amx(void)
{
    static const uint16_t zeros[16 * 32];
    const long rounds = ROUNDS / 20; /* an operation takes sixteen cycles */

    tiles_use();
    tile_zero(0);
    tile_zero(1);
    tile_zero(2);
    tile_zero(3);
    tile_load(4, zeros, 64);
    tile_load(5, zeros, 64);
    tile_load(6, zeros, 64);
    tile_load(7, zeros, 64);
    for (long i = 0; i < rounds; i++) {
        tile_multiply(0, 4, 6);
        tile_multiply(1, 4, 7);
        tile_multiply(2, 5, 6);
        tile_multiply(3, 5, 7);
    }
    tile_release();
    return (double)rounds * 4 * 16 * 16 * 32;
}

/* One of f32 is six of bf16 (product_tiles.h). */
static double run_amx_parts(void)
{
    return run_amx() / 6;
}

static const struct peak_loop loops[] = {
    {"128 bits", CPU_BASE, DNN_F32, run_128},
    {"FMA 256 bits", CPU_AVX2, DNN_F32, run_fma_256},
    {"FMA 512 bits", CPU_AVX512, DNN_F32, run_fma_512},
    {"VDPBF16PS", CPU_AVX512_BF16, DNN_BF16, run_vdpbf16ps},
    {"AMX / 6", CPU_AMX, DNN_F32, run_amx_parts},
    {"AMX", CPU_AMX, DNN_BF16, run_amx},
};
#elif defined(__aarch64__)
static double run_fma_128(void)
{
    long rounds = ROUNDS;

#define CLEAR(k) "movi v" k ".4s, #0\n\t"
#define STEP(k) "fmla v" k ".4s, v12.4s, v13.4s\n\t"
    __asm__ volatile("dup v12.4s, %w1\n\tdup v13.4s, %w2\n\t" CHAINS(CLEAR) "1:\n\t" CHAINS(
                         STEP) "subs %0, %0, #1\n\tb.ne 1b"
                     : "+r"(rounds)
                     : "r"(factor), "r"(term)
                     : "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",
                       "v11", "v12", "v13");
#undef STEP
#undef CLEAR
    return (double)ROUNDS * CHAIN_COUNT * 4;
}

static const struct peak_loop loops[] = {{"FMA 128 bits", CPU_BASE, DNN_F32, run_fma_128}};
#else
static double run_scalar(void)
{
    static volatile float sink; /* no compiler drops what is stored here */
    float chain[CHAIN_COUNT] = {0};

    for (long i = 0; i < ROUNDS; i++)
        for (int k = 0; k < CHAIN_COUNT; k++)
            chain[k] = chain[k] * factor + term;
    for (int k = 0; k < CHAIN_COUNT; k++)
        sink = chain[k];
    return (double)ROUNDS * CHAIN_COUNT;
}

static const struct peak_loop loops[] = {{"one at a time", CPU_BASE, DNN_F32, run_scalar}};
#endif

const struct peak_loop *peak_loop_for(enum cpu_isa isa, enum dnn_type type)
{
    const struct peak_loop *best = &loops[0];

    for (size_t i = 1; i < COUNT(loops); i++)
        if (loops[i].isa <= isa && (loops[i].type == DNN_F32 || loops[i].type == type))
            best = &loops[i];
    return best;
}

const struct peak_loop *peak_loop_at(int index)
{
    return index >= 0 && index < (int)COUNT(loops) ? &loops[index] : NULL;
}
