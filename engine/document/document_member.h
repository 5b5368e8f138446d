/* A member of a document, and the readers of object members. */
#pragma once

#include "engine/document/run_document.h"

struct document_member {
    const char *name;
    /* The value is present; its quotes and brackets are balanced. */
    bool (*read)(const struct document_member *member, struct span value,
                 struct document *document, struct error *err);
    size_t offset, size; /* in struct document, for a text */
    long long min, max;  /* for a number */
    bool required;       /* else null and absent both mean unknown */
    bool long_text;      /* else its JSON may have DOCUMENT_MEMBER_MAX bytes */
};

/* RFC 3339 in UTC. */
MUST_USE bool member_read_time(struct span value, const char *field, long long *ret_us,
                               struct error *err);

/* Whether the JSON of a member is short enough. */
MUST_USE bool member_fits(struct span value, const char *field, struct error *err);

MUST_USE bool member_read_details(const struct document_member *member, struct span value,
                                  struct document *document, struct error *err);
MUST_USE bool member_read_machine(const struct document_member *member, struct span value,
                                  struct document *document, struct error *err);
MUST_USE bool member_read_loaded(const struct document_member *member, struct span value,
                                 struct document *document, struct error *err);
MUST_USE bool member_read_implementations(const struct document_member *member, struct span value,
                                          struct document *document, struct error *err);
MUST_USE bool member_read_void(const struct document_member *member, struct span value,
                               struct document *document, struct error *err);
/* run_document_read.c checks its place among the members. */
MUST_USE bool member_read_signature(const struct document_member *member, struct span value,
                                    struct document *document, struct error *err);
