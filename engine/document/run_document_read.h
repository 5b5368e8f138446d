/* Reads run documents. */
#pragma once

#include "common/error.h"
#include "engine/document/run_document.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads one document. ERROR_INVALID names the field. */
MUST_USE bool document_read(const char *text, size_t length, struct document *ret_document,
                            struct error *err);

/* The last spec, as it was written and as it was read: specs of many documents are mostly alike,
 * and reading one takes a third of the time. The caller's; a zeroed one is fine. */
struct document_memo {
    char *written, *text; /* owned, or both NULL */
    size_t length;        /* of `written` */
    struct run_spec spec;
};

/* The same, one document after another; what comes out does not depend on the memo. */
MUST_USE bool document_read_next(struct document_memo *memo, const char *text, size_t length,
                                 struct document *ret_document, struct error *err);

void document_memo_clear(struct document_memo *memo);

/* A zeroed one is fine. */
void document_clear(struct document *document);
