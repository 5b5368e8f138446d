/* Who asked for what to be changed, and what came of it: a line of JSON for each request that
 * writes, refused ones included. Of those whose sender is not known only some a minute have a
 * line, so that strangers cannot fill the disk; the next line tells how many more there were. In
 * a file of its own, or in the log. Nothing of a query, a header or a body is in it. Any thread;
 * lines do not mix. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "engine/spec/run_id.h"

#include <sys/socket.h>

struct audit;

#define AUDIT_STRANGERS_MAX 60 /* lines of status 401 in any minute */

/* What a line says. */
struct audit_entry {
    long long at_us;
    long long at_ns;             /* the same moment on the monotonic clock */
    const char *who;             /* name of the token; NULL of nobody */
    const struct sockaddr *from; /* or NULL */
    const char *method, *path;   /* a long path is cut */
    int status;                  /* 0 when the client left before there was one */
    unsigned long long bytes;    /* of the body, as far as it was read */
    struct run_id id;            /* of the run or sweep that was created; "" for none */
    bool counts;                 /* documents, and what became of them: */
    long long imported, known, refused;
};

/* "" is the log. */
struct audit *audit_open(const char *path, struct error *err) __attribute__((warn_unused_result));
void audit_free(struct audit *audit); /* NULL is fine */

/* Opens the file anew: somebody has moved it away. When that fails the old one stays in use. */
bool audit_reopen(struct audit *audit, struct error *err) __attribute__((warn_unused_result));

/* Of too many strangers there is no line, and a count. A line that cannot be written is counted,
 * and told of in the log once a minute. */
void audit_tell(struct audit *audit, const struct audit_entry *entry);

/* Adds the counts of both, in Prometheus' text format. */
bool audit_write_metrics(struct audit *audit, struct bytes *text);
