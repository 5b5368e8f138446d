/* A hash table of entries of one size, a multiple of 8 bytes. Each begins with its key, a
 * uint64_t: usually the hash of texts (common/hash.h). A zeroed table is empty. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct table {
    unsigned char *entries; /* owned; name 0: the place is free */
    size_t entry_size;
    size_t count, size; /* a power of two */
};

/* The entry of a key, or NULL. Key 0 counts as 1. */
void *table_find(const struct table *table, uint64_t name);

/* The same, but adds a missing entry, zeroed except for its key. The pointer is valid until the
 * next call. */
void *table_add(struct table *table, uint64_t name, size_t entry_size)
    __attribute__((returns_nonnull));

/* Frees the entries; the table is empty afterwards. */
void table_free(struct table *table);
