/* The folder that keeps what was measured on this machine: $XDG_CACHE_HOME/pennyworth, else
 * $HOME/.cache/pennyworth. The worker writes its plans there, and nowhere else. */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* With `home` that of another user, whose environment is not this one; else NULL. False where no
 * absolute path is known, or the path is too long. */
bool cache_folder_find(const char *home, char ret_folder[PATH_MAX]);

/* Makes the folder and those above it, for their owner alone, as far as that is possible. Only
 * calls that a child of a process with threads may make. */
void cache_folder_make(const char *folder);
