#include "db/damage.h"

#include <stdatomic.h>

/* For all connections: damage that one has seen is in the file. */
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
