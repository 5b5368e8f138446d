/* key show: prints the public key that signs the runs of a database. key rotate: replaces it. */
#pragma once

#include "server/cli/commands.h"

command_fn key_command;
