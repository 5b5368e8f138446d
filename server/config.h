/* Every option of the process, as one table: flag, environment variable, default, meaning and
 * limits come from the same row, and so does --help. */
#pragma once

#include "common/error.h"

#include <stdbool.h>
#include <stdio.h>

#define TOKEN_MIN 16
#define TOKEN_MAX 256

struct config {
    char listen[64];
    long long port;
    char database[4096 + 1];
    char engine[4096 + 1]; /* name=command;name=command */
    char instance[63 + 1];
    char provider[15 + 1], region[39 + 1], zone[39 + 1];
    const char *life_cycle;
    char metadata[300 + 1]; /* "auto", "off", or aws=URL and its like */
    char feed[4096 + 1];    /* name=words;name=words */
    char gcp_key[200 + 1];
    double price_per_hour; /* dollars; 0 where nobody said */
    char read_token_file[4096 + 1], write_token_file[4096 + 1];
    char read_token[TOKEN_MAX + 1], write_token[TOKEN_MAX + 1]; /* "" when there is none */
    long long http_threads;
    long long max_connections, max_connections_per_address;
    long long header_seconds, body_seconds, idle_seconds;
    long long queue_limit;
    long long silence_seconds;
    const char *published; /* "on" or "off" */
    const char *log;
};

enum config_result {
    CONFIG_OK,
    CONFIG_HELP,    /* --help was asked for */
    CONFIG_VERSION, /* --version */
    CONFIG_WRONG,   /* err says which option and why */
};

/* Flags win over the environment, the environment over defaults. `environment` is like environ.
 * Reads token files and checks what belongs together. */
enum config_result config_read(int argc, char *const argv[], char *const environment[],
                               struct config *ret_config, struct error *err)
    __attribute__((warn_unused_result));

void config_help(FILE *out);
