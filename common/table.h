/* A hash table of entries of one size, a multiple of 8 bytes. Each begins with its name, a
 * uint64_t: as a rule the hash of texts (common/hash.h). A zeroed table is empty. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct table {
    unsigned char *entries; /* owned; name 0: the place is free */
    size_t entry_size;
    size_t count, size; /* a power of two */
};

/* The entry of a name; NULL: there is none. 0 counts as 1. */
void *table_find(const struct table *table, uint64_t name);

/* The same; an entry that was not there is zeroed, but for its name. It stays where it is until
 * the next call. */
void *table_add(struct table *table, uint64_t name, size_t entry_size)
    __attribute__((returns_nonnull));

/* It is empty again. */
void table_free(struct table *table);
