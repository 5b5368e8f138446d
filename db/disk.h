/* Disk space, fsync and renames. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

/* Bytes that we may still write on the file system of `path`, which need not exist. */
MUST_USE bool disk_free_bytes(const char *path, long long *ret_bytes, struct error *err);

/* fsync a file, and the folder of `path`. */
MUST_USE bool disk_sync_file(const char *path, struct error *err);
MUST_USE bool disk_sync_folder(const char *path, struct error *err);

/* True if both exist and are the same file. */
bool disk_is_same(const char *path, const char *other);

/* Renames, and never overwrites: ERROR_CONFLICT if `to` exists. If a kill left both names of one
 * file, removes the first. */
MUST_USE bool disk_rename_new(const char *from, const char *to, struct error *err);
