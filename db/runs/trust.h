/* Senders that count like this server: `--gate-trust` names them. The gate compares with what was
 * measured here, with what came in without the name of a token (the operator sent it), and with
 * what these senders sent; a comparison counts each of their machines. The list is kept in the
 * database, so that one statement can ask for it, and is that of the last start of a server. */
#pragma once

#include "db/db.h"

/* Of a row of `runs`: whether it counts so; never NULL. */
#define RUN_IS_TRUSTED "(sender IS NULL OR sender IN (SELECT name FROM trusted_senders))"

#define TRUST_NAMES_MAX 1023 /* bytes of a list */

/* Makes `names` (with commas between them, "" for none) the whole list. What is in memory of
 * comparisons was made by the old one. */
MUST_USE bool trust_set(struct db *db, const char *names, struct error *err);

/* Whether the list has this name; "" is the operator's, and always trusted. */
MUST_USE bool trust_has(struct db *db, const char *sender, bool *ret_trusted, struct error *err);
