/* Every command of the program and every option, as tables: flag, environment variable, default,
 * meaning and limits come from the same row, and so does --help. */
#pragma once

#include "common/error.h"
#include "server/base/config.h"

#include <stdbool.h>
#include <stdio.h>

enum config_result {
    CONFIG_OK,
    CONFIG_HELP,    /* --help was asked for; config->command says of what */
    CONFIG_VERSION, /* --version */
    CONFIG_WRONG,   /* err says which option and why */
};

/* Flags win over the environment, the environment over defaults. A flag must be one of the
 * command; a variable is read whatever the command. `environment` is like environ. Reads token
 * files and checks what belongs together. */
enum config_result config_read(int argc, char *const argv[], char *const environment[],
                               struct config *ret_config, struct error *err)
    __attribute__((warn_unused_result));

void config_help(enum command command, FILE *out);
