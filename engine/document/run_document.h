/* A run as it travels: everything that is stored of it, as one JSON object in one line. What was
 * computed from the trace travels too, for people; the server that imports it computes it
 * again. docs/run-document.md describes it for other engines. */
#pragma once

#include "common/json_scan.h"
#include "common/limits.h"
#include "engine/document/signature.h"
#include "engine/run/run.h"
#include "engine/trace/evidence.h"
#include "engine/trace/steps.h"

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
