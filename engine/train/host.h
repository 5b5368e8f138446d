/* The machine under the worker, as far as it needs it. */
#pragma once

/* Processors this process may run on. */
int host_processors(void);

/* How many threads oneDNN may use from now on. */
void host_set_threads(int threads);
