/* A run for transfer: everything stored of it, as one JSON object in one line. Results computed
 * from the trace are included for people; the importing server recomputes them.
 * docs/run-document.md describes it for other engines. */
#pragma once

#include "common/json_scan.h"
#include "common/limits.h"
#include "engine/document/signature.h"
#include "engine/run/run.h"
#include "engine/trace/evidence.h"
#include "engine/trace/steps.h"

#define DOCUMENT_VERSION 1

/* Owned: `run`, `steps`, `evidence`; the spans point into the input text. */
struct document {
    struct run run;   /* without number, sweep and what is computed from the trace */
    char stratum[17]; /* of run.machine; "" unknown */
    char *facts;      /* owned: of the machine, or NULL */
    struct steps steps;
    struct evidence evidence;
    struct span steps_text;    /* as engine/trace/trace.h reads it, like the next: */
    struct span evidence_text; /* a constant if there is none */
    double claimed;            /* samples a second that the sender computed; 0 if missing */
    double method; /* version of the sender's statistics (summary_text.h); 0 if missing */
    struct signature signature; /* as received, not yet verified */
    struct span signed_text;    /* the text it covers */
};
