/* `pennyworth-worker verify`: trains a few steps on data that any program can make again, and
 * prints the result as JSON, so that the engine can be compared with another implementation. */
#pragma once

#include "engine/train/net/joiner.h"

/* The arguments behind "verify"; returns the exit status. `joiner` has the other ranks, or is
 * NULL. Only the first rank judges: gradients and losses are over all ranks, but logits and
 * running statistics are its own. */
int verify_main(int argc, char *const argv[], struct joiner *joiner);
