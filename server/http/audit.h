/* The audit log: one line of JSON for each request that writes, refused ones included, in a file
 * or in the log. Requests without a known token get at most AUDIT_STRANGERS_MAX lines a minute,
 * so that strangers cannot fill the disk; the next line counts the others. A line contains
 * nothing from queries, headers or bodies, except the reason of a withdrawal. Thread-safe; lines
 * do not mix. */
#pragma once

#include "common/bytes.h"
#include "common/error.h"
#include "common/taken_back.h"
#include "engine/spec/run_id.h"

#include <sys/socket.h>

struct audit;

#define AUDIT_STRANGERS_MAX 60 /* lines of status 401 in any minute */

/* The content of a line. */
struct audit_entry {
    long long at_us;
    long long at_ns;             /* the same moment on the monotonic clock */
    const char *who;             /* name of the token; NULL without a known one */
    const struct sockaddr *from; /* or NULL */
    const char *method, *path;   /* a long path is cut */
    int status;                  /* 0 when the client left before there was one */
    unsigned long long bytes;    /* of the body, as far as it was read */
    struct run_id id;            /* of the run or sweep that was created; "" for none */
    bool counts;                 /* an import; the next line has its documents by result */
    long long imported, known, refused;
    const char *did;             /* "run voided" and the like; else NULL */
    char object[64];             /* set with `did`: its id, or the name of the feed */
    char reason[REASON_MAX + 1]; /* or "" */
};

/* An empty path means the log. */
MUST_USE struct audit *audit_open(const char *path, struct error *err);
void audit_free(struct audit *audit); /* NULL is fine */

/* Reopens the file after log rotation. On failure the old file stays in use. */
MUST_USE bool audit_reopen(struct audit *audit, struct error *err);

/* Writes a line, or counts it where it exceeds AUDIT_STRANGERS_MAX. A line that cannot be written
 * is counted, and the log reports it at most once a minute. */
void audit_write(struct audit *audit, const struct audit_entry *entry);

/* Adds both counts in Prometheus' text format. */
bool audit_write_metrics(struct audit *audit, struct bytes *text);
