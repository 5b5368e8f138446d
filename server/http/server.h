/* The parts of a running server, for handlers. The pointers do not change after the start; the
 * parts are thread-safe. */
#pragma once

#include "answers/compare/comparison_cache.h"
#include "answers/compare/spot_history.h"
#include "db/pool.h"
#include "server/base/answer_budget.h"
#include "server/base/config.h"
#include "server/base/long_jobs.h"
#include "server/base/metrics.h"
#include "server/base/notifications.h"
#include "server/base/this_machine.h"
#include "server/http/audit.h"
#include "server/http/backup_job.h"
#include "server/http/edge/large_body_slots.h"
#include "server/http/response_cache.h"
#include "server/http/tokens/token_store.h"
#include "server/keys/signing.h"
#include "server/prices/refresher.h"
#include "server/runs/engines.h"
#include "server/runs/runner.h"

struct openapi;

struct server {
    const struct config *config;
    const struct engines *engines;
    struct db_pool *pool;
    struct notifications *notifications;
    struct runner *runner;
    const struct feeds *feeds;
    struct this_machine *this_machine;
    struct refresher *refresher;
    struct comparison_cache *comparison_cache;
    struct spot_histories *spot_histories;
    struct response_cache *response_cache;
    struct metrics *metrics;
    struct backup_job *backup_job;
    struct long_jobs *long_jobs; /* this and the budget: NULL in commands that serve no HTTP */
    struct answer_budget *answer_budget;
    struct large_body_slots *large_body_slots;
    struct token_store *token_store; /* this and the audit: NULL in commands that serve no HTTP */
    struct audit *audit;
    const struct signing_key *signing_key; /* of runs that were measured here; NULL: unsigned */
    struct openapi *openapi;
};
