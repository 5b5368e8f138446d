/* Kernels of networks for text and of small networks: what the nodes of such a network compute.
 * Each header here documents one kind; each kernel works on a slice [begin, end) of its work, so
 * that a team of threads can share it, gives the same bits whatever the slices, and allocates
 * nothing. The sources are compiled for several instruction sets and for numbers that are stored
 * as f32 or bf16; all compute in f32. Sets need not agree with each other to the last bit: one
 * run uses one set.
 *
 * Weights, their gradients and optimizer states are f32 in every set, and so is the residual
 * stream of a transformer, which layer norms read: in bf16 it would lose what blocks add. */
#pragma once

#include "engine/machine/cpu.h"
#include "engine/train/onednn/dnn.h"

struct text_kernels {
    const char *name;
    enum cpu_isa isa; /* what the processor must have */
    enum dnn_type type;
    const struct product_kernel *product;
    const struct attention_kernel *attention;
    const struct rows_kernel *rows;
    const struct loss_kernel *loss;
    const struct lstm_kernel *lstm;
    const struct dropout_kernel *dropout;
    const struct learn_kernel *learn;
    const struct embedding_kernel *embedding;
};

/* The fastest set for a processor that has `isa`. */
const struct text_kernels *text_kernels_for(enum cpu_isa isa, enum dnn_type type);

/* All that were compiled, for tests; NULL behind the last. */
const struct text_kernels *text_kernels_at(int index);
