/* One request and its answer, free of any HTTP library: http.c fills the first half and sends the
 * second, handlers know only this. */
#pragma once

#include "common/bytes.h"
#include "server/base/notifications.h"
#include "server/base/query.h"
#include "server/http/router.h"
#include "server/http/token_store.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct server;
struct exchange;

#define BODY_MAX (64 * 1024)
#define BODY_RUNS_MAX (16 * 1024 * 1024)
#define REPLY_MAX (64 * 1024 * 1024)
#define HEADER_MAX (16 * 1024)

/* Header fields that matter to somebody; NULL where the client sent none. */
struct request_headers {
    const char *accept, *accept_encoding, *authorization, *content_type, *idempotency_key;
    const char *last_event_id, *prefer, *content_length, *if_none_match;
    bool chunked;
    size_t bytes; /* of the whole header */
};

enum stream_result {
    STREAM_MORE, /* bytes were added; call again when they are sent */
    STREAM_WAIT, /* nothing yet: the stream's watcher will be woken */
    STREAM_END,  /* nothing more, all is well */
    STREAM_BROKEN,
};

/* An answer that is made piece by piece, while it is sent. */
struct stream {
    enum stream_result (*produce)(struct exchange *exchange, struct bytes *piece);
    bool begun, ended;
    bool is_live; /* what it says is of no use later: a reader that stops reading gets no more */
    union {
        struct { /* of handle_steps.c */
            long long run, first_measured, end_measured;
            long long position, last; /* the next step to send, and the one after the last */
            long long left;           /* how many more are wanted */
            bool csv, thinned;
        };
        struct { /* of handle_events.c */
            struct run_id id;
            int stage;            /* how many state changes were sent */
            long long steps_sent; /* in the last progress event; -1 before the first */
            long long spoken_ns;  /* when anything was last sent */
        };
        struct {             /* of handle_export.c */
            long long after; /* number of the last run that was written */
            size_t sent;     /* of reply.body, where documents wait to be sent */
        };
        struct {            /* of handle_backup.c */
            int descriptor; /* the copier's */
            long long offset, size;
        };
    };
};

#define REPLY_FIELDS_MAX 8
#define FIELD_VALUE_MAX 192

struct reply {
    int status;
    const char *content_type; /* NULL when there is no body */
    struct bytes body;
    const char *fixed_body; /* instead of `body`: static bytes that need no copy */
    size_t fixed_size;
    int field_count;
    struct {
        const char *name;
        char value[FIELD_VALUE_MAX];
    } fields[REPLY_FIELDS_MAX];
    struct stream stream; /* used when produce is set */
    bool hold;            /* no answer yet: see exchange_answer() */
};

struct exchange {
    const struct server *server;
    const char *method;
    struct request_headers headers;
    struct bytes body;
    bool body_overflow;
    unsigned long long received; /* bytes of the body, kept or not */
    const struct sockaddr *peer; /* who sends it, or NULL */
    struct grant grant;          /* what its token lets it do */
    long long paid_bytes;        /* of LIMIT_BYTES */
    bool writes, audited;        /* it is one for the audit; that was told */
    struct {
        bool counted;
        long long imported, known, refused;
    } import;              /* documents, for the audit */
    struct run_id created; /* for the audit, where the answer does not lead to it */
    bool has_copy;         /* server->copier works for us */
    bool has_room;         /* of server->room, for a body larger than BODY_MAX */
    struct router_match match;
    struct reply reply;
    struct watcher watcher;                  /* for streams and held answers */
    void (*held)(struct exchange *exchange); /* goes on with an answer that was held; or NULL */
    struct run_id held_id;                   /* the run, or the sweep, whose end it waits for */
    long long hold_until_ns;                 /* and for how long */
    bool (*is_gone)(const struct exchange *exchange); /* the client hung up */
    long long started_ns;
    /* Below: kilobytes that are written before they are read, so nobody clears them. */
    char target[QUERY_MAX + 2]; /* as sent; cut where it is too long to be served */
    struct query query;
};

/* Before the body: access, room, route, and what can be refused by its header alone. Then
 * reply.status is set, else 0. */
void exchange_admit(struct exchange *exchange);

/* Whether what admitting it has set is sent at once, with the body unread. */
bool exchange_answers_early(const struct exchange *exchange);

/* Another piece of the body. */
void exchange_take_body(struct exchange *exchange, const char *data, size_t length);

/* With the whole body: makes the reply; or sets reply.hold and has put the watcher to sleep, and
 * is to be called again when that wakes. */
void exchange_answer(struct exchange *exchange);

/* Frees what the exchange owns, and stops watching. */
void exchange_done(struct exchange *exchange);
