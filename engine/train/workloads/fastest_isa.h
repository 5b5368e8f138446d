/* Which instruction set trains fastest where a spec leaves the choice to the engine. */
#pragma once

#include "common/error.h"
#include "engine/train/onednn/dnn.h"

/* More is not always faster: on some Xeons without tiles VDPBF16PS does half of the work that
 * FMA does in the same time (214 against 402 GFLOP/s on two cores of model 207), on Zen 4 twice
 * as much (472 against 236). `multiplies` is how many multiply-adds a second `most` does, and
 * `with_fma` how many AVX-512 does with FMA; 0 of either: not known, and `most` stays. */
enum cpu_isa fastest_isa(enum cpu_isa most, double multiplies, double with_fma);

/* As dnn_use_isa(), which it calls: but of "auto" and bf16 it takes the faster set, where the
 * processor has VDPBF16PS and no tiles. There it measures both, for 20 ms; call it before there
 * are other threads. */
MUST_USE bool fastest_isa_use(const char *name, enum dnn_type type, enum cpu_isa *ret_isa,
                              struct error *err);
