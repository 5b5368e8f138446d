/* How training scales over the sizes of a family of instance types: each size with its price and
 * what was measured on it, and how much of a vCPU's speed is left in a larger one. */
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

/* One size, or one of several kinds of machine that it was measured on. Points into the types and
 * the ranking that it was made of. */
struct family_size {
    char family[INSTANCE_SIZE];
    const struct known_type *type;
    const struct comparison_row *row;     /* NULL: no valid run was measured on it */
    struct number_fact vcpus, memory_gib; /* by the catalogue, else by a measured machine */
    struct row_price price;
    /* Samples a second of a vCPU, to those of the smallest measured size; value NaN where one of
     * both is not known. */
    struct ratio efficiency;
    bool is_reference;
};

struct families {
    struct family_size *list; /* owned: by family, provider and vCPUs */
    size_t count;
};

struct families_parts {
    const struct comparison_parts *parts; /* of the ranking: its prices */
    const struct ranking *ranking;        /* of what was measured, one configuration a machine */
    struct type_list *types;
    const char *family; /* NULL: every one of which a size was measured */
};

struct families families_make(const struct families_parts *parts);
void families_free(struct families *families); /* a zeroed one is fine */

/* Where the family that begins at `first` ends. */
size_t families_end(const struct families *families, size_t first);
