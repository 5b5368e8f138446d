/* How training scales with the sizes of a family of instance types: price, measurement and speed
 * per vCPU of each size. */
#pragma once

#include "answers/compare/ranking.h"
#include "answers/types/support.h"
#include "db/prices/known_types.h"

/* Every known type, by name and provider; owned. */
struct type_list {
    struct known_type *list;
    size_t count, room;
};

MUST_USE bool type_list_load(struct db *db, const struct known_type_filter *filter,
                             struct type_list *ret_types, struct error *err);
void type_list_free(struct type_list *types); /* a zeroed one is fine */

/* One size, or one kind of machine of that size if several were measured. Points into the types
 * and the ranking. */
struct family_size {
    char family[INSTANCE_SIZE];
    const struct known_type *type;
    const struct comparison_row *row;     /* NULL: no valid run was measured on it */
    struct number_fact vcpus, memory_gib; /* by the catalogue, else by a measured machine */
    struct row_price price;
    /* Samples a second per vCPU, relative to the smallest measured size; value NaN if either is
     * unknown. */
    struct ratio efficiency;
    bool is_reference;
};

struct families {
    struct family_size *list; /* owned: by family, provider and vCPUs */
    size_t count;
};

struct families_parts {
    const struct comparison_parts *parts; /* of the ranking: its prices */
    const struct ranking *ranking;        /* of measurements, one configuration a machine */
    struct type_list *types;
    const char *family; /* NULL: all families with a measured size */
};

struct families families_make(const struct families_parts *parts);
void families_free(struct families *families); /* a zeroed one is fine */

/* Where the family that begins at `first` ends. */
size_t families_end(const struct families *families, size_t first);
