/* The signature of a run document: its member "signature", which covers every byte before it.
 * Whether it holds is not known here: server/keys/signing.h verifies it. */
#pragma once

#include "common/bytes.h"
#include "common/json_scan.h"
#include "engine/run/run.h"

#include <stdbool.h>
#include <stddef.h>

#define SIGNATURE_KEY_SIZE PUBLIC_KEY_SIZE
#define SIGNATURE_VALUE_SIZE 129 /* as of a key: digits of 0-9 and a-f, and a NUL */
#define SIGNATURE_ALGORITHM "ed25519"
/* What ends the bytes that are signed: they are followed by this, and its value. */
#define SIGNATURE_NAME ",\"signature\":"

struct signature {
    char key[SIGNATURE_KEY_SIZE]; /* "": there is none */
    char value[SIGNATURE_VALUE_SIZE];
};

/* Whether these are as many digits of 0-9 and a-f. */
bool signature_is_digits(const char *text, size_t length, size_t digits);

/* Adds the member, with its name. */
MUST_USE bool signature_write(struct bytes *text, const struct signature *signature);

/* The text of a signed document as a database keeps it: without its trace, which it keeps anyway.
 */
struct signed_text {
    struct signature signature;
    const char *text; /* borrowed: what was signed, without the values of "steps", "evidence" */
    long long steps_at, evidence_at; /* where in the whole they stood; -1: it is in the text */
};

/* Adds what was signed without the values that lie in it: those that the caller has not can be
 * (struct span){NULL, 0}. ret_kept->text is set by the caller. */
struct signed_parts {
    struct span whole, steps, evidence;
};
MUST_USE bool signed_text_cut(struct bytes *text, const struct signed_parts *parts,
                              struct signed_text *ret_kept);

/* Adds what was signed, byte for byte. `trace` has the values that were cut out; ERROR_DAMAGED
 * where one is not there, or the text is too short for its place. */
struct signed_trace {
    const char *steps, *evidence;
};
MUST_USE bool signed_text_write(struct bytes *text, const struct signed_text *kept,
                                const struct signed_trace *trace, struct error *err);
