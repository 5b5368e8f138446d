/* What the programs pennyworth-worker and pennyworth-worker-mpi do: train what the spec on stdin
 * says and write a line for each step to stdout, as engine/protocol/PROTOCOL.md says; `verify`;
 * `workloads`. */
#pragma once

#include "engine/train/net/joiner.h"

/* Returns the exit status. `joiner` has the other ranks, or is NULL: then the program is
 * pennyworth-worker. Of several ranks the first alone reads stdin; all of them write, so the
 * caller sends the output of the others nowhere. */
int worker_program(int argc, char *argv[], struct joiner *joiner);
