/* serve: answers requests until a signal ends it. */
#pragma once

#include "server/cli/commands.h"

command_fn serve_command;
