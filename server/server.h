/* What the handlers of requests can reach: the parts of a running server. Nothing in here changes
 * after the start but inside the parts, which look after themselves. */
#pragma once

#include "common/bytes.h"
#include "db/pool.h"
#include "server/answers.h"
#include "server/audit.h"
#include "server/board.h"
#include "server/config.h"
#include "server/copy.h"
#include "server/engines.h"
#include "server/guard.h"
#include "server/here.h"
#include "server/live.h"
#include "server/metrics.h"
#include "server/refresher.h"
#include "server/room.h"
#include "server/runner.h"
#include "server/whoami.h"

struct server {
    const struct config *config;
    const struct engines *engines;
    const struct here *here;
    struct db_pool *pool;
    struct live *live;
    struct runner *runner;
    const struct feeds *feeds;
    struct whoami *whoami;
    struct refresher *refresher;
    struct board *board;
    struct answers *answers;
    struct metrics *metrics;
    struct copier *copier;
    struct room *room;
    struct guard *guard; /* this and the audit: NULL where nobody is served */
    struct audit *audit;
    struct bytes openapi; /* the document as it is served */
};
