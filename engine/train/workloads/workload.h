/* What can be trained: one row a workload. */
#pragma once

#include "engine/spec/run_spec.h"
#include "engine/train/net/net.h"
#include "engine/train/workloads/certificate.h"

#include <stdio.h>

/* ResNet-50 has a row; recipe.h lists all others. */
struct workload {
    const char *name;      /* as in the spec; "" of what stands for every recipe */
    enum cpu_isa f32_most; /* that its nets of f32 use */
    /* A net that trains what the spec says; `isa` is the most of the processor that it may use,
     * `joiner` has the other ranks, or is NULL. The caller gives it to net_free(). NULL with the
     * reason. */
    struct net *(*make)(const struct run_spec *spec, enum cpu_isa isa, struct joiner *joiner,
                        struct error *err);
    /* How far the precision of the run leads from f32 (certificate.h); called when the net of
     * the run is freed. */
    bool (*certify)(const struct run_spec *spec, enum cpu_isa isa,
                    struct certificate *ret_certificate, struct error *err);
};

/* NULL, and err saying so, when this worker does not know it. */
const struct workload *workload_find(const char *name, struct error *err);

/* Prints every workload with its parameters, the multiply-adds of one sample forward, its usual
 * batch and its optimizer. */
void workloads_list(FILE *out);

/* The numbers that a spec means by its precision. */
enum dnn_type workload_type(const struct run_spec *spec);

/* Threads that a spec means. */
int workload_threads(const struct run_spec *spec);
