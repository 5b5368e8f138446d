/* The address at which the client reached this server, for links that are read elsewhere, as in a
 * comment on a pull request. Pure. */
#pragma once

#include "server/http/exchange_data.h"

#define PUBLIC_ADDRESS_SIZE 512

/* "https://bench.example.org:8443/pennyworth", without a slash at its end: the name of Host; the
 * scheme of X-Forwarded-Proto, else of this server; the path of X-Forwarded-Prefix. "" if Host is
 * missing. A part with a character that no address contains is left out: the headers are
 * untrusted. */
void public_address(const struct request_headers *headers, bool is_tls,
                    char ret_text[PUBLIC_ADDRESS_SIZE]);
