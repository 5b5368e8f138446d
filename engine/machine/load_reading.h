/* What the processors have done since the machine's start, at one moment: two such readings say
 * who used them in between (load.h). */
#pragma once

#include "engine/machine/topology.h"

#include <stdbool.h>
#include <stddef.h>

#define LOAD_NAME_SIZE 16 /* 15 bytes, as the kernel keeps names of programs */

/* One line of /proc/PID/stat. Times are in ticks (proc.h). */
struct load_process {
    long long pid, parent;
    long long started;     /* since the machine's start: tells it from a later one of its pid */
    long long ticks;       /* of its threads */
    long long child_ticks; /* of children that ended and that it waited for, and of theirs */
    long long processor;   /* where it ran last */
    char name[LOAD_NAME_SIZE];
};

struct load_reading {
    long long taken_ns;             /* monotonic */
    long long busy_ticks;           /* of our processors together; -1 not visible */
    struct load_process *processes; /* owned; in the order of their pid; those that are visible */
    size_t count, size;
};

/* Reads a line of /proc/PID/stat. The name may hold anything, ") R 1" too; what is no printable
 * UTF-8 in it becomes "?". False where the text is no such line. */
bool load_read_process(const char *text, struct load_process *ret_process);

/* `root` as in proc.h; of the topology counts which processors are ours. Reads one file for each
 * process: some milliseconds. */
void load_reading_take(const char *root, const struct topology *topology,
                       struct load_reading *ret_reading);

/* Frees what it holds; a zeroed reading is fine. */
void load_reading_free(struct load_reading *reading);
