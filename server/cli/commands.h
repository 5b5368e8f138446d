/* The commands, each called with its options read. A command returns the exit status:
 *   0  success
 *   1  failure; stderr gives the reason
 *   2  a wrong option (mostly main.c returns it without calling the command)
 * Further values are listed with the command. */
#pragma once

#include "server/base/config.h"

typedef int command_fn(const struct config *config);

command_fn serve_command;   /* serve.c */
command_fn backup_command;  /* database.c */
command_fn restore_command; /* database.c */
command_fn check_command;   /* database.c */
command_fn health_command;  /* health.c */
command_fn token_command;   /* token.c */
command_fn key_command;     /* key.c */
command_fn prices_command;  /* prices.c */

/* Measures this machine and prints the result; bench.c. */
command_fn bench_command;

/* Reports to a hub the runs that it has not accepted yet; push.c. */
command_fn push_command;

/* Further exit statuses of these two: the first that applies. */
enum {
    EXIT_PREEMPTED = 6,     /* bench: the cloud takes the machine back */
    EXIT_NOTHING = 3,       /* bench: no run finished */
    EXIT_NOT_DELIVERED = 5, /* the hub has not accepted every run; push sends the others later */
    EXIT_PARTLY = 4,        /* bench: runs failed, were invalid, or had no time or money left */
};

/* Prints the error to stderr and returns 1. */
int command_failed(const struct error *err);

/* The same, and returns 2 where a word of an option is to blame. */
int command_refused(const struct error *err);
