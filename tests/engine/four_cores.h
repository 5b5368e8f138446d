/* A machine of four cores with AVX2, on which nothing can be loaded beforehand. */
#pragma once

#include "engine/run/spec_fits.h"

static struct topology four_topology = {
    .cpu_count = 4, .core_count = 4, .package_count = 1, .node_count = 1};
static const struct place four_cores = {
    .topology = &four_topology, .isa = CPU_AVX2, .root = "/nowhere"};
