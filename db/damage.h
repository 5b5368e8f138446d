/* Whether any connection of this process has found the file damaged. From then on no transaction
 * begins, for whatever is written now may be the end of what is left. From any thread. */
#pragma once

#include <stdbool.h>

bool db_is_damaged(void);

/* What was read makes no sense, though SQLite may not have minded. */
void db_note_damage(void);

/* Another file is there now. */
void db_forget_damage(void);
