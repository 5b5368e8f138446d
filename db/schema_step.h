/* One step of the schema. */
#pragma once

/* SQL in pieces; NULL ends the list. Never edit a released step: the next change of the schema is
 * a new step. */
struct schema_step {
    const char *sql[12];
};
