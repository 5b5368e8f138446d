/* The senders of a comparison row's runs. */
#pragma once

#include "common/rows/members.h"
#include "db/standings/standings.h"

extern const struct members sender_members; /* of struct run_source */

/* All of them in one line: "measured here 60 %, c1 40 %, mallory aside"; "" of a figure. */
MUST_USE bool present_senders_line(struct bytes *text, const struct contender *contender);
