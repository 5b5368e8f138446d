#include "common/table.h"

#include "tests/test.h"

struct entry {
    uint64_t name;
    long long number;
};

static long long number_of(const struct table *table, uint64_t name)
{
    const struct entry *entry = table_find(table, name);

    return entry ? entry->number : -1;
}

/* The names share their low digits, so that all of them begin at one place. */
TEST(every_name_has_one_entry)
{
    struct table table = {0};

    EXPECT_INT(number_of(&table, 1), -1);
    for (long long i = 0; i < 2000; i++) {
        struct entry *entry = table_add(&table, (uint64_t)(i % 1000) << 32, sizeof *entry);

        EXPECT_INT(entry->number, i < 1000 ? 0 : i - 999); /* zeroed, or known already */
        entry->number = i % 1000 + 1;
    }
    EXPECT_INT((long long)table.count, 1000);
    for (long long i = 0; i < 1000; i++)
        EXPECT_INT(number_of(&table, (uint64_t)i << 32), i + 1);
    EXPECT_INT(number_of(&table, 1000LL << 32), -1);
    EXPECT_INT(number_of(&table, 1), 1); /* as 0 */
    table_free(&table);
    EXPECT_INT(number_of(&table, 1), -1);
}
