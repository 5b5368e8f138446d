/* Finds processes that outlive their worker: they left its process group (setsid), and may have
 * cleared their environment. When their parent ends, the kernel makes them children of the server
 * (subreaper), so they are found by descent. */
#pragma once

/* Makes orphans among the descendants of this process its children. */
void leftovers_adopt(void);

/* Kills and reaps the children of this process that began at `since` (place 22 of /proc/PID/stat)
 * or later, and their orphans, until none is left. Call it after the worker of that run was
 * reaped, if no other worker was started since. Returns how many. */
int leftovers_kill(long long since);
