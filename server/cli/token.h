/* token NAME SCOPES: makes a token. Prints the token to stderr, and its line for --tokens to
 * stdout. token revoke NAME: takes it out of the file, and its runs out of every comparison.
 * token rebind NAME: forgets the key that it is bound to. */
#pragma once

#include "server/cli/commands.h"

command_fn token_command;
