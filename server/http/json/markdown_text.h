/* Foreign text in Markdown: names that a sender chose must stay names. They return false at
 * the limit of the text. */
#pragma once

#include "common/bytes.h"

#include <stdbool.h>

/* As plain words: markup, tags, entities, links and mentions are escaped; a control character,
 * which would end the line, becomes a space. */
MUST_USE bool markdown_add_plain(struct bytes *text, const char *words);

/* As code, in backquotes: those inside, and bars, which would end the cell of a table, become
 * apostrophes. */
MUST_USE bool markdown_add_code(struct bytes *text, const char *words);
