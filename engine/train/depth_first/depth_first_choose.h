/* Chooses the plan: tries a few ways on a small batch, for all stages at once, and picks for each
 * stage the one that was fastest there, among the choices of its neighbours. */
#pragma once

#include "engine/train/depth_first/plan.h"
#include "engine/train/net/net.h"

/* NET_FIXED: the plan that is the same everywhere. NET_AUTO: the stored plan for this processor,
 * library and shape; without one, measures for about four seconds and stores the result. The
 * parameters are read only. False with the reason when a probe fails. */
MUST_USE bool depth_first_choose(const struct network *network, const struct net_options *options,
                                 struct parameters *parameters, struct plan *ret_plan,
                                 struct error *err);
