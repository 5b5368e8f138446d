/* An error, reported once, to the caller that can handle it. */
#pragma once

#include "common/must_use.h"

#include <stdbool.h>

/* What the caller can do about it, not where it came from. */
enum error_kind {
    ERROR_NONE,
    ERROR_INVALID,   /* fix the input; `field` names the part that is wrong */
    ERROR_NOT_FOUND, /* there is no such thing */
    ERROR_CONFLICT,  /* the thing is not in a state that allows this */
    ERROR_MISMATCH,  /* the same name was used before for something else */
    ERROR_UNPROVEN,  /* a signature is wrong: the sender is not who it claims to be */
    ERROR_FORBIDDEN, /* this caller may not do it */
    ERROR_UNABLE,    /* valid, but this machine cannot do it */
    ERROR_FULL,      /* no room now; try again when some work is done */
    ERROR_BUSY,      /* the same request may work in a moment */
    ERROR_UPSTREAM,  /* a service or program we depend on failed us */
    ERROR_STORAGE,   /* the disk is full: nothing is written until somebody frees space */
    ERROR_DAMAGED,   /* the database is damaged: nothing is written until it is restored */
    ERROR_INTERNAL,  /* our bug or our machine; nothing the client can change */
};

/* The accepted values: a range of numbers, or a NULL-terminated list of static strings; both
 * unset where no table can express them. */
struct allowed {
    bool ranged;
    bool above_min; /* the range begins above min, and does not contain it */
    long long min, max;
    const char *const *choices;
};

struct error {
    enum error_kind kind;
    char field[64];    /* "" unless one input field is to blame */
    char message[256]; /* one sentence, no final period; ERROR_INTERNAL's is for our log */
    struct allowed allowed;
};

/* Fills *err unless it already holds an earlier failure: the first one is the cause, the rest
 * are its consequences. `field` and `err` may be NULL. The text may quote what a client sent,
 * so everything that is not printable ASCII becomes '?' and no encoding can be cut in half.
 * Always returns false: a failing path is one line, return error_set(err, ...). */
bool error_set(struct error *err, enum error_kind kind, const char *field, const char *format,
               ...) __attribute__((format(printf, 4, 5)));

/* The same, and adds the accepted values. */
bool error_not_allowed(struct error *err, const char *field, struct allowed allowed,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Copies an error of a nested part, with the path of `where`: its field "years" becomes
 * "own.years". `where` may be "". Always returns false. */
bool error_within(struct error *err, const struct error *cause, const char *where);

/* Sets the error for a failed allocation (common/memory.h). Always returns false. */
bool error_no_memory(struct error *err);

/* Makes *err ready for the next attempt. */
void error_clear(struct error *err);
