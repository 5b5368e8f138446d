/* The signature of a run document: its member "signature", which covers every byte before it.
 * server/keys/signing.h verifies it. */
#pragma once

#include "common/bytes.h"
#include "common/json_scan.h"
#include "engine/run/run.h"

#include <stdbool.h>
#include <stddef.h>

#define SIGNATURE_KEY_SIZE PUBLIC_KEY_SIZE
#define SIGNATURE_VALUE_SIZE 129 /* hexadecimal digits of a key or signature, and a NUL */
#define SIGNATURE_ALGORITHM "ed25519"
/* Follows the signed bytes, and is followed by the signature's value. */
#define SIGNATURE_NAME ",\"signature\":"

struct signature {
    char key[SIGNATURE_KEY_SIZE]; /* "": none */
    char value[SIGNATURE_VALUE_SIZE];
};

/* Whether the text has exactly this many hexadecimal digits (0-9, a-f). */
bool signature_is_digits(const char *text, size_t length, size_t digits);

/* The text of a signed document as stored: without its trace, which is stored apart. */
struct signed_text {
    struct signature signature;
    const char *text; /* borrowed: the signed text without the values of "steps", "evidence" */
    long long steps_at, evidence_at; /* their offsets in the whole; -1: not cut out */
};

/* Adds the signed text without the two values inside it; a missing one is (struct span){NULL, 0}.
 * The caller sets ret_kept->text. */
struct signed_parts {
    struct span whole, steps, evidence;
};
MUST_USE bool signed_text_cut(struct bytes *text, const struct signed_parts *parts,
                              struct signed_text *ret_kept);

/* Adds the signed text, byte for byte. `trace` has the values that were cut out; ERROR_DAMAGED if
 * one is missing, or the text is too short for its offset. */
struct signed_trace {
    const char *steps, *evidence;
};
MUST_USE bool signed_text_write(struct bytes *text, const struct signed_text *kept,
                                const struct signed_trace *trace, struct error *err);
