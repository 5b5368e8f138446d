/* A member of a document, and the readers of those that are objects. */
#pragma once

#include "engine/document/run_document.h"

struct member {
    const char *name;
    /* Of a value that is there; it is JSON as far as its quotes and brackets go. */
    bool (*read)(const struct member *member, struct span value, struct document *document,
                 struct error *err);
    size_t offset, size; /* in struct document, of what takes a text */
    long long min, max;  /* of a number */
    bool required;       /* else null and absence are the same: not known */
    bool long_text;      /* else its JSON has DOCUMENT_MEMBER_MAX bytes at most */
};

/* Sixteen digits, as hashes are written here. */
MUST_USE bool member_read_hash(struct span value, const char *field, char ret_text[17],
                               struct error *err);

/* RFC 3339 in UTC. */
MUST_USE bool member_read_time(struct span value, const char *field, long long *ret_us,
                               struct error *err);

/* Whether the JSON of a member is short enough. */
MUST_USE bool member_fits(struct span value, const char *field, struct error *err);

MUST_USE bool member_read_details(const struct member *member, struct span value,
                                  struct document *document, struct error *err);
MUST_USE bool member_read_machine(const struct member *member, struct span value,
                                  struct document *document, struct error *err);
MUST_USE bool member_read_loaded(const struct member *member, struct span value,
                                 struct document *document, struct error *err);
MUST_USE bool member_read_implementations(const struct member *member, struct span value,
                                          struct document *document, struct error *err);
MUST_USE bool member_read_void(const struct member *member, struct span value,
                               struct document *document, struct error *err);
/* Its place among the others is looked at by run_document_read.c. */
MUST_USE bool member_read_signature(const struct member *member, struct span value,
                                    struct document *document, struct error *err);
