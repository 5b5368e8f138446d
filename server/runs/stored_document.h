/* A stored run as the document in which it travels, to whoever exports it and to hubs. */
#pragma once

#include "common/bytes.h"
#include "db/db.h"
#include "engine/document/run_document.h"

/* The longest trace with all its splits has room. */
#define RUN_DOCUMENT_MAX (256 * 1024 * 1024)

/* Adds one line. `parts` as exports_each() tells of them: what is not kept as text is made from
 * the rows of `db`. */
bool run_document_write(struct db *db, const struct document_parts *parts, struct bytes *text,
                        struct error *err) __attribute__((warn_unused_result));
