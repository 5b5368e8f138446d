/* Untrusted text in XML: between tags, or in an attribute with either kind of quotes. */
#pragma once

#include "common/bytes.h"

/* Adds the escaped text, cut to `characters` (1 or more) including an ellipsis. Bytes that are
 * not UTF-8 and characters that XML does not allow become '?'. Returns false at the limit of
 * `bytes`; part of the text may have been added. */
MUST_USE bool xml_text(struct bytes *bytes, const char *text, size_t characters);
