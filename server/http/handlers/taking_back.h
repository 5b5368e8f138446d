/* Requests that take something back: a run, a figure, a price, a discount. A function that
 * returns false has already replied. */
#pragma once

#include "common/body.h"
#include "common/taken_back.h"
#include "server/http/exchange_data.h"

/* {"reason": ...}: of a struct taken_back. */
extern const struct body reason_body;

/* Now, by the token of the request, for the reason that this body gives. */
MUST_USE bool taking_back_read_body(struct exchange *exchange, struct taken_back *ret_taken);

/* The same of a request without a body: the reason of reason_parameters, which may be absent. */
void taking_back_read_query(struct exchange *exchange, struct taken_back *ret_taken);

/* For the audit: what was done, to which id, and why. `did` is a literal, like "run voided". */
void taking_back_note(struct exchange *exchange, const char *did, const char *id,
                      const char *reason);
