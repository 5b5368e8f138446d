/* HTTP by libmicrohttpd, which only http.c includes. Turns requests into exchanges and sends
 * their replies. */
#pragma once

#include "common/error.h"
#include "server/http/edge/deadlines.h"
#include "server/http/server.h"

struct http;

/* Binds and listens, but does not answer yet. An error names the option at fault. */
MUST_USE struct http *http_listen(const struct config *config, struct error *err);

/* The port it listens on: the system's choice where the option says 0. */
int http_port(const struct http *http);

/* Starts to answer. */
MUST_USE bool http_start(struct http *http, const struct server *server,
                         struct deadlines *deadlines, struct error *err);

/* Cuts clients whose deadline has passed; called by the deadlines thread. */
long long http_tick(struct http *http, long long now_ns);

/* Stops accepting connections. */
void http_quiesce(struct http *http);

/* Waits until every answer is sent, or until `patience_ns` is over. */
void http_drain(struct http *http, long long patience_ns);

/* Ends every connection. Call notifications_close() first: no connection may be suspended. NULL
 * is fine. */
void http_stop(struct http *http);
