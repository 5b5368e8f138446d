/* Reads run documents. */
#pragma once

#include "common/error.h"
#include "engine/document/run_document.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads one document. ERROR_INVALID names the field. */
MUST_USE bool document_read(const char *text, size_t length, struct document *ret_document,
                            struct error *err);

/* Cache of the last spec, raw and parsed: most documents have the same spec, and parsing one
 * takes a third of the time. Owned by the caller; zeroed at first. */
struct document_memo {
    char *written; /* owned, or NULL */
    size_t length; /* of `written` */
    struct run_spec spec;
};

/* The same for one document after another; the memo does not change the result. */
MUST_USE bool document_read_next(struct document_memo *memo, const char *text, size_t length,
                                 struct document *ret_document, struct error *err);

void document_memo_clear(struct document_memo *memo);

/* A zeroed one is fine. */
void document_clear(struct document *document);
