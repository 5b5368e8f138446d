/* The tables behind server/cli/config/config_read.h. */
#pragma once

#include "common/rows/fields.h"
#include "server/base/config.h"

/* Sets of commands are bit masks. */
#define COMMAND_BIT(command) (1u << (command))

struct option {
    struct field field; /* its name with '_' is the row's; flag and variable follow from it */
    const char *fallback;
    const char *argument; /* the value's name in --help */
    unsigned commands;    /* that accept the option */
    bool repeats;     /* a repeated option is appended with ';' instead of replacing the first */
    bool secret;      /* from the environment only: ps shows flags */
    const char *bare; /* value of the flag alone; NULL: it needs a value */
};

extern const struct option config_options[];
extern const size_t config_option_count;

struct command_words {
    const char *name;
    const char *operands[OPERANDS_MAX]; /* their names in --help; NULL if there are fewer. Lower
                                           case is a literal word. */
    const char *meaning;
};

extern const struct command_words config_commands[COMMANDS];
