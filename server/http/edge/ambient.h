/* Checks requests without a token on a server that needs none. Any page in a local browser can
 * send them, so the Host must be a name of this machine (against DNS rebinding), and a request
 * that changes or exports data must not come from another site (against cross-site request
 * forgery). Pure functions. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

/* The header fields; NULL where the client sent none. */
struct ambient_request {
    const char *host, *origin, *fetch_site;
    bool changes; /* or exports */
};

/* `names` is the option --host: names separated by semicolons. On failure err names the header
 * field: Host, Origin or Sec-Fetch-Site. */
bool ambient_check(const struct ambient_request *request, const char *names, struct error *err);
