/* bench: measures this machine, prints the result, and reports each run to a hub when it ends. */
#pragma once

#include "server/cli/commands.h"

command_fn bench_command;
