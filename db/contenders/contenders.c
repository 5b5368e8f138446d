#include "db/contenders/contenders.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "db/stmt.h"
#include "engine/spec/configuration.h"

bool contenders_changed_by_run(struct db *db, long long run, struct error *err)
{
    return stmt_run_number(db,
                           "UPDATE contenders SET changed = (SELECT number FROM revision)"
                           " WHERE number = (SELECT contender FROM runs WHERE number = ?)",
                           run, err);
}

bool revision_touch(struct db *db, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *update =
        stmt_prepare(db, "UPDATE revision SET number = number + 1, prices = number + 1", err);

    return stmt_run(update, err);
}

bool revision_touch_runs(struct db *db, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *update = stmt_prepare(db, "UPDATE revision SET number = number + 1", err);

    return stmt_run(update, err);
}

bool revision_read(struct db *db, long long *ret_revision, struct error *err)
{
    return stmt_number(db, "SELECT number FROM revision", ret_revision, err);
}

bool revision_read_prices(struct db *db, long long *ret_revision, struct error *err)
{
    return stmt_number(db, "SELECT prices FROM revision", ret_revision, err);
}

bool contenders_touch(struct db *db, const struct contender_key *key, long long *ret_number,
                      struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(
        db,
        "INSERT INTO contenders (workload, engine, configuration, provider, instance, stratum,"
        " published, changed) VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT number FROM revision))"
        " ON CONFLICT DO UPDATE SET changed = excluded.changed RETURNING number",
        err);
    const char *const texts[] = {key->workload, key->engine,   key->configuration,
                                 key->provider, key->instance, key->stratum};

    for (size_t i = 0; i < COUNT(texts); i++)
        stmt_text(insert, texts[i]);
    stmt_integer(insert, key->published);
    return stmt_take_number(insert, ret_number, err);
}

static bool stratum_of(struct db *db, const char *fingerprint, char **ret_stratum,
                       struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query =
        stmt_prepare(db, "SELECT stratum FROM machines WHERE fingerprint = ?", err);
    enum stmt_step step;

    stmt_text(query, fingerprint);
    step = stmt_step(query, err);
    if (step == STMT_FAILED)
        return false;
    *ret_stratum = xstrdup(step == STMT_ROW ? stmt_column_text(query, 0) : "");
    return true;
}

bool contenders_touch_run(struct db *db, const struct run *run, long long *ret_number,
                          struct error *err)
{
    AUTO(freep) char *configuration = NULL;
    AUTO(freep) char *stratum = NULL;

    if (!stratum_of(db, run->machine, &stratum, err))
        return false;
    configuration = configuration_of_spec(&run->spec);
    return revision_touch_runs(db, err) &&
           contenders_touch(db,
                            &(struct contender_key){.workload = run->spec.workload,
                                                    .engine = run->spec.engine,
                                                    .configuration = configuration,
                                                    .provider = run->where.provider,
                                                    .instance = run->instance,
                                                    .stratum = stratum},
                            ret_number, err);
}
