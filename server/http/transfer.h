/* One exchange and the connection that carries it: the functions that libmicrohttpd calls, from a
 * new connection to its end. http.c hands them to the library with a struct transport.
 * Tested by tests/api/test_http.py and tests/attack/. */
#pragma once

#include "server/http/edge/connections.h"
#include "server/http/edge/deadlines.h"

#include <microhttpd.h>
#include <stdbool.h>

struct server;

/* What all connections share. */
struct transport {
    const struct server *server;
    struct connections *connections;
    struct deadlines *deadlines;
    long long shortest_ns; /* shortest of the time limits */
    bool secure;           /* speaks TLS */
};

/* `user` is the struct transport in each. */

/* Begins an exchange when the first line of a request is there. */
void *transfer_first_line(void *user, const char *target, struct MHD_Connection *connection);

enum MHD_Result transfer_on_request(void *user, struct MHD_Connection *connection,
                                    const char *url, const char *method, const char *version,
                                    const char *data, size_t *size, void **state);
void transfer_on_completed(void *user, struct MHD_Connection *connection, void **state,
                           enum MHD_RequestTerminationCode why);
void transfer_on_connection(void *user, struct MHD_Connection *connection, void **socket_context,
                            enum MHD_ConnectionNotificationCode what);
