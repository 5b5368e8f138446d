/* The verdict of the CI gate and its words. */
#pragma once

#include "answers/gate/check.h"

/* The looks, the verdict and its words, from what was loaded. Pure; may be called again. */
void gate_check_judge(struct gate_check *check);

/* In the order of the enums; the names are NULL-terminated. */
extern const char *const confirmation_state_names[], *const confirmation_kind_names[];
extern const char *const confirmation_kind_words[];

/* The look that decides: the second where there is one. */
const struct gate_look *gate_track_look(const struct gate_track *track);

/* Whether a failure was confirmed: 1 yes, 0 no, -1 there is nothing to confirm, or not yet. */
int gate_check_confirmed(const struct gate_check *check);
