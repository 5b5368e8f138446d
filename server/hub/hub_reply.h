/* Reads a hub's answer to lines that were sent to its /v1/runs/import. An accepted or refused
 * line is never sent again, so every part of the answer is checked. Pure. */
#pragma once

#include "common/limits.h"
#include "db/runs/deliveries.h"
#include "pricing/feeds/fetch.h"

#include <stddef.h>

/* A hub lists so many refusals and counts the rest. With no more lines than that, it lists every
 * refusal. */
#define HUB_LINES_MAX IMPORT_REFUSALS_MAX

/* A document as it was sent, and the hub's verdict. */
struct hub_line {
    struct run_id id;
    struct delivery delivery; /* the sender sets its `run` */
};

/* The hub's answer; the text is borrowed. */
struct hub_answer {
    const char *content_type, *text;
    size_t length;
};

/* Sets the verdict of every line, or of none. ERROR_UPSTREAM describes the mistake: the counts
 * must add up to the lines, and each refusal must name a line of its own and the id that was sent
 * in it. Ignores unknown members. */
MUST_USE bool hub_reply_read(const struct hub_answer *answer, struct hub_line *lines,
                             size_t count, struct error *err);

/* A fetch_take_fn: adds what arrives to a struct bytes. */
enum fetch_take hub_reply_take(void *user, const char *data, size_t length, struct error *err);
