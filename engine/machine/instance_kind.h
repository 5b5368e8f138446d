/* What the name of an instance type says about the type. */
#pragma once

#include <stdbool.h>

/* Whether its speed depends on credits, or on a core shared with others: t2, t3, t4g; e2-micro
 * and the like; Standard_B. */
bool instance_is_burstable(const char *type);
