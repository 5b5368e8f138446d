/* Reads the command and the options. A table row holds an option's flag, environment variable,
 * default, meaning and limits; --help prints the same rows. */
#pragma once

#include "common/error.h"
#include "server/base/config.h"

#include <stdbool.h>
#include <stdio.h>

enum config_result {
    CONFIG_OK,
    CONFIG_HELP,    /* --help, for config->command */
    CONFIG_VERSION, /* --version */
    CONFIG_WRONG,   /* err names the option and the mistake */
};

/* Flags win over the environment, the environment over defaults. A flag must belong to the
 * command; a variable is read for any command. `environment` has the form of environ. Calls
 * config_check().
 */
MUST_USE enum config_result config_read(int argc, char *const argv[], char *const environment[],
                                        struct config *ret_config, struct error *err);

void config_help(enum command command, FILE *out);
