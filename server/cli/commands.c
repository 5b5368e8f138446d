#include "server/cli/commands.h"

#include <stdio.h>

int command_failed(const struct error *err)
{
    fprintf(stderr, "pennyworth: %s%s%s\n", err->field, err->field[0] ? " " : "", err->message);
    return 1;
}

int command_refused(const struct error *err)
{
    int status = command_failed(err);

    return err->kind == ERROR_INVALID ? 2 : status;
}
