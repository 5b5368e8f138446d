/* Untrusted text in Markdown: a sender's names must not become markup. They return false at the
 * limit of the text. */
#pragma once

#include "common/bytes.h"

#include <stdbool.h>

/* As plain words: markup, tags, entities, links and mentions are escaped; a control character,
 * which would end the line, becomes a space. */
MUST_USE bool markdown_add_plain(struct bytes *text, const char *words);

/* As code, in backquotes. Backquotes inside become apostrophes, and so do bars, which would end a
 * table cell. */
MUST_USE bool markdown_add_code(struct bytes *text, const char *words);
