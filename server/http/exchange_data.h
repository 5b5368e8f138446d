/* One request and its answer, without any HTTP library: http.c fills in the request and sends the
 * reply, and handlers see only these. */
#pragma once

#include "answers/query.h"
#include "common/bytes.h"
#include "common/limits.h"
#include "server/base/notifications.h"
#include "server/http/audit.h"
#include "server/http/router.h"
#include "server/http/tokens/token_store.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct server;
struct exchange;

/* The header fields that handlers read; NULL where the client sent none. */
struct request_headers {
    const char *accept, *accept_encoding, *authorization, *content_type, *idempotency_key;
    const char *key_proof; /* PROOF_HEADER of server/keys/signing.h */
    const char *last_event_id, *prefer, *content_length, *if_none_match;
    const char *host, *origin, *fetch_site;
    const char *forwarded_proto, *forwarded_prefix; /* of a proxy in front */
    bool chunked;
    bool expects; /* its body follows once we ask for it (Expect: 100-continue) */
    size_t bytes; /* of the whole header */
};

/* The request, and the rights of its token. */
struct request {
    const char *method;
    struct request_headers headers;
    struct router_match match;
    struct bytes body;
    bool body_overflow;
    bool has_large_body_slot;    /* of server->large_body_slots: the body may exceed BODY_MAX */
    unsigned long long received; /* bytes of the body, kept or not */
    const struct sockaddr *peer; /* address of the client, or NULL */
    struct grant grant;          /* what the token allows */
    long long paid_bytes;        /* taken off the token's LIMIT_BYTES */
    long long started_ns;
    void *parameters; /* owned: parsed by the rows of the route */
    struct run_id id; /* of the run or the sweep that the path names; "" for other paths */
    /* Large, and written before they are read: first_line() does not clear them. */
    char target[QUERY_MAX + 2]; /* as sent; cut if too long */
    struct query query;
};

enum stream_result {
    STREAM_MORE, /* bytes were added; call again when they are sent */
    STREAM_WAIT, /* nothing yet: exchange->watcher sleeps, and its resume() continues */
    STREAM_END,  /* the answer is complete */
    STREAM_BROKEN,
};

/* Makes an answer piece by piece, while it is sent. `state` belongs to the handler: next() adds
 * the next piece, and free() (NULL for none) runs once, at the end of the exchange. */
struct stream {
    enum stream_result (*next)(void *state, struct exchange *exchange, struct bytes *piece);
    void (*free)(void *state);
    void *state;
    bool is_live; /* old pieces are worthless: buffer as little as possible in the socket */
};

#define REPLY_FIELDS_MAX 8
#define FIELD_VALUE_MAX 512

struct reply {
    int status;               /* 0 while there is no answer */
    const char *content_type; /* NULL when there is no body */
    struct bytes body;
    const char *fixed_body; /* instead of `body`: static bytes that need no copy */
    size_t fixed_size;
    int field_count;
    struct {
        const char *name;
        char value[FIELD_VALUE_MAX];
    } fields[REPLY_FIELDS_MAX];
    struct stream stream; /* instead of `body` where next is set */
};

/* An answer that waits, and how it continues. */
struct hold {
    bool waits;                               /* no answer yet: see exchange_answer() */
    bool granted;                             /* may_hold() has said yes */
    void (*go_on)(struct exchange *exchange); /* makes the answer after a wait; NULL for none */
    struct run_id id;                         /* the run or sweep whose end it waits for */
    long long until_ns;
    void *state; /* the handler's own; free() (NULL for none) runs at the end of the exchange */
    void (*free)(void *state);
};

/* The line for the audit. Handlers set the entry's id, its counts and what was taken back;
 * access_audit() sets the rest.
 */
struct audit_note {
    bool wanted; /* the request writes */
    bool written;
    struct audit_entry entry;
};

struct exchange {
    const struct server *server;
    struct reply reply;
    struct hold hold;
    struct audit_note audit;
    struct watcher watcher;                           /* sleeps for a stream or a held answer */
    bool (*is_gone)(const struct exchange *exchange); /* the client closed its connection */
    /* Whether the answer may wait for something to end: their number is limited. */
    bool (*may_hold)(const struct exchange *exchange);
    struct request request; /* last, for the kilobytes at its end */
};
