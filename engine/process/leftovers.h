/* Processes that outlive the worker that started them: they left its process group (setsid), and
 * may have emptied their environment. The kernel gives them to the server as children when their
 * own parent ends, so they are found by descent. */
#pragma once

/* From now on, orphans among the descendants of this process become its children. */
void leftovers_adopt(void);

/* Kills and buries the children of this process that began at `since` (place 22 of
 * /proc/PID/stat) or later, and what becomes a child by that, until none is left. Call it when
 * the worker of that run is buried, and where no other one was started since. Returns how many.
 */
int leftovers_kill(long long since);
