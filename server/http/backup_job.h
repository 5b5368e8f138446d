/* Copies the database for GET /v1/backup, in a thread of its own, into a file that is unlinked
 * once it is complete. One copy at a time, because each is as large as the database.
 *
 * Not a service_thread, which starts once and is joined when it stops: each copy has its own
 * thread, and a client that leaves stops it without waiting. */
#pragma once

#include "db/verify.h"
#include "server/base/notifications.h"

struct backup_job;

/* Removes the partial copy of a server that was killed. `database` is borrowed. */
struct backup_job *backup_job_new(const char *database, struct notifications *notifications,
                                  struct error *err);

/* Stops a copy under way and waits for its thread. NULL is fine. */
void backup_job_free(struct backup_job *backup_job);

/* Starts a copy, and announces its end as TOPIC_BACKUP (server/base/notifications.h); ERROR_BUSY
 * while another one is made or sent. The caller must call backup_job_leave(). */
MUST_USE bool backup_job_begin(struct backup_job *backup_job, struct error *err);

enum copy_state { COPY_UNDER_WAY, COPY_MADE, COPY_FAILED };

/* Returns the state of the copy. COPY_MADE: read it from *ret_descriptor until
 * backup_job_leave(). COPY_FAILED: err says why. */
enum copy_state backup_job_look(struct backup_job *backup_job, int *ret_descriptor,
                                struct verify_facts *ret_facts, struct error *err);

/* Ends the use of the copy: stops it if it is under way, without waiting for its thread. */
void backup_job_leave(struct backup_job *backup_job);
