/* The depth-first plan: threads own images, and each takes its images through the network a chunk
 * at a time, so that a chunk stays in cache while a whole stage of layers is computed on it.
 * Threads wait for each other only between stages. Other rooms include this header and no other
 * of the folder; depth_first_data.h says what stands where. */
#pragma once

#include "engine/train/net/net.h"

/* Chooses the plan (the options' NET_FIXED or NET_AUTO), which may take a few seconds of
 * measuring, and builds the net. NULL with the reason. */
MUST_USE struct net *depth_first_new(const struct network *network,
                                     const struct net_options *options, struct error *err);
