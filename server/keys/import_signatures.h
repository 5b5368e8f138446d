/* Checks signatures of imports, and keeps what is needed to restore a signed document. Tested by
 * tests/server/keys/import_signatures_test.c and tests/api/test_signing.py. */
#pragma once

#include "db/pool.h"
#include "engine/document/run_document.h"

struct import_rules {
    bool must_be_signed;             /* --require-signatures */
    bool many_keys;                  /* the token may send documents of others; bound to no key */
    char proven[SIGNATURE_KEY_SIZE]; /* the key whose possession the upload has proven; "" none */
};

/* Call at the start of an upload: binds the token of `sender` to the proven key, unless it is
 * bound. ERROR_CONFLICT if it is bound to another key. */
MUST_USE bool import_signatures_bind(struct db_pool *pool, const char *sender,
                                     const struct import_rules *rules, struct error *err);

/* Verifies the signature. ERROR_UNPROVEN if it is wrong, ERROR_FORBIDDEN if it is required and
 * missing. */
MUST_USE bool import_signatures_verify(const struct document *document,
                                       const struct import_rules *rules, struct error *err);

/* Checks that the sender may send documents of this key ("" for unsigned): ERROR_FORBIDDEN or
 * ERROR_CONFLICT. The signature must have been verified. */
MUST_USE bool import_signatures_allow(struct db *db, const char *sender,
                                      const struct import_rules *rules,
                                      const struct signature *signature, struct error *err);

/* Collects what is needed to restore the document byte by byte. `sent` is the trace as received;
 * document->steps_text and ->evidence_text are as stored. */
struct sent_trace {
    struct span steps, evidence;
};
MUST_USE bool import_signatures_keep(const struct document *document,
                                     const struct sent_trace *sent, struct bytes *text,
                                     struct signed_text *ret_kept, struct error *err);
