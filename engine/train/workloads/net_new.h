/* Makes the net that options ask for. */
#pragma once

#include "engine/train/net/net.h"

/* A net of `network`, by the plan of the options; net_free() frees it. A batch that does not fit
 * into memory is refused with its need before anything is taken. NULL with the reason. */
MUST_USE struct net *net_new(const struct network *network, const struct net_options *options,
                             struct error *err);
