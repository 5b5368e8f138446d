/* The cells of a sweep as CSV. */
#pragma once

#include "common/bytes.h"
#include "server/http/json/sweep_view.h"

/* False at the limit of the text. */
MUST_USE bool present_sweep_csv(struct bytes *text, const struct sweep_view *view);
