/* Reads Azure's metadata of a machine: one JSON document. */
#pragma once

#include "common/error.h"
#include "pricing/machine/identity_data.h"

#include <stddef.h>

/* Fills in each member of the document that is valid; false, with nothing filled in, for any
 * other document. No message quotes it: it may hold private text. */
MUST_USE bool azure_identity_read(const char *text, size_t length, struct identity *identity,
                                  struct error *err);
