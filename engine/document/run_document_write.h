/* Writes run documents. */
#pragma once

#include "common/bytes.h"
#include "engine/document/signature.h"
#include "engine/run/run.h"

#include <stdbool.h>
#include <stddef.h>

/* Signs what was written so far of a document. */
struct document_signer {
    void (*sign)(void *user, const char *text, size_t length, struct signature *ret_signature);
    void *user;
};

/* What a document is written of. `facts` and `stratum` may be NULL; the texts of the trace are as
 * trace_write_steps() makes them. `kept` is the text of a document that its sender signed; NULL
 * of all others. */
struct document_parts {
    const struct run *run;
    const char *stratum, *facts, *steps, *evidence;
    const struct signed_text *kept;
};

/* Adds one line, signed where `signer` is not NULL. Does not look at parts->kept. */
MUST_USE bool document_write(struct bytes *text, const struct document_parts *parts,
                             const struct document_signer *signer);

/* Adds what stands behind the signed part of a document, which the caller has from
 * signed_text_write(): the signature, and the void of the run, which a signature never covers. */
MUST_USE bool document_write_end(struct bytes *text, const struct run *run,
                                 const struct signature *signature);
