/* Files as a disk keeps them: how much room is left, and what makes a change of a folder last. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

/* Bytes that we may still write where `path` lies, or would lie. */
MUST_USE bool disk_free_bytes(const char *path, long long *ret_bytes, struct error *err);

/* A file's content, and the names in the folder of `path`, are on the disk when these return. */
MUST_USE bool disk_sync_file(const char *path, struct error *err);
MUST_USE bool disk_sync_folder(const char *path, struct error *err);

/* Whether both are there, and two names of one file. */
bool disk_is_same(const char *path, const char *other);

/* Renames, and never overwrites: ERROR_CONFLICT where `to` is there already.
 * Where a kill left both names of one file, the first is what goes. */
MUST_USE bool disk_rename_new(const char *from, const char *to, struct error *err);
