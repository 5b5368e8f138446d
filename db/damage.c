#include "db/damage.h"

#include <stdatomic.h>

/* Of all connections: what one has seen is true of the file. */
static atomic_bool damaged;

bool db_is_damaged(void)
{
    return atomic_load(&damaged);
}

void db_note_damage(void)
{
    atomic_store(&damaged, true);
}

void db_forget_damage(void)
{
    atomic_store(&damaged, false);
}
