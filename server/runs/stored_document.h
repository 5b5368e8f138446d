/* Writes a stored run as a document, for exports and for hubs. */
#pragma once

#include "common/bytes.h"
#include "db/db.h"
#include "engine/document/run_document_write.h"
#include "server/keys/signing.h"

/* The longest trace with all its splits fits. */
#define RUN_DOCUMENT_MAX (256 * 1024 * 1024)

/* Adds one line. `parts` comes from exports_each(); parts that are not stored as text are built
 * from the rows of `db`. A run measured here is signed with `key`, unless that is NULL; a
 * document that came signed is restored unchanged. ERROR_DAMAGED, with nothing added, if its
 * signature is no longer valid: the stored run was altered. */
MUST_USE bool run_document_write(struct db *db, const struct document_parts *parts,
                                 const struct signing_key *key, struct bytes *text,
                                 struct error *err);
