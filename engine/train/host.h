/* The machine under the worker, as far as it needs it. */
#pragma once

/* Nanoseconds since some fixed point in the past, by the clock that nobody sets right: what parts
 * of a step are timed by, all of them, so that they add up to it. */
long long host_clock_ns(void);

/* Processors this process may run on. */
int host_processors(void);

/* How many threads oneDNN may use from now on, where the calling thread calls it. */
void host_set_threads(int threads);

/* Binds the calling thread to the index-th of those processors, if there are so many: a thread
 * that moves leaves its cache behind. */
void host_stay_on(int index);

/* Lets the calling thread, which has inherited its place, run on all of them again. */
void host_stay_anywhere(void);

/* Bytes that may still be taken: what the system says is available, or what the limit of our
 * control group leaves, whichever is less. */
long long host_free_memory(void);

/* The most that this process has had in memory. */
long long host_peak_memory(void);
