/* Which signatures an import takes, and what is kept of a signed document. Tested by
 * tests/server/keys/import_signatures_test.c and tests/api/test_signing.py. */
#pragma once

#include "db/pool.h"
#include "engine/document/run_document.h"

struct import_rules {
    bool must_be_signed; /* --require-signatures */
    bool many_keys;      /* the token sends documents of others: it is bound to no key */
    char proven[SIGNATURE_KEY_SIZE]; /* the upload has proven to own this key; "" none */
};

/* At the start of an upload: binds the token of `sender` to the proven key, unless it is bound.
 * ERROR_CONFLICT where it is bound to another one. */
MUST_USE bool import_signatures_bind(struct db_pool *pool, const char *sender,
                                     const struct import_rules *rules, struct error *err);

/* Whether the signature holds. ERROR_UNPROVEN where it does not, ERROR_FORBIDDEN where there must
 * be one. */
MUST_USE bool import_signatures_verify(const struct document *document,
                                       const struct import_rules *rules, struct error *err);

/* Whether the sender may send what this key signed ("" for nothing): ERROR_FORBIDDEN or
 * ERROR_CONFLICT. Of a signature that was verified. */
MUST_USE bool import_signatures_allow(struct db *db, const char *sender,
                                      const struct import_rules *rules,
                                      const struct signature *signature, struct error *err);

/* What is kept of a document, so that it can be put together again. `sent` is the trace as it
 * came; document->steps_text and ->evidence_text are as they are stored. */
struct sent_trace {
    struct span steps, evidence;
};
MUST_USE bool import_signatures_keep(const struct document *document,
                                     const struct sent_trace *sent, struct bytes *text,
                                     struct signed_text *ret_kept, struct error *err);
