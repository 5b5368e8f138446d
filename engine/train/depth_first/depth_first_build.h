/* Makes and frees a net: the operations of its stages, its threads, their memory, and how its
 * stages are cut into chunks. */
#pragma once

#include "engine/train/depth_first/depth_first_data.h"

/* Builds everything by `plan`, which has an entry for each stage of the network. The parameters
 * stay the caller's and must outlive the net; several nets may be made from one set, but only one
 * may learn. NULL with the reason. */
MUST_USE struct depth_first *depth_first_make(const struct network *network,
                                              const struct net_options *options,
                                              struct parameters *parameters,
                                              const struct plan *plan, struct error *err);

/* NULL is fine. */
void depth_first_free(struct depth_first *depth_first);
