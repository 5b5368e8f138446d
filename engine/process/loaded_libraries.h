/* The libraries that a process has loaded, from its memory map. */
#pragma once

#include "common/error.h"

#include <sys/types.h>

#define LIBRARY_FILE_MAX 63

struct loaded_libraries {
    const char *allocator;          /* "system", "tcmalloc", "jemalloc", "mimalloc" */
    const char *openmp;             /* "none", "gnu", "llvm", "intel" */
    char dnn[LIBRARY_FILE_MAX + 1]; /* file name of oneDNN, in UTF-8; "" without one */
};

/* `root` as in proc.h. Finds nothing if the process has ended. */
void loaded_libraries_read(const char *root, pid_t process, struct loaded_libraries *ret_loaded);

/* Whether the words for the allocator and for OpenMP are such ones, in text from elsewhere. */
MUST_USE bool loaded_libraries_check(const struct loaded_libraries *loaded, struct error *err);

extern const struct members loaded_members;

/* One line of JSON. The caller frees it. */
char *loaded_libraries_to_text(const struct loaded_libraries *loaded);
