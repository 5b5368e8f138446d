/* What each command does, once its options are read: the exit status is what it returns.
 *   0  all is well
 *   1  it could not be done; stderr says why
 *   2  an option is wrong (told by main.c, before any of these)
 * What else a command answers with is said beside it. */
#pragma once

#include "server/base/config.h"

typedef int command_fn(const struct config *config);

command_fn serve_command;   /* serve.c */
command_fn backup_command;  /* database.c */
command_fn restore_command; /* database.c */
command_fn check_command;   /* database.c */
command_fn health_command;  /* health.c */
command_fn token_command;   /* token.c */

/* Measures this machine and prints what came of it; bench.c. */
command_fn bench_command;

/* Reports to a hub what it has not accepted yet; push.c. */
command_fn push_command;

/* What these two may answer with besides: the first of these that holds. */
enum {
    EXIT_PREEMPTED = 6,     /* bench: the machine is being taken back */
    EXIT_NOTHING = 3,       /* bench: no run finished */
    EXIT_NOT_DELIVERED = 5, /* the hub has not accepted everything: it is kept, push sends it */
    EXIT_PARTLY = 4,        /* bench: runs failed, were invalid, or had no time or money left */
};

/* Tells stderr what went wrong; always 1. */
int command_failed(const struct error *err);
