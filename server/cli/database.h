/* backup, restore, check: the commands on a whole database. */
#pragma once

#include "server/cli/commands.h"

command_fn backup_command;
command_fn restore_command;
command_fn check_command;
