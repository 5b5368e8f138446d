/* push: sends the runs that the hub has not accepted yet; the database may be in use. */
#pragma once

#include "server/cli/commands.h"

command_fn push_command;
