/* The upgrade to what is the version of a run today. */
#include "db/schema.h"

#include "tests/db/database.h"

/* Two libraries that an engine named in one text were one version. */
static void what_version_13_put_together_is_told_apart(void)
{
    AUTO(folder_remove) struct folder folder = folder_make();
    struct db *old = db_open_version(folder.file, 13, NULL);
    struct error err = {0};

    EXPECT(db_execute(
        old,
        "INSERT INTO contenders (number, workload, engine, configuration, provider, instance,"
        " stratum, published, changed) VALUES (1, 'mlp', 'my', '{}', '', 'a', '', 0, 1);"
        "INSERT INTO runs (id, state, spec, engine, workload, created_us, samples_per_second, "
        "software,"
        " contender) VALUES ('a', 'finished', '{}', 'my', 'mlp', 5, 9, 'my 1, lib 2', 1),"
        " ('b', 'finished', '{}', 'my', 'mlp', 5, 9, 'my 1, lib 3, 2 threads', 1)",
        &err));
    EXPECT_STR(err.message, "");
    EXPECT_INT(number_of(old, "SELECT count(DISTINCT version) FROM runs"), 1);
    db_free(old);
    AUTO(db_freep) struct db *db = open_database(&folder);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM runs JOIN versions AS v ON v.number = version"
                             " WHERE (id, name) IN (('a', 'my 1, lib 2'), ('b', 'my 1, lib 3'))"),
               2);
    EXPECT_INT(number_of(db, "SELECT count(*) FROM versions"), 2);
}

int main(void)
{
    RUN(what_version_13_put_together_is_told_apart);
    return test_result();
}
