/* The joiner of MPI: the ranks that mpirun has started. All calls of MPI are in this folder, and
 * all are made by the main thread. Sums are MPI_SUM's of f32, by an algorithm that MPI chooses by
 * the numbers of ranks and values alone: the same number of ranks gives the same bits.
 *
 * An error of MPI ends the processes of all ranks, which is MPI's default. */
#pragma once

#include "engine/train/net/joiner.h"

/* Joins the other ranks. One call in a process; NULL with the reason. */
MUST_USE struct joiner *ranks_begin(int *argc, char ***argv, struct error *err);

/* The ranks on this machine that may use the same processors as this one, and which of them this
 * is, from 0. */
void ranks_here(const struct joiner *joiner, int *ret_count, int *ret_index);

/* Leaves the other ranks when all have come here, frees the joiner and returns the largest status
 * of all. Where `status` is not 0 and the others do not come within seconds, because they wait
 * for this one elsewhere, it ends their processes and its own with that status. */
int ranks_end(struct joiner *joiner, int status);
