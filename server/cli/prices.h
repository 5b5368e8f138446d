/* prices check FILE: lists the errors of a price file, or what the server would read from it. */
#pragma once

#include "server/cli/commands.h"

command_fn prices_command;
