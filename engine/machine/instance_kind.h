/* Properties of an instance type that follow from its name. */
#pragma once

#include <stdbool.h>

/* Whether its speed depends on credits, or on a shared core: t2, t3, t4g; e2-micro and the like;
 * Standard_B. */
bool instance_is_burstable(const char *type);
