/* The copy of the database that a request asked for: made by a thread of its own into a file that
 * has no name once it is whole. One at a time, for it is as large as the database. */
#pragma once

#include "db/verify.h"
#include "server/base/notifications.h"

/* What a request watches (server/base/notifications.h) to hear that its copy has come to its end.
 */
extern const struct run_id copy_watched;

struct backup_job;

/* Removes what a server that was killed has left. `database` is borrowed. */
struct backup_job *backup_job_new(const char *database, struct notifications *notifications);

/* Stops what is under way, and waits for that. NULL is fine. */
void backup_job_free(struct backup_job *backup_job);

/* Begins; ERROR_BUSY while another's is made or sent. Whoever began must leave. */
bool backup_job_begin(struct backup_job *backup_job, struct error *err)
    __attribute__((warn_unused_result));

enum copy_state { COPY_UNDER_WAY, COPY_MADE, COPY_FAILED };

/* How the copy is: made, it can be read from *ret_descriptor until backup_job_leave(); failed,
 * err says why. */
enum copy_state backup_job_look(struct backup_job *backup_job, int *ret_descriptor,
                                struct verify_facts *ret_facts, struct error *err);

/* Whoever began is done, or has hung up: what is under way is stopped, without waiting for it. */
void backup_job_leave(struct backup_job *backup_job);
