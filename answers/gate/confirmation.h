/* The sweep that measures a failed check again. */
#pragma once

#include "answers/gate/check.h"

#define CONFIRM_BLOCKS_INTERLEAVED 6 /* even: each side is first as often as the other */
#define CONFIRM_BLOCKS_RERUN 4

/* The idempotency key of the sweep: equal for equal checks. */
#define CONFIRM_KEY_SIZE (sizeof GATE_SWEEP_KEY + RUN_ID_LENGTH + BASELINE_TEXT_SIZE + 2)
void gate_confirmation_key(const struct gate_check *check, char ret_key[CONFIRM_KEY_SIZE]);

/* Finds the sweep, if there is one, and its measurements. */
MUST_USE bool gate_load_confirmation(struct db *db, struct gate_check *check, struct error *err);
