/* token NAME SCOPES: makes a token. Prints the token to stderr, and its line for --tokens to
 * stdout. token revoke NAME: removes it from the file, and its runs from every comparison. token
 * rebind NAME: forgets the key it is bound to. */
#pragma once

#include "server/cli/commands.h"

command_fn token_command;
