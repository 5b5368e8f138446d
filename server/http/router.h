/* Finds the route of a request. Pure: tests try every path without a socket. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct exchange;

/* The right that a route requires. */
enum access {
    ACCESS_OPEN,
    ACCESS_READ,
    ACCESS_EXPORT, /* reads much at once */
    ACCESS_WRITE,
    ACCESS_IMPORT,
    ACCESS_COPY, /* of the whole database: never without a token */
};

/* The body that a route takes. */
enum body_kind {
    BODY_NONE,
    BODY_JSON, /* one JSON value of at most BODY_MAX bytes */
    BODY_RUNS, /* one JSON value, or one per line (application/x-ndjson); BODY_RUNS_MAX */
};

struct body;
struct members;
struct parameters;

/* Fills exchange->reply. Its question is exchange->request.parameters. */
typedef void handler_fn(struct exchange *exchange);

/* A successful answer, as the OpenAPI document describes it. */
struct said {
    int status;
    const char *meaning;
};

/* Lists are separated by blanks. Names of header fields are keys of openapi.json; a suffix after
 * a dot distinguishes fields of one name: "Location.run". */
struct route {
    const char *method;
    const char *pattern; /* "{id}" stands for one segment that is not empty */
    handler_fn *handler;
    enum access access;
    enum body_kind takes_body;
    const char *name, *tag;            /* of the operation */
    const char *summary, *description; /* one sentence; and the details, or NULL */
    const struct body *body;           /* describes the body */
    const char *produces; /* 406 unless the client accepts this type; NULL: the handler decides */
    const struct parameters *parameters; /* NULL: it knows none */
    const struct members *answer;        /* its JSON; NULL: only `said` describes it */
    const char *also;          /* further error statuses, not implied by this row: "409 422" */
    const char *takes, *gives; /* fields of the request's header, and of a successful answer's */
    struct said said[2];       /* the second may be unused */
    const char *forms;         /* of forms.h: content of said[0] other than `answer` */
};

struct router_match {
    const struct route *route;
    const char *id; /* where the {id} of the path starts, or NULL */
    size_t id_length;
};

enum router_result { ROUTER_FOUND, ROUTER_NO_PATH, ROUTER_NO_METHOD };

/* HEAD finds the route of GET. A literal pattern wins over one with {id}, and hides its
 * methods. */
enum router_result router_find(const struct route *routes, size_t count, const char *method,
                               const char *path, struct router_match *ret_match);

/* Writes the methods a path knows, "GET, HEAD, OPTIONS", for the Allow header. */
void router_allow(const struct route *routes, size_t count, const char *path, char *ret_allow,
                  size_t size);
