/* Requests without a token, where the server demands none: a client that reaches the port may do
 * all. On a laptop that includes each page that its user's browser has open, so such a request
 * must come to a name that is this machine's own (a stranger's name may be made to lead here: DNS
 * rebinding), and one that changes or takes much along must not come from another site
 * (cross-site request forgery). Pure functions. */
#pragma once

#include "common/error.h"

#include <stdbool.h>

/* The header fields; NULL where the client sent none. */
struct ambient_request {
    const char *host, *origin, *fetch_site;
    bool changes; /* or exports */
};

/* `names` are those of --host, separated by semicolons. Returns false with the field that is
 * wrong: Host, Origin or Sec-Fetch-Site. */
bool ambient_check(const struct ambient_request *request, const char *names, struct error *err);
