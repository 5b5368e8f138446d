/* The family that an instance type is of: types that differ in size alone. Pure. */
#pragma once

#include "common/limits.h"

/* From the form of the name, which tells the clouds apart:
 *
 *   "c7i.large", "c7i.metal-24xl"              "c7i"
 *   "n2-standard-4", "c3-standard-192-metal"   "n2-standard", "c3-standard"
 *   "e2-micro"                                 "e2"
 *   "Standard_D4s_v5", "Standard_M8-2ms"       "Standard_Ds_v5", "Standard_Mms"
 *
 * A name without such a form is a family of its own. Sizes of one family may differ in the memory
 * of a vCPU. */
void instance_family(const char *name, char ret_family[INSTANCE_SIZE]);
