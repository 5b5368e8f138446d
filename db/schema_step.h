/* One step of the schema. */
#pragma once

/* SQL in pieces; NULL ends the list. A step that was released is never edited: the next change of
 * the schema is the next step. */
struct schema_step {
    const char *sql[12];
};
