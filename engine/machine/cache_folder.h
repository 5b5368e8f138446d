/* The cache folder of this machine's measurements: $XDG_CACHE_HOME/pennyworth, else
 * $HOME/.cache/pennyworth. The worker writes its plans there, and nowhere else. */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* `home` is another user's home, whose environment is unknown, or NULL. False if there is no
 * absolute path, or it is too long. */
bool cache_folder_find(const char *home, char ret_folder[PATH_MAX]);

/* Makes the folder and its parents, for their owner alone, as far as possible. Makes
 * only calls that are allowed after fork in a process with threads. */
void cache_folder_make(const char *folder);
