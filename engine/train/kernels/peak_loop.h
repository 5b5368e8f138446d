/* Loops that multiply and do nothing else, from registers alone: what a unit of one core does at
 * most. No training reaches it, because a training also reads, adds up and writes. */
#pragma once

#include "engine/train/onednn/dnn.h"

struct peak_loop {
    const char *unit; /* of the processor: "FMA 512 bits", "VDPBF16PS", "AMX / 6" */
    enum cpu_isa isa; /* the least that has it */
    enum dnn_type type;
    double (*run)(void); /* some tens of microseconds; returns the multiply-adds it has done */
};

/* The loop of the best unit of this instruction set for numbers of this type. Without a bf16
 * unit, the f32 unit, in which bf16 is then computed. */
const struct peak_loop *peak_loop_for(enum cpu_isa isa, enum dnn_type type);

/* Every loop, from the least instruction set to the most; NULL behind the last. */
const struct peak_loop *peak_loop_at(int index);
