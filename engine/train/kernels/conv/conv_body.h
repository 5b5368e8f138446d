/* What every kernel body of conv.h and conv_winograd.h ends with: a function for each end, so
 * that the compiler sees the end as a constant, and the description by CONV_NAME and CONV_ISA. */
#pragma once

#include "engine/train/kernels/conv/conv_kernel.h"

/* runs[kind] of the parameters `parameters`; each calls `inner` with the arguments that follow,
 * and the kind behind them. */
#define CONV_END_RUN(name, kind, inner, parameters, ...)                                         \
    static __attribute__((noinline)) void name parameters                                        \
    {                                                                                            \
        inner(__VA_ARGS__, kind);                                                                \
    }
#define CONV_END_RUNS(inner, parameters, ...)                                                    \
    CONV_END_RUN(run_plain, CONV_PLAIN, inner, parameters, __VA_ARGS__)                          \
    CONV_END_RUN(run_sums, CONV_SUMS, inner, parameters, __VA_ARGS__)                            \
    CONV_END_RUN(run_inner, CONV_INNER, inner, parameters, __VA_ARGS__)                          \
    CONV_END_RUN(run_kept, CONV_KEPT, inner, parameters, __VA_ARGS__)                            \
    CONV_END_RUN(run_other, CONV_OTHER, inner, parameters, __VA_ARGS__)                          \
    static void(*const runs[CONV_END_KINDS]) parameters = {                                      \
        [CONV_PLAIN] = run_plain, [CONV_SUMS] = run_sums,   [CONV_INNER] = run_inner,            \
        [CONV_KEPT] = run_kept,   [CONV_OTHER] = run_other,                                      \
    }

#define CONV_TEXT_OF(x) #x
#define CONV_TEXT(x) CONV_TEXT_OF(x)

/* The kernel of this file, a `struct type`; its other members follow. */
#define CONV_DESCRIBE(type, ...)                                                                 \
    extern const struct type CONV_NAME;                                                          \
    const struct type CONV_NAME = {.name = CONV_TEXT(CONV_NAME), .isa = CONV_ISA, __VA_ARGS__}
