/* The user that engines run as, where root starts the server: one of their own, so that an engine
 * has no more rights over the server than any other user. */
#pragma once

#include "common/error.h"

#include <limits.h>
#include <sys/types.h>

struct engine_user {
    bool is_another; /* false: engines run as the server does */
    uid_t user;
    gid_t group;
    char home[PATH_MAX]; /* becomes HOME; the plans of our own worker are kept in it */
};

/* Looks a user up by name; root is refused. */
MUST_USE bool engine_user_find(const char *name, struct engine_user *ret_user, struct error *err);

/* Whether that user may run a program: every folder on the way to it has to permit it, too. */
bool engine_user_can_run(const struct engine_user *user, const char *program);

/* Becomes that user, for good. Only calls that a child of a process with threads may make. What
 * prctl() has set to be done at the end of the parent is forgotten by this. False, with errno,
 * where it cannot be done. */
MUST_USE bool engine_user_become(const struct engine_user *user);
