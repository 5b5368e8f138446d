/* What Azure tells a machine of itself: one JSON document. */
#pragma once

#include "common/error.h"
#include "pricing/machine/identity_data.h"

#include <stddef.h>

/* Fills in the members that the document tells, each for itself; false, with nothing filled in,
 * for what is no such document. No message quotes it: it may hold what a person put there. */
MUST_USE bool azure_identity_read(const char *text, size_t length, struct identity *identity,
                                  struct error *err);
