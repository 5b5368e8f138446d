/* The layerwise plan: computes a graph node by node, forward and back. All threads run through
 * the nodes together; each makes its share of every node and waits for the others where one reads
 * what another made. Nothing is allocated inside a step. The same options give the same bits.
 *
 * With bf16 the operands of products are rounded to bf16 and their sums, all other values and
 * the parameters are f32. */
#pragma once

#include "engine/train/net/net.h"
#include "engine/train/networks/graph.h"
#include "engine/train/networks/optimizer.h"

/* Of the options: batch, type, seed, threads, isa, joiner. The caller frees the net with
 * net_free(). net_parameters() shows gradients always; without an optimizer a step makes no more
 * than these. ERROR_INVALID on "batch_size" where it
 * does not fit into memory. NULL with the reason. */
MUST_USE struct net *layerwise_new(const struct graph *graph, const struct optimizer *optimizer,
                                   const struct net_options *options, struct error *err);
