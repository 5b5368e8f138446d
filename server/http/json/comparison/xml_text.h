/* Text from strangers inside XML that we write: between tags, or in an attribute with quotes of
 * either kind. */
#pragma once

#include "common/bytes.h"

/* Adds the text, escaped, but at most `characters` of it (1 or more): of a longer text the last
 * of these is an ellipsis. Each byte that is no UTF-8, and each character that XML cannot hold,
 * becomes '?'. When the limit ends it returns false, and part of the text may have been added. */
MUST_USE bool xml_text(struct bytes *bytes, const char *text, size_t characters);
