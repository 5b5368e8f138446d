/* The command and the options of this process, read and checked; cli/config/config_read.h fills
 * it. */
#pragma once

#include "common/error.h"
#include "common/limits.h"

#include <stdbool.h>
#include <stdio.h>

#define TOKEN_MIN 16
#define TOKEN_MAX 256
#define PATH_TEXT_MAX 4096
#define OPERANDS_MAX 2

/* The command: the first word after the program's name. Without one the program serves, or
 * benches if PENNYWORTH_REPORT_TO is set. */
enum command {
    COMMAND_SERVE,
    COMMAND_BENCH,   /* measures this machine and reports the runs to a hub */
    COMMAND_PUSH,    /* reports the runs that the hub has not accepted */
    COMMAND_BACKUP,  /* FILE: copies the database while it is in use */
    COMMAND_RESTORE, /* FILE: replaces the database by this backup */
    COMMAND_CHECK,   /* reads the whole database */
    COMMAND_HEALTH,  /* asks the server of this machine */
    COMMAND_TOKEN, /* NAME SCOPES: makes a token; revoke NAME: takes it back; rebind NAME: forgets
                      its key */
    COMMAND_KEY,   /* show or rotate: the key that signs the runs of this database */
    COMMAND_PRICES, /* check FILE: says what is wrong in a price file */
};
#define COMMANDS 10

struct config {
    enum command command;
    char operands[OPERANDS_MAX][PATH_TEXT_MAX + 1];
    char listen[64];
    long long port;
    char host[1000 + 1]; /* name;name */
    char database[PATH_TEXT_MAX + 1];
    char engine[4096 + 1]; /* name=command;name=command */
    char instance_type[63 + 1];
    char provider[15 + 1], region[39 + 1], zone[39 + 1];
    const char *life_cycle;
    char metadata[300 + 1]; /* "auto", "off", or aws=URL and its like */
    char feed[4096 + 1];    /* name=words;name=words */
    char gcp_key[200 + 1];
    char price_regions[1023 + 1]; /* of any provider, with commas */
    double price_per_hour;        /* dollars; 0 if not given */
    const char *confine;          /* "on" or "off" */
    char engine_user[64];         /* "": see engines_choose_user() */
    char read_token_file[PATH_TEXT_MAX + 1], write_token_file[PATH_TEXT_MAX + 1];
    char read_token[TOKEN_MAX + 1], write_token[TOKEN_MAX + 1]; /* "" when there is none */
    char tokens[PATH_TEXT_MAX + 1];                             /* a file of many */
    char gate_trust[1023 + 1];                                  /* names of tokens, with commas */
    char tls_certificate[PATH_TEXT_MAX + 1], tls_key[PATH_TEXT_MAX + 1];
    char audit[PATH_TEXT_MAX + 1];
    const char *require_signatures; /* "on" or "off": of imports */
    const char *with_runs;          /* of "token revoke": "on" or "off" */
    char reason[REASON_MAX + 1];    /* of "token revoke" */
    long long http_threads;
    long long max_connections, max_connections_per_address;
    long long header_seconds, body_seconds, send_seconds, idle_seconds;
    long long answer_mib;
    long long queue_limit;
    long long silence_seconds;
    long long reserve_mib;
    long long keep_steps_days; /* 0: for ever */
    const char *published;     /* "on" or "off" */
    char report_to[300 + 1];   /* URL of a hub */
    char report_token_file[PATH_TEXT_MAX + 1];
    char report_token[TOKEN_MAX + 1];
    char report_ca[PATH_TEXT_MAX + 1];
    long long report_seconds; /* patience with a hub */
    const char *refused;      /* "on": a push sends again what the hub refused; or "off" */
    const char *set;          /* of a bench: "standard" or "quick" */
    const char *wanted;       /* "on": what the hub wants, in place of the set */
    long long max_seconds;    /* of a whole bench */
    double max_dollars;       /* of a whole bench; 0 none */
    long long batch_size;     /* of its runs, or FIELD_IS_AUTO */
    char label[4096 + 1];     /* key=value;key=value */
    const char *format;       /* of a bench's answer: "table" or "json" */
    const char *replace;      /* "on" or "off" */
    long long sample, seed;   /* runs that a check looks at; 0: all, and any seed */
    const char *log;
};
