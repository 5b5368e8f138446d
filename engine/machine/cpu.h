/* What this processor can do, as far as the engine chooses by it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Each has all that stands before it. */
enum cpu_isa {
    CPU_BASE,
    CPU_SSE41,
    CPU_AVX2,        /* with FMA */
    CPU_AVX512,      /* F, BW, VL and DQ */
    CPU_AVX512_BF16, /* products of bf16 pairs */
    CPU_AMX,         /* products of bf16 tiles */
};

/* The most that this processor, its operating system and this process can do. For AMX it asks
 * the kernel for permission and forks a child that tries one tile operation, because some virtual
 * machines promise AMX and fault. It waits for that child, so call it early, and once. */
enum cpu_isa cpu_probe(void);

/* "base", "sse41", "avx2", "avx512", "avx512_bf16", "amx". */
const char *cpu_isa_name(enum cpu_isa isa);

/* Also knows "auto", which is what cpu_probe() says. The others are not checked against this
 * processor. */
bool cpu_isa_from_name(const char *name, enum cpu_isa *ret_isa)
    __attribute__((warn_unused_result));

/* The processor's own name with family, model and stepping, cut to fit: it names what a timing
 * was measured on, and virtual machines call different processors the same. */
void cpu_model(char *ret_text, size_t size);

/* Bytes, 0 where unknown. */
void cpu_caches(long *ret_l1d, long *ret_l2, long *ret_l3);

/* Whether attempt() returns, within `seconds`, in a child process of its own. What it breaks, it
 * breaks there: faults leave no core file and are not reported. */
bool cpu_survives(void (*attempt)(void), unsigned seconds);
