/* What readers of JSON pages have in common: a splitter, and the way to feed it. A reader begins
 * with one of these:
 *     struct map { struct document document; ... }; */
#pragma once

#include "pricing/feeds/source.h"

struct document {
    const struct reading *reading;
    struct splitter *splitter;
};

/* The wanted elements of a document, and their callback; `element`'s user is the reader. */
struct document_form {
    size_t size; /* of the reader */
    const char *const *paths;
    size_t element_max;
    enum split_verdict (*element)(void *user, const struct split_element *element,
                                  struct error *err);
    const char *gate; /* as in struct splitter_rules */
    enum split_verdict (*at_gate)(void *user, struct error *err);
};

/* A new reader of `ops`: by its form, or by open(). */
MUST_USE void *reader_open(const struct reader_ops *ops, const struct reading *reading,
                           struct error *err);

/* A new reader, zeroed except for its document. */
MUST_USE void *document_open(const struct document_form *form, const struct reading *reading,
                             struct error *err);

/* Resets it for another page. */
MUST_USE bool document_again(struct document *document, const struct document_form *form,
                             struct error *err);

/* For struct reader_ops. */
fetch_take_fn document_take;
void document_close(void *reader);
