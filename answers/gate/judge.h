/* The verdict of the CI gate and its words. */
#pragma once

#include "answers/gate/check.h"

/* Computes looks, verdict and words from the loaded data. Pure; may be repeated. */
void gate_check_judge(struct gate_check *check);

/* In the order of the enums; the names are NULL-terminated. */
extern const char *const confirmation_state_names[], *const confirmation_kind_names[];
extern const char *const confirmation_kind_words[];

/* The look that decides: the second where there is one. */
const struct gate_look *gate_track_look(const struct gate_track *track);

/* 1: the failure was confirmed; 0: it was not; -1: nothing to confirm, or not yet known. */
int gate_check_confirmed(const struct gate_check *check);
