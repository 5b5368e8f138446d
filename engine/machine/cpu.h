/* The instruction sets of this processor that the engine distinguishes. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>
#include <stddef.h>

/* Each includes those before it. */
enum cpu_isa {
    CPU_BASE,
    CPU_SSE41,
    CPU_AVX2,        /* with FMA */
    CPU_AVX512,      /* F, BW, VL and DQ */
    CPU_AVX512_BF16, /* products of bf16 pairs */
    CPU_AMX,         /* products of bf16 tiles */
};

/* The best set that this processor, its operating system and this process can use. For AMX it
 * asks the kernel for permission and forks a child that tries one tile operation, because some
 * virtual machines promise AMX and fault. It waits for that child, so call it early, and once. */
enum cpu_isa cpu_probe(void);

/* "base", "sse41", "avx2", "avx512", "avx512_bf16", "amx"; NULL-terminated. */
extern const char *const cpu_isa_names[];
const char *cpu_isa_name(enum cpu_isa isa);

/* Also knows "auto", which is cpu_probe(). The others are not checked against this processor. */
MUST_USE bool cpu_isa_from_name(const char *name, enum cpu_isa *ret_isa);

#define CPU_VENDOR_SIZE 13

/* "GenuineIntel", "AuthenticAMD"; "" if the processor has none. */
void cpu_vendor(char ret_text[CPU_VENDOR_SIZE]);

/* Whether a processor of that vendor computes bf16 natively up to `isa`, at least as fast as f32:
 * with tiles, or with products of pairs except on Intel. There VDPBF16PS does half of the work
 * that FMA does in the same time (214 against 402 GFLOP/s on two cores of model 207 without
 * tiles), on Zen 4 twice as much (472 against 236). A rule and not a measurement, so that the
 * same request always means the same run. */
bool cpu_bf16_pays(enum cpu_isa isa, const char *vendor);

/* The processor's own name with family, model and stepping, cut to fit: virtual machines give
 * different processors the same name. */
void cpu_model(char *ret_text, size_t size);

/* Bytes, 0 where unknown. */
void cpu_caches(long *ret_l1d, long *ret_l2, long *ret_l3);

/* Whether attempt() returns, within `seconds`, in a child process. A fault stays in the child: it
 * leaves no core file and is not reported. */
bool cpu_survives(void (*attempt)(void), unsigned seconds);
