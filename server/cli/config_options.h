/* The tables behind server/cli/config_read.h. */
#pragma once

#include "common/fields.h"
#include "server/base/config.h"

/* A set of commands has a bit for each. */
#define COMMAND_BIT(command) (1u << (command))

struct option {
    struct field field; /* its name with '_' is the row's; flag and variable follow from it */
    const char *fallback;
    const char *argument; /* how --help calls the value */
    unsigned commands;    /* that have it */
    bool repeats;         /* given again, it adds (with ';') instead of replacing */
    bool secret;          /* from the environment only: flags can be seen in ps */
};

extern const struct option config_options[];
extern const size_t config_option_count;

struct command_words {
    const char *name;
    const char *operands[OPERANDS_MAX]; /* how --help calls them; NULL where there are fewer */
    const char *meaning;
};

extern const struct command_words config_commands[COMMANDS];
