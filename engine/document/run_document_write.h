/* Writes run documents. */
#pragma once

#include "common/bytes.h"
#include "engine/document/signature.h"
#include "engine/run/run.h"

#include <stdbool.h>
#include <stddef.h>

/* Signs the document text written so far. */
struct document_signer {
    void (*sign)(void *user, const char *text, size_t length, struct signature *ret_signature);
    void *user;
};

/* The parts of a document. `facts` and `stratum` may be NULL; the trace texts come from
 * trace_write_steps(). `kept` is the text of a document signed by its sender, else NULL. */
struct document_parts {
    const struct run *run;
    const char *stratum, *facts, *steps, *evidence;
    const struct signed_text *kept;
};

/* The whole, for its description: of struct document_parts. */
extern const struct members run_document_members;

/* Adds one line, signed unless `signer` is NULL. Ignores parts->kept. */
MUST_USE bool document_write(struct bytes *text, const struct document_parts *parts,
                             const struct document_signer *signer);

/* Adds what follows the signed part of a document, which the caller has from signed_text_write():
 * the signature, and the void of the run, which a signature never covers. */
MUST_USE bool document_write_end(struct bytes *text, const struct run *run,
                                 const struct signature *signature);
