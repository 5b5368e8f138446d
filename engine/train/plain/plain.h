/* The plain plan: one operation of the library after another, each over the whole batch with all
 * threads. It is the honest baseline, and what the depth-first plan is compared with. */
#pragma once

#include "engine/train/net/net.h"

/* NULL with the reason. */
MUST_USE struct net *plain_new(const struct network *network, const struct net_options *options,
                               struct error *err);
