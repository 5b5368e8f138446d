/* Runs a command with parsed options and returns the exit status:
 *   0  success
 *   1  failure; stderr gives the reason
 *   2  a wrong option (mostly main.c returns it without calling the command) */
#pragma once

#include "server/base/config.h"

typedef int command_fn(const struct config *config);

/* Further exit statuses of bench and push: the first that applies. */
enum {
    EXIT_PREEMPTED = 6,     /* bench: the cloud takes the machine back */
    EXIT_NOTHING = 3,       /* bench: no run finished */
    EXIT_NOT_DELIVERED = 5, /* the hub has not accepted every run; push sends the others later */
    EXIT_PARTLY = 4,        /* bench: runs failed, were invalid, or had no time or money left */
};

/* Prints the error to stderr and returns 1. */
int command_failed(const struct error *err);

/* The same, but returns 2 if the error names an option. */
int command_refused(const struct error *err);
