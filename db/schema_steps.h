/* The SQL of the schema's steps. Never edit a step that was released: append to schema_later. */
#pragma once

#define SCHEMA_FIRST 7  /* steps 1 to 7 */
#define SCHEMA_LATER 15 /* from 8 on */

#define SCHEMA_CHECKSUMS 22 /* the step that adds them; each later upgrade fills gaps */

extern const char *const schema_first[SCHEMA_FIRST];
extern const char *const schema_later[SCHEMA_LATER];

/* Steps 16 and 19, in a file of their own. */
extern const char schema_commitments[];
extern const char schema_more_commitments[];
