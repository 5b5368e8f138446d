/* Names that a person gives: what would be taken and never match anything is refused. */
#pragma once

#include "common/error.h"

/* No blank at either end: it cannot be seen, and no name has one. */
MUST_USE bool given_word_check(const char *field, const char *text, struct error *err);

/* The same of a provider; those that feeds know are written "aws", "azure" and "gcp". */
MUST_USE bool given_provider_check(const char *field, const char *text, struct error *err);
