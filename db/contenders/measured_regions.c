#include "db/contenders/measured_regions.h"

#include "common/cleanup.h"
#include "db/stmt.h"

bool measured_regions_each(struct db *db, const char *provider,
                           void (*tell)(void *user, const char *region), void *user,
                           struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db,
        "SELECT DISTINCT r.region FROM contenders AS c JOIN runs AS r ON r.number ="
        " (SELECT max(number) FROM runs WHERE contender = c.number) WHERE c.provider = ?"
        " AND c.published = 0 AND r.region <> ''",
        err);
    enum stmt_step step;

    stmt_text(query, provider);
    while ((step = stmt_step(query, err)) == STMT_ROW)
        tell(user, stmt_column_text(query, 0));
    return step == STMT_DONE;
}
