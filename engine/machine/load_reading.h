/* Processor counters since boot, at one moment: two readings say who used the processors in
 * between (load.h). */
#pragma once

#include "engine/machine/topology.h"

#include <stdbool.h>
#include <stddef.h>

#define LOAD_NAME_SIZE 16 /* 15 bytes, the kernel's limit for program names */

/* One line of /proc/PID/stat. Times are in ticks (proc.h). */
struct load_process {
    long long pid, parent;
    long long started;     /* since boot: tells it from a later process with its pid */
    long long ticks;       /* of its threads */
    long long child_ticks; /* of its ended and waited-for children, and theirs */
    long long processor;   /* where it ran last */
    char name[LOAD_NAME_SIZE];
};

struct load_reading {
    long long taken_ns;             /* monotonic */
    long long busy_ticks;           /* of our processors together; -1 unknown */
    struct load_process *processes; /* owned; visible processes by pid */
    size_t count, size;
};

/* Reads a line of /proc/PID/stat. The name may hold anything, even ") R 1"; unprintable or
 * invalid UTF-8 becomes "?". False for any other text. */
bool load_read_process(const char *text, struct load_process *ret_process);

/* `root` as in proc.h; `topology` says which processors are ours. Reads one file per process:
 * some milliseconds. */
void load_reading_take(const char *root, const struct topology *topology,
                       struct load_reading *ret_reading);

/* Frees what it holds; a zeroed reading is fine. */
void load_reading_free(struct load_reading *reading);
