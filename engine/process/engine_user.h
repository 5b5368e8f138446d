/* The user that runs the engines, if root starts the server: a separate one, so that an engine
 * has no more rights over the server than any other user. */
#pragma once

#include "common/error.h"

#include <limits.h>
#include <sys/types.h>

struct engine_user {
    bool is_another; /* false: engines run as the server's user */
    uid_t user;
    gid_t group;
    char home[PATH_MAX]; /* becomes HOME; holds the plans of our own worker */
};

/* Looks a user up by name; root is refused. */
MUST_USE bool engine_user_find(const char *name, struct engine_user *ret_user, struct error *err);

/* Whether that user may run a program: every folder of its path must permit it, too. */
bool engine_user_can_run(const struct engine_user *user, const char *program);

/* Becomes that user, for good. Makes only calls that are allowed after fork in a process with
 * threads. Resets the parent-death signal of prctl(). False, with errno, on failure. */
MUST_USE bool engine_user_become(const struct engine_user *user);
