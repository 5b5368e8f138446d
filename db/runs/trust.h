/* Senders that count like this server, from `--gate-trust`. The gate compares with runs measured
 * here, runs imported without a token name (sent by the operator), and runs of these senders; a
 * comparison counts each of their machines. The list is stored in the database, so that
 * statements can use it, and is replaced at each start of the server. */
#pragma once

#include "db/db.h"

/* For a row of `runs`: whether its sender is trusted; never NULL. */
#define RUN_IS_TRUSTED "(sender IS NULL OR sender IN (SELECT name FROM trusted_senders))"

#define TRUST_NAMES_MAX 1023 /* bytes of a list */

/* Makes `names` (with commas between them, "" for none) the whole list. Comparisons in memory
 * still use the old list. */
MUST_USE bool trust_set(struct db *db, const char *names, struct error *err);

/* Whether the list has this name; "" is the operator, always trusted. */
MUST_USE bool trust_has(struct db *db, const char *sender, bool *ret_trusted, struct error *err);
