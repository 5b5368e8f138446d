#include "answers/types/families.h"

#include "answers/compare/price.h"
#include "common/cleanup.h"
#include "common/memory.h"
#include "pricing/instance_family.h"

#include <assert.h>
#include <math.h>

static bool load_type(void *user, const struct known_type *type)
{
    struct type_list *types = user;

    types->list = xgrow(types->list, types->count, &types->room, sizeof *types->list);
    types->list[types->count++] = *type;
    return true;
}

static int by_name(const void *left, const void *right)
{
    const struct instance_type *l = &((const struct known_type *)left)->listed,
                               *r = &((const struct known_type *)right)->listed;
    int order = strcmp(l->name, r->name);

    return order != 0 ? order : strcmp(l->provider, r->provider);
}

bool type_list_load(struct db *db, const struct known_type_filter *filter,
                    struct type_list *ret_types, struct error *err)
{
    struct type_list types = {0};

    if (!known_types_each(db, filter, load_type, &types, err)) {
        type_list_free(&types);
        return false;
    }
    if (types.count > 0)
        qsort(types.list, types.count, sizeof *types.list, by_name);
    *ret_types = types;
    return true;
}

void type_list_free(struct type_list *types)
{
    freep(&types->list);
    *types = (struct type_list){0};
}

static struct known_type *find_type(const struct type_list *types,
                                    const struct contender *contender)
{
    struct known_type key = {.feed = ""};

    snprintf(key.listed.name, sizeof key.listed.name, "%s", contender->instance);
    snprintf(key.listed.provider, sizeof key.listed.provider, "%s", contender->provider);
    return types->count > 0
               ? bsearch(&key, types->list, types->count, sizeof *types->list, by_name)
               : NULL;
}

/* The provider's numbers come first: a limited machine sees less. */
static struct number_fact fact_of(double listed, double measured)
{
    return listed > 0     ? (struct number_fact){listed, SOURCE_CATALOGUE}
           : measured > 0 ? (struct number_fact){measured, SOURCE_MEASURED}
                          : (struct number_fact){0};
}

static struct family_size size_of(const struct known_type *type)
{
    struct family_size size = {.type = type,
                               .vcpus = fact_of(type->listed.vcpus, type->measured.processors),
                               .memory_gib =
                                   fact_of(type->listed.memory_gib, type->measured.memory_gib),
                               .efficiency = {.value = NAN}};

    instance_family(type->listed.name, size.family);
    return size;
}

static int by_family(const void *left, const void *right)
{
    const struct family_size *l = left, *r = right;
    int order = strcmp(l->family, r->family);

    return order != 0 ? order : strcmp(l->type->listed.provider, r->type->listed.provider);
}

static int by_number(double left, double right)
{
    return (left > right) - (left < right);
}

/* Unknown sizes last. */
static int by_size(const void *left, const void *right)
{
    const struct family_size *l = left, *r = right;
    int order = by_family(l, r);

    if (order == 0)
        order = (l->vcpus.number <= 0) - (r->vcpus.number <= 0);
    if (order == 0)
        order = by_number(l->vcpus.number, r->vcpus.number);
    if (order == 0)
        order = by_number(l->memory_gib.number, r->memory_gib.number);
    if (order == 0)
        order = by_name(l->type, r->type);
    return order != 0 ? order : (l->row > r->row) - (l->row < r->row); /* as they are ranked */
}

static void families_sort(struct families *families, int (*order)(const void *, const void *))
{
    if (families->count > 0)
        qsort(families->list, families->count, sizeof *families->list, order);
}

/* Adds the measured sizes and marks their types. */
static void add_measured_families(const struct families_parts *parts, struct families *families,
                                  bool *measured)
{
    for (size_t i = 0; i < parts->ranking->count; i++) {
        const struct comparison_row *row = &parts->ranking->rows[i];
        const struct known_type *type = find_type(parts->types, row->contender);
        struct family_size size;

        if (!type || row->contender->standing.level == STANDING_NONE || row_is_of_jobs(row))
            continue;
        size = size_of(type);
        if (parts->family && strcmp(parts->family, size.family) != 0)
            continue;
        size.row = row;
        size.price = row->price;
        measured[type - parts->types->list] = true;
        families->list[families->count++] = size;
    }
}

static void find_price(const struct comparison_parts *parts, struct known_type *type,
                       struct family_size *size)
{
    struct contender nothing = {.provider = type->listed.provider, .instance = type->listed.name};
    struct comparison_row row = {.contender = &nothing};

    row.offer = offers_find(parts->offers, nothing.provider, nothing.instance);
    comparison_price(parts, &row);
    size->price = row.price;
}

/* Adds the unmeasured sizes of these families. */
static void add_unmeasured(const struct families_parts *parts, struct families *families,
                           const bool *measured)
{
    size_t measured_count = families->count;

    families_sort(families, by_family);
    for (size_t i = 0; i < parts->types->count; i++) {
        struct known_type *type = &parts->types->list[i];
        struct family_size size;

        if (measured[i])
            continue;
        size = size_of(type);
        if (parts->family ? strcmp(parts->family, size.family) != 0
                          : measured_count == 0 || !bsearch(&size, families->list, measured_count,
                                                            sizeof size, by_family))
            continue;
        find_price(parts->parts, type, &size);
        families->list[families->count++] = size;
    }
}

static struct measure speed_of_vcpu(const struct family_size *size)
{
    const struct amount *speed = &size->row->between;
    double vcpus = size->vcpus.number;

    return speed->has_interval
               ? (struct measure){speed->value / vcpus, speed->low / vcpus, speed->high / vcpus}
               : (struct measure){.value = size->row->speed.value / vcpus};
}

/* The smallest measured size; of several machines, the best. */
static struct family_size *find_reference(struct families *families, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (families->list[i].row && families->list[i].vcpus.number > 0)
            return &families->list[i];
    return NULL;
}

static void families_refer(struct families *families, size_t first, size_t end)
{
    struct family_size *reference = find_reference(families, first, end);
    struct measure base;

    if (!reference)
        return;
    base = speed_of_vcpu(reference);
    for (size_t i = first; i < end; i++) {
        struct family_size *size = &families->list[i];
        struct measure speed;

        if (!size->row || !(size->vcpus.number > 0))
            continue;
        speed = speed_of_vcpu(size);
        size->efficiency = compare_measures(&speed, &base);
    }
    /* Equal to itself, exactly. */
    reference->efficiency = (struct ratio){.known = true, .value = 1, .low = 1, .high = 1};
    reference->is_reference = true;
}

size_t families_end(const struct families *families, size_t first)
{
    size_t end = first + 1;

    assert(first < families->count);
    while (end < families->count && by_family(&families->list[first], &families->list[end]) == 0)
        end++;
    return end;
}

struct families families_make(const struct families_parts *parts)
{
    const size_t most = parts->ranking->count + parts->types->count;
    AUTO(freep) bool *measured = xcalloc(most, sizeof *measured);
    struct families families = {.list = xcalloc(most, sizeof *families.list)};

    add_measured_families(parts, &families, measured);
    add_unmeasured(parts, &families, measured);
    assert(families.count <= most);
    families_sort(&families, by_size);
    for (size_t first = 0; first < families.count; first = families_end(&families, first))
        families_refer(&families, first, families_end(&families, first));
    return families;
}

void families_free(struct families *families)
{
    freep(&families->list);
    *families = (struct families){0};
}
