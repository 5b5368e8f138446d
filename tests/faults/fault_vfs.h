/* A disk that fails on request and can lose power: a VFS of SQLite over the
 * default one. One thread only. Every database of a program with it is opened on this disk, which
 * syncs in name only: that is quick, and all that a process can tell. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

struct fault_plan {
    long long allowed; /* calls that still succeed; the next one fails */
    bool for_good;     /* and so do all that follow; otherwise only that one */
    bool reads;        /* reads count as calls too; opens, writes, truncations, syncs and
                        * deletions always do */
    bool full;         /* what fails is said to have found the disk full, where that can be */
};

void fault_arm(struct fault_plan plan);

/* The disk works again. Returns how many calls have failed. */
long long fault_disarm(void);

/* Remembers the database at `path`, with its log and journal, as durable. From now on a file is
 * durable as it was at its last sync: until the next disk_watch(). No connection may be open. */
void disk_watch(const char *path);

/* Power loss: the watched files become what was durable, and when `some_survive`, each 512-byte
 * sector written since then becomes durable or not by chance. Connections must be closed, with
 * the disk failing for good so that their end does not reach it. */
void disk_lose_power(bool some_survive, unsigned seed);

/* What may be said of a call that such a disk made fail. */
static inline bool failed_by_the_disk(const struct error *err)
{
    return err->kind == ERROR_INTERNAL || err->kind == ERROR_BUSY || err->kind == ERROR_STORAGE;
}
