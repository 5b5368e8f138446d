/* A run as it travels: everything that is stored of it, as one JSON object in one line. What was
 * computed from the trace travels too, for people; the server that imports it computes it
 * again. docs/run-document.md describes it for other engines. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "common/json_scan.h"
#include "common/limits.h"
#include "engine/document/signature.h"
#include "engine/run/run.h"
#include "engine/trace/evidence.h"
#include "engine/trace/steps.h"

#include <stdbool.h>
#include <stddef.h>

#define DOCUMENT_VERSION 1

/* Owned: `run`, `steps`, `evidence`; the spans point into the text that was read. */
struct document {
    struct run run; /* number, sweep and what follows from the trace are not filled in */
    struct run_spec spec;
    char stratum[17]; /* of the machine, beside run.machine; "" unknown */
    char *facts;      /* owned: of the machine, or NULL */
    struct steps steps;
    struct evidence evidence;
    struct span steps_text;    /* as engine/trace/trace.h reads it, and so is the next: */
    struct span evidence_text; /* where there was none, a constant that says so */
    double claimed; /* samples a second that the sender computed; 0 where it did not say */
    double method;  /* of the statistics that the sender used (summary_text.h); 0 not said */
    struct signature signature; /* as it came: nothing verified it yet */
    struct span signed_text;    /* what it covers */
};

/* Reads one document. ERROR_INVALID names the field. */
bool document_read(const char *text, size_t length, struct document *ret_document,
                   struct error *err) __attribute__((warn_unused_result));

/* The last spec, as it was written and as it was read: those of many documents are mostly alike,
 * and reading one takes a third of the time. The caller's; a zeroed one is fine. */
struct document_memo {
    char *written, *text; /* owned, or both NULL */
    size_t length;        /* of `written` */
    struct run_spec spec;
};

/* The same, one document after another; what comes out does not depend on the memo. */
bool document_read_next(struct document_memo *memo, const char *text, size_t length,
                        struct document *ret_document, struct error *err)
    __attribute__((warn_unused_result));

void document_memo_clear(struct document_memo *memo);

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
bool document_write(struct bytes *text, const struct document_parts *parts,
                    const struct document_signer *signer) __attribute__((warn_unused_result));

/* Adds what stands behind the signed part of a document, which the caller has from
 * signed_text_write(): the signature, and the void of the run, which a signature never covers. */
bool document_write_end(struct bytes *text, const struct run *run,
                        const struct signature *signature) __attribute__((warn_unused_result));

/* A zeroed one is fine. */
void document_clear(struct document *document);
