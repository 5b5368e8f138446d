/* Plans measured in advance for kinds of processors: a first start on one of them measures
 * nothing. */
#pragma once

#include "engine/machine/cpu.h"
#include "engine/train/depth_first/plan.h"
#include "engine/train/depth_first/stages.h"
#include "engine/train/onednn/dnn.h"

/* The key of such a plan. */
struct plan_machine {
    enum cpu_isa isa; /* that is used */
    enum dnn_type type;
    long second_cache; /* bytes of a core's; 0: not known */
};

/* False if the table has no row for the machine, or none for a size of the network's images. */
bool plan_known(const struct plan_machine *machine, const struct network *network,
                const struct stages *stages, struct plan *ret_plan);
