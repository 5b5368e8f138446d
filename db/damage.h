/* Whether any connection of this process has found the file damaged. From then on no transaction
 * begins, because a write may destroy what is left. Thread-safe. */
#pragma once

#include <stdbool.h>

bool db_is_damaged(void);

/* For data that makes no sense, even if SQLite reported no error. */
void db_note_damage(void);

/* After the file was replaced. */
void db_forget_damage(void);
