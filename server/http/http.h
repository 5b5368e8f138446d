/* HTTP on libmicrohttpd: the only file that knows it. Turns connections into exchanges and sends
 * what comes of them. */
#pragma once

#include "common/error.h"
#include "server/http/deadlines.h"
#include "server/http/server.h"

struct http;

/* Binds and listens; nothing is answered yet. Errors say which option is to blame. */
struct http *http_listen(const struct config *config, struct error *err)
    __attribute__((warn_unused_result));

/* The port it listens on: the system's choice where the option says 0. */
int http_port(const struct http *http);

/* Starts to answer. */
bool http_start(struct http *http, const struct server *server, struct deadlines *deadlines,
                struct error *err) __attribute__((warn_unused_result));

/* Cuts the clients whose time is over; for the sentry. */
long long http_tick(struct http *http, long long now_ns);

/* Takes no more connections. */
void http_quiesce(struct http *http);

/* Waits until every answer that is due is sent, or the patience is over. */
void http_drain(struct http *http, long long patience_ns);

/* Ends every connection. notifications_close() first: nobody may be suspended. NULL is fine. */
void http_stop(struct http *http);
