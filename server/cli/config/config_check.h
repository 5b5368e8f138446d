/* Checks options together, reads token files, and sets the default path of the database. */
#pragma once

#include "server/base/config.h"

MUST_USE bool config_check(struct config *config, char *const environment[], struct error *err);

/* Returns true for 127.0.0.0/8 and ::1. */
bool config_is_loopback(const char *address);
