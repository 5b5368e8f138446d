/* Requests that take something back: a run, a figure, a price, a discount. A function that
 * returns false has already replied. */
#pragma once

#include "common/rows/body.h"
#include "common/taken_back.h"
#include "server/http/exchange_data.h"

/* {"reason": ...}: of a struct taken_back. */
extern const struct body reason_body;

/* Fills time (now), token, and the reason from the body. */
MUST_USE bool taking_back_read_body(struct exchange *exchange, struct taken_back *ret_taken);

/* The same without a body: the reason is in reason_parameters and may be absent. */
void taking_back_read_query(struct exchange *exchange, struct taken_back *ret_taken);

/* Notes for the audit what was done, to which id, and why. `did` is a literal, like "run
 * voided". */
void taking_back_note(struct exchange *exchange, const char *did, const char *id,
                      const char *reason);
