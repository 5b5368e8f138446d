/* push: reports to a hub the runs that it has not accepted, from a database that may be in use.
 */
#pragma once

#include "server/cli/commands.h"

command_fn push_command;
