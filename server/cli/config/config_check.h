/* Checks options together, reads token files, and sets the default path of the database. */
#pragma once

#include "server/base/config.h"

bool config_check(struct config *config, char *const environment[], struct error *err)
    __attribute__((warn_unused_result));

/* Returns true for 127.0.0.0/8 and ::1. */
bool config_is_loopback(const char *address);
