#include "common/table.h"

#include "common/cleanup.h"
#include "common/memory.h"

#include <assert.h>

#define SIZE_MIN 64

static uint64_t *entry_at(const struct table *table, size_t place)
{
    return (uint64_t *)(void *)&table->entries[place * table->entry_size];
}

/* The entry of a key, or the free place for it. */
static uint64_t *entry_of(const struct table *table, uint64_t name)
{
    size_t place = (size_t)name & (table->size - 1);

    while (*entry_at(table, place) && *entry_at(table, place) != name)
        place = (place + 1) & (table->size - 1);
    return entry_at(table, place);
}

static void table_grow(struct table *table)
{
    struct table larger = *table;

    larger.size = table->size ? table->size * 2 : SIZE_MIN;
    larger.entries = xcalloc(larger.size, table->entry_size);
    for (size_t i = 0; i < table->size; i++)
        if (*entry_at(table, i))
            memcpy(entry_of(&larger, *entry_at(table, i)), entry_at(table, i), table->entry_size);
    free(table->entries);
    *table = larger;
}

void *table_find(const struct table *table, uint64_t name)
{
    uint64_t *entry = table->size > 0 ? entry_of(table, name ? name : 1) : NULL;

    return entry && *entry ? entry : NULL;
}

void *table_add(struct table *table, uint64_t name, size_t entry_size)
{
    uint64_t *entry;

    assert(entry_size % sizeof name == 0 && (!table->size || table->entry_size == entry_size));
    table->entry_size = entry_size;
    if (table->count * 3 >= table->size * 2)
        table_grow(table);
    entry = entry_of(table, name ? name : 1);
    table->count += *entry == 0;
    *entry = name ? name : 1;
    assert(table->count < table->size);
    return entry;
}

void table_free(struct table *table)
{
    freep(&table->entries);
    *table = (struct table){0};
}
