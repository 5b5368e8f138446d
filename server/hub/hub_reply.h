/* What a hub answers to lines that were sent to its /v1/runs/import. It decides what is never
 * sent again, so nothing in it is taken on trust. Pure. */
#pragma once

#include "db/deliveries.h"

#include <stddef.h>

/* A hub tells of so many refusals and counts the rest: with no more lines than that none can be
 * refused without being named. */
#define HUB_LINES_MAX 50

/* A document as it was sent, and what became of it. */
struct hub_line {
    struct run_id id;
    struct delivery delivery; /* whose run is filled in by the sender */
};

/* What has answered; the text is borrowed. */
struct hub_answer {
    const char *content_type, *text;
    size_t length;
};

/* Fills in the verdict of each line, and nothing unless all of them can be. ERROR_UPSTREAM says
 * what is odd: the counts must add up to the lines, and each refusal must name a line of its own
 * and the id that was sent there. Members that it does not know are left alone. */
bool hub_reply_read(const struct hub_answer *answer, struct hub_line *lines, size_t count,
                    struct error *err) __attribute__((warn_unused_result));
