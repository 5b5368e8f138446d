#include "db/schema.h"

#include "common/cleanup.h"
#include "db/connection.h"
#include "db/db.h"

/* "penn" in ASCII: what `file` and we tell our databases by. */
#define APPLICATION_ID 0x70656e6e
#define APPLICATION_ID_TEXT "1885695598"

/* What engine/spec/configuration.c leaves of a spec, for runs that were stored before it was
 * asked. */
#define CONFIGURATION_OF_SPEC                                                                    \
    "json_remove(spec, '$.workload', '$.engine', '$.warmup_steps', '$.steps', '$.max_seconds',"  \
    " '$.seed', '$.min_seconds', '$.target_percent', '$.max_dollars', '$.labels')"

/* The program that trained a run, its library and the kind of its plan, such as
 * "pennyworth-worker 0.1.0, oneDNN 2.6.3, plan measured"; engine/run/version.h puts such names in
 * order. A plan from the cache was measured. `of` is "" or "NEW.". */
#define VERSION_OF_RUN(of)                                                                       \
    "ifnull(substr(" of "software, 1, instr(" of "software || ',', ',') - 1), '') || CASE WHEN"  \
    " json_valid(" of "engine_details) THEN"                                                     \
    " ifnull(', ' || nullif(" of "engine_details ->> '$.library', ''), '') ||"                   \
    " ifnull(', plan ' || replace(nullif(" of "engine_details ->> '$.plan', ''), 'cached',"      \
    " 'measured'), '') ELSE '' END"
#define SET_VERSION_OF_NEW                                                                       \
    "INSERT INTO versions (name) SELECT " VERSION_OF_RUN(                                        \
        "NEW.") " WHERE NOT EXISTS"                                                              \
                " (SELECT 1 FROM versions WHERE name = " VERSION_OF_RUN(                         \
                    "NEW.") ");"                                                                 \
                            "UPDATE runs SET version = (SELECT v.number FROM versions AS v "     \
                            "WHERE v.name = " VERSION_OF_RUN(                                    \
                                "NEW.") ") WHERE number = NEW.number;"

/* Never edit a migration that was released: append. */
static const char *const migrations[] = {
    /* 1: runs, their labels, their steps */
    "CREATE TABLE runs ("
    " number INTEGER PRIMARY KEY AUTOINCREMENT,"
    " id TEXT NOT NULL UNIQUE,"
    " state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN"
    "  ('queued', 'running', 'finished', 'failed', 'cancelled', 'interrupted')),"
    " spec TEXT NOT NULL,"
    " engine TEXT NOT NULL,"
    " workload TEXT NOT NULL,"
    " instance TEXT,"
    " idempotency_key TEXT UNIQUE,"
    " created_us INTEGER NOT NULL,"
    " started_us INTEGER,"
    " ended_us INTEGER,"
    " software TEXT,"
    " steps INTEGER NOT NULL DEFAULT 0,"
    " ended_by TEXT,"
    " measured_steps INTEGER,"
    " measured_seconds REAL,"
    " samples_per_second REAL,"
    " median_step_seconds REAL,"
    " reason TEXT,"
    " stderr_tail TEXT,"
    " CHECK ((state = 'finished') = (samples_per_second IS NOT NULL))"
    ") STRICT;"
    "CREATE INDEX runs_by_state ON runs (state, number);"
    "CREATE INDEX runs_by_engine ON runs (engine, number);"
    "CREATE INDEX runs_by_workload ON runs (workload, number);"
    "CREATE INDEX runs_by_instance ON runs (instance, number);"
    "CREATE TABLE run_labels ("
    " key TEXT NOT NULL,"
    " value TEXT NOT NULL,"
    " run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,"
    " PRIMARY KEY (key, value, run)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE INDEX run_labels_by_run ON run_labels (run);"
    "CREATE TABLE steps ("
    " run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,"
    " position INTEGER NOT NULL,"
    " nanoseconds INTEGER NOT NULL CHECK (nanoseconds > 0),"
    " loss REAL NOT NULL,"
    " PRIMARY KEY (run, position)"
    ") STRICT, WITHOUT ROWID;",

    /* 2: a run moves forward only, whatever the code above this file believes */
    "CREATE TRIGGER runs_move_forward BEFORE UPDATE OF state ON runs"
    " WHEN NOT ((OLD.state = 'queued' AND NEW.state IN ('running', 'cancelled'))"
    "  OR (OLD.state = 'running' AND NEW.state IN"
    "   ('finished', 'failed', 'cancelled', 'interrupted')))"
    " BEGIN SELECT RAISE(ABORT, 'a run moves forward only'); END;",

    /* 3: what an engine tells beside its numbers. Stored specs get the fields that are new, with
     * their defaults, where today's writer puts them: an idempotency key compares specs as text.
     * A label's quotes are escaped, so what is replaced here is there once. */
    "ALTER TABLE runs ADD COLUMN engine_details TEXT;"
    "ALTER TABLE runs ADD COLUMN samples INTEGER;"
    "ALTER TABLE runs ADD COLUMN peak_memory_bytes INTEGER;"
    "UPDATE runs SET spec = replace(spec, ',\"labels\":{',"
    " ',\"plan\":\"auto\",\"isa\":\"auto\",\"input_workers\":0,\"labels\":{');"
    "ALTER TABLE steps ADD COLUMN input_ns INTEGER;"
    "ALTER TABLE steps ADD COLUMN forward_ns INTEGER;"
    "ALTER TABLE steps ADD COLUMN backward_ns INTEGER;"
    "ALTER TABLE steps ADD COLUMN update_ns INTEGER"
    " CHECK (min(input_ns, forward_ns, backward_ns, update_ns) >= 0"
    "  AND input_ns + forward_ns + backward_ns + update_ns <= nanoseconds);"
    "CREATE TABLE run_implementations ("
    " run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,"
    " implementations TEXT NOT NULL"
    ") STRICT;",

    /* 4: how a number came about: the machine it was measured on, what the machine did meanwhile,
     * how it is summarised and judged; and sets of runs with one answer. Of earlier runs nothing
     * of that was seen; what was measured after a fixed warm-up stays as it was. */
    "CREATE TABLE machines ("
    " number INTEGER PRIMARY KEY,"
    " fingerprint TEXT NOT NULL UNIQUE,"
    " stratum TEXT NOT NULL,"
    " facts TEXT NOT NULL,"
    " seen_us INTEGER NOT NULL"
    ") STRICT;"
    "CREATE TABLE sweeps ("
    " number INTEGER PRIMARY KEY AUTOINCREMENT,"
    " id TEXT NOT NULL UNIQUE,"
    " state TEXT NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'finished', "
    "'cancelled')),"
    " request TEXT NOT NULL,"
    " idempotency_key TEXT UNIQUE,"
    " created_us INTEGER NOT NULL,"
    " ended_us INTEGER,"
    " rounds INTEGER NOT NULL DEFAULT 1"
    ") STRICT;"
    "CREATE TABLE sweep_cells ("
    " sweep INTEGER NOT NULL REFERENCES sweeps (number) ON DELETE CASCADE,"
    " cell INTEGER NOT NULL,"
    " round INTEGER NOT NULL,"
    " name TEXT NOT NULL,"
    " spec TEXT NOT NULL,"
    " refused TEXT,"
    " PRIMARY KEY (sweep, cell)"
    ") STRICT, WITHOUT ROWID;"
    "ALTER TABLE runs ADD COLUMN machine INTEGER REFERENCES machines (number);"
    "ALTER TABLE runs ADD COLUMN setup_ns INTEGER;"
    "ALTER TABLE runs ADD COLUMN first_measured INTEGER;"
    "ALTER TABLE runs ADD COLUMN throughput_low REAL;"
    "ALTER TABLE runs ADD COLUMN throughput_high REAL;"
    "ALTER TABLE runs ADD COLUMN gradient_cosine REAL;"
    "ALTER TABLE runs ADD COLUMN worst_layer_cosine REAL;"
    "ALTER TABLE runs ADD COLUMN loaded TEXT;"
    "ALTER TABLE runs ADD COLUMN summary TEXT;"
    "ALTER TABLE runs ADD COLUMN validity TEXT CHECK (validity IN ('ok', 'warn', 'invalid'));"
    "ALTER TABLE runs ADD COLUMN findings TEXT;"
    "ALTER TABLE runs ADD COLUMN sweep INTEGER REFERENCES sweeps (number);"
    "ALTER TABLE runs ADD COLUMN cell INTEGER;"
    "ALTER TABLE runs ADD COLUMN block INTEGER;"
    "CREATE INDEX runs_by_sweep ON runs (sweep, number) WHERE sweep IS NOT NULL;"
    "CREATE TABLE observations ("
    " run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,"
    " position INTEGER NOT NULL,"
    " steps INTEGER NOT NULL,"
    " taken_ns INTEGER NOT NULL,"
    " cpu_ticks INTEGER NOT NULL,"
    " steal_ticks INTEGER NOT NULL,"
    " throttled_periods INTEGER NOT NULL,"
    " throttled_us INTEGER NOT NULL,"
    " involuntary_switches INTEGER NOT NULL,"
    " waited_ns INTEGER NOT NULL,"
    " own_cpu_ns INTEGER NOT NULL,"
    " major_faults INTEGER NOT NULL,"
    " swap_ins INTEGER NOT NULL,"
    " PRIMARY KEY (run, position)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE canaries ("
    " run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,"
    " position INTEGER NOT NULL,"
    " steps INTEGER NOT NULL,"
    " hertz REAL NOT NULL,"
    " copy_bytes_per_second REAL NOT NULL,"
    " PRIMARY KEY (run, position)"
    ") STRICT, WITHOUT ROWID;"
    "ALTER TABLE steps ADD COLUMN communication_ns INTEGER"
    " CHECK (communication_ns >= 0 AND input_ns + forward_ns + backward_ns + update_ns"
    "  + communication_ns <= nanoseconds);"
    "UPDATE runs SET spec = replace(spec, ',\"labels\":{',"
    " ',\"pinning\":\"cores\",\"numa\":\"auto\",\"huge_pages\":\"auto\",\"openmp\":\"gnu\","
    "\"allocator\":\"system\",\"protocol\":\"detected\",\"min_seconds\":60,\"target_percent\":1."
    "0,"
    "\"max_dollars\":null,\"labels\":{');"
    "UPDATE runs SET first_measured = coalesce(nullif(json_extract(spec, '$.warmup_steps'), "
    "'auto'),"
    " 5) WHERE state = 'finished';",

    /* 5: prices. A series is one price of one feed, and knows what it is today; `prices` is what
     * it ever was, of what was in force: nanos is NULL from when the feed had it no more. A
     * reading is a feed saying all it knows of a scope, or that nothing changed. */
    "CREATE TABLE price_series ("
    " number INTEGER PRIMARY KEY,"
    " feed TEXT NOT NULL,"
    " scope TEXT NOT NULL,"
    " provider TEXT NOT NULL,"
    " region TEXT NOT NULL,"
    " zone TEXT NOT NULL,"
    " instance_type TEXT NOT NULL,"
    " kind TEXT NOT NULL CHECK (kind IN ('on_demand', 'spot', 'typed', 'own')),"
    " currency TEXT NOT NULL,"
    " nanos INTEGER CHECK (nanos > 0),"
    " since_us INTEGER NOT NULL,"
    " held_nanos INTEGER,"
    " UNIQUE (feed, scope, instance_type, region, zone, kind, provider, currency)"
    ") STRICT;"
    "CREATE INDEX price_series_by_type ON price_series (instance_type, region);"
    "CREATE TABLE prices ("
    " series INTEGER NOT NULL REFERENCES price_series (number),"
    " since_us INTEGER NOT NULL,"
    " nanos INTEGER CHECK (nanos > 0),"
    " text TEXT NOT NULL,"
    " reference TEXT NOT NULL,"
    " source_us INTEGER NOT NULL,"
    " fetched_us INTEGER NOT NULL,"
    " PRIMARY KEY (series, since_us)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE readings ("
    " feed TEXT NOT NULL,"
    " scope TEXT NOT NULL,"
    " fetched_us INTEGER NOT NULL,"
    " source_us INTEGER NOT NULL,"
    " prices INTEGER NOT NULL,"
    " PRIMARY KEY (feed, scope, fetched_us)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE feed_states ("
    " feed TEXT NOT NULL,"
    " scope TEXT NOT NULL,"
    " address TEXT NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('ok', 'unchanged', 'failed')),"
    " reason TEXT NOT NULL,"
    " checked_us INTEGER NOT NULL,"
    " confirmed_us INTEGER NOT NULL,"
    " changed_us INTEGER NOT NULL,"
    " source_us INTEGER NOT NULL,"
    " etag TEXT NOT NULL,"
    " last_modified TEXT NOT NULL,"
    " mark TEXT NOT NULL,"
    " status INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL,"
    " prices INTEGER NOT NULL,"
    " failures INTEGER NOT NULL,"
    " tally TEXT NOT NULL,"
    " PRIMARY KEY (feed, scope)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE instance_types ("
    " provider TEXT NOT NULL,"
    " name TEXT NOT NULL,"
    " vcpus REAL NOT NULL,"
    " memory_gib REAL NOT NULL,"
    " architecture TEXT NOT NULL,"
    " accelerator TEXT NOT NULL,"
    " feed TEXT NOT NULL,"
    " PRIMARY KEY (provider, name)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE interruptions ("
    " provider TEXT NOT NULL,"
    " instance_type TEXT NOT NULL,"
    " region TEXT NOT NULL,"
    " band TEXT NOT NULL,"
    " feed TEXT NOT NULL,"
    " PRIMARY KEY (provider, instance_type, region)"
    ") STRICT, WITHOUT ROWID;"
    "CREATE TABLE discounts ("
    " provider TEXT NOT NULL,"
    " family TEXT NOT NULL,"
    " kind TEXT NOT NULL CHECK (kind IN ('on_demand', 'spot')),"
    " since_us INTEGER NOT NULL,"
    " factor REAL CHECK (factor > 0 AND factor <= 1),"
    " note TEXT NOT NULL,"
    " PRIMARY KEY (provider, family, kind, since_us)"
    ") STRICT, WITHOUT ROWID;"
    "ALTER TABLE runs ADD COLUMN price TEXT;",

    /* 6: comparison. A contender is what a comparison has a row for: a workload in a
     * configuration on a type of instance with a processor; a run that counts knows its
     * contender, and the covering index is all that a standing is computed from. The number of
     * `revision` grows with whatever may change a comparison, `prices` is that of the last time
     * when it was more than runs, and `changed` is the revision that touched a contender last.
     * Imported runs keep their trace as the text it came in; `figures` are what others published.
     */
    "CREATE TABLE revision (number INTEGER NOT NULL, prices INTEGER NOT NULL) STRICT;"
    "INSERT INTO revision VALUES (1, 1);"
    "CREATE TABLE contenders ("
    " number INTEGER PRIMARY KEY,"
    " workload TEXT NOT NULL,"
    " engine TEXT NOT NULL,"
    " configuration TEXT NOT NULL,"
    " provider TEXT NOT NULL,"
    " instance TEXT NOT NULL,"
    " stratum TEXT NOT NULL,"
    " published INTEGER NOT NULL CHECK (published IN (0, 1)),"
    " changed INTEGER NOT NULL,"
    " UNIQUE (workload, engine, configuration, provider, instance, stratum, published)"
    ") STRICT;"
    "CREATE INDEX contenders_by_change ON contenders (changed);"
    "ALTER TABLE runs ADD COLUMN contender INTEGER REFERENCES contenders (number);"
    "ALTER TABLE runs ADD COLUMN provenance TEXT NOT NULL DEFAULT 'measured'"
    " CHECK (provenance IN ('measured', 'imported'));"
    "ALTER TABLE runs ADD COLUMN provider TEXT;"
    "ALTER TABLE runs ADD COLUMN region TEXT;"
    "ALTER TABLE runs ADD COLUMN zone TEXT;"
    "ALTER TABLE runs ADD COLUMN vm TEXT;"
    "UPDATE runs SET provider = nullif(json_extract(price, '$.identity.provider'), ''),"
    " region = nullif(json_extract(price, '$.identity.region'), ''),"
    " zone = nullif(json_extract(price, '$.identity.zone'), '') WHERE price IS NOT NULL;"
    "CREATE INDEX runs_by_contender ON runs (contender, number, validity, samples_per_second,"
    " throughput_low, throughput_high, vm, ended_us, provenance) WHERE contender IS NOT NULL;"
    "INSERT OR IGNORE INTO contenders (workload, engine, configuration, provider, instance, "
    "stratum,"
    " published, changed) SELECT workload, engine, " CONFIGURATION_OF_SPEC ","
    " ifnull(provider, ''), ifnull(instance, ''),"
    " ifnull((SELECT stratum FROM machines WHERE machines.number = machine), ''), 0, 1"
    " FROM runs WHERE state = 'finished' ORDER BY number;"
    "UPDATE runs SET contender = (SELECT c.number FROM contenders AS c"
    " WHERE c.workload = runs.workload AND c.engine = runs.engine"
    " AND c.configuration = " CONFIGURATION_OF_SPEC
    " AND c.provider = ifnull(runs.provider, '') AND c.instance = ifnull(runs.instance, '')"
    " AND c.stratum ="
    "  ifnull((SELECT stratum FROM machines WHERE machines.number = machine), ''))"
    " WHERE state = 'finished';"
    "CREATE TABLE traces ("
    " run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,"
    " steps TEXT NOT NULL,"
    " evidence TEXT NOT NULL"
    ") STRICT;"
    "CREATE TABLE figures ("
    " number INTEGER PRIMARY KEY,"
    " id TEXT NOT NULL UNIQUE,"
    " contender INTEGER NOT NULL UNIQUE REFERENCES contenders (number),"
    " samples_per_second REAL NOT NULL CHECK (samples_per_second > 0),"
    " unit TEXT NOT NULL CHECK (unit IN ('sample', 'job')),"
    " derived INTEGER NOT NULL CHECK (derived IN (0, 1)),"
    " source TEXT NOT NULL,"
    " note TEXT NOT NULL,"
    " measured_us INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX price_series_by_region ON price_series (region, instance_type);",

    /* 7: from one machine to another, and for years. A run may be preempted; only the list of
     * words in its CHECK grows, so no row has to be copied. Who sent an imported run, when most
     * of the steps of a run were dropped, and what a hub said of a run that was reported to it.
     */
    "PRAGMA writable_schema = ON;"
    "UPDATE sqlite_schema SET sql = replace(sql, '''interrupted'')', '''interrupted'', "
    "''preempted'')')"
    " WHERE type = 'table' AND name = 'runs';"
    "PRAGMA writable_schema = RESET;"
    "DROP TRIGGER runs_move_forward;"
    "CREATE TRIGGER runs_move_forward BEFORE UPDATE OF state ON runs"
    " WHEN NOT ((OLD.state = 'queued' AND NEW.state IN ('running', 'cancelled'))"
    "  OR (OLD.state = 'running' AND NEW.state IN"
    "   ('finished', 'failed', 'cancelled', 'interrupted', 'preempted')))"
    " BEGIN SELECT RAISE(ABORT, 'a run moves forward only'); END;"
    "ALTER TABLE runs ADD COLUMN sender TEXT;"
    "ALTER TABLE runs ADD COLUMN thinned_us INTEGER;"
    "CREATE INDEX runs_to_thin ON runs (ended_us)"
    " WHERE thinned_us IS NULL AND ended_us IS NOT NULL;"
    "CREATE TABLE deliveries ("
    " hub TEXT NOT NULL,"
    " run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,"
    " verdict TEXT NOT NULL CHECK (verdict IN ('accepted', 'refused')),"
    " reason TEXT NOT NULL,"
    " at_us INTEGER NOT NULL,"
    " PRIMARY KEY (hub, run)"
    ") STRICT, WITHOUT ROWID;",

    /* 8: what a run paid, as columns. The text of its cost stays as it is for those who read it.
     * The sender of an imported run may have written any price, so each member is checked: a
     * value of another type would stop the upgrade. */
    "ALTER TABLE runs ADD COLUMN paid_per_hour REAL;"
    "ALTER TABLE runs ADD COLUMN paid_nanos INTEGER;"
    "ALTER TABLE runs ADD COLUMN paid_currency TEXT;"
    "ALTER TABLE runs ADD COLUMN paid_kind TEXT;"
    "ALTER TABLE runs ADD COLUMN paid_feed TEXT;"
    "ALTER TABLE runs ADD COLUMN paid_fetched_us INTEGER;"
    "UPDATE runs SET (paid_per_hour, paid_nanos, paid_currency, paid_kind, paid_feed,"
    " paid_fetched_us) = (SELECT CASE"
    "  WHEN json_type(discount) IN ('integer', 'real') THEN discount ->> '$'"
    "  WHEN json_type(list) IN ('integer', 'real') THEN list ->> '$' END,"
    " CASE"
    "  WHEN json_type(nanos) = 'integer' AND nanos ->> '$' > 0"
    "   THEN CAST(nanos ->> '$' AS INTEGER)"
    "  WHEN json_type(list) IN ('integer', 'real') AND list ->> '$' > 0 AND list ->> '$' < 9e9"
    "   THEN CAST(round(list ->> '$' * 1e9) AS INTEGER) END,"
    " nullif(currency, ''), nullif(kind, ''), nullif(feed, ''),"
    " CASE WHEN fetched GLOB '[12]*-*-*T*:*:*Z' THEN"
    "  CAST(strftime('%s', fetched) AS INTEGER) * 1000000 +"
    "  CAST(substr(strftime('%f', fetched), 4) AS INTEGER) * 1000 END"
    " FROM (SELECT price -> '$.price.discount.price_per_hour' AS discount,"
    "  price -> '$.price.price_per_hour' AS list, price -> '$.price.nanos_per_hour' AS nanos,"
    "  price ->> '$.price.currency' AS currency, price ->> '$.price.kind' AS kind,"
    "  price ->> '$.price.feed' AS feed, price ->> '$.price.fetched_at' AS fetched))"
    " WHERE json_valid(price);",

    /* 9: what trained a run, by name and version, because runs of different versions are not put
     * together. A trigger writes it, from what the worker said of itself. The covering index has
     * the runs of one version of a contender beside each other; the gate takes a contender's runs
     * in their order, whatever their version. */
    "CREATE TABLE versions (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
    "ALTER TABLE runs ADD COLUMN version INTEGER REFERENCES versions (number);"
    "DROP INDEX runs_by_contender;"
    "INSERT INTO versions (name) SELECT DISTINCT " VERSION_OF_RUN(
        "") " FROM runs WHERE contender IS NOT NULL;"
            "UPDATE runs SET version = (SELECT v.number FROM versions AS v WHERE v.name "
            "= " VERSION_OF_RUN(
                "") ") WHERE contender IS NOT NULL;"
                    "CREATE INDEX runs_by_contender ON runs (contender, version, number, "
                    "validity,"
                    " samples_per_second, throughput_low, throughput_high, vm, ended_us, "
                    "provenance)"
                    " WHERE contender IS NOT NULL;"
                    "CREATE INDEX runs_of_contender ON runs (contender, number) WHERE contender "
                    "IS NOT NULL;"
                    "CREATE TRIGGER runs_version_of_ended AFTER UPDATE OF contender ON runs"
                    " WHEN NEW.contender IS NOT NULL BEGIN " SET_VERSION_OF_NEW " END;"
                    "CREATE TRIGGER runs_version_of_imported AFTER INSERT ON runs"
                    " WHEN NEW.contender IS NOT NULL BEGIN " SET_VERSION_OF_NEW " END;",
};

const int schema_version = (int)COUNT(migrations);

bool schema_check(struct db *db, struct error *err)
{
    long long application, version, tables;

    if (!stmt_number(db, "PRAGMA application_id", &application, err) ||
        !stmt_number(db, "PRAGMA user_version", &version, err) ||
        !stmt_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err))
        return false;
    if (application != APPLICATION_ID && (application != 0 || tables > 0))
        return error_set(err, ERROR_INTERNAL, NULL,
                         "the database file belongs to another program, so it is left alone");
    if (version < 0 || version > schema_version)
        return error_set(err, ERROR_INTERNAL, NULL,
                         "the database has schema version %lld, this pennyworth knows up to %d: "
                         "use a newer one",
                         version, schema_version);
    return true;
}

static bool apply(struct db *db, long long from, int to, struct error *err)
{
    char statement[64];

    for (long long version = from; version < to; version++)
        if (!db_execute(db, migrations[version], err))
            return false;
    snprintf(statement, sizeof statement, "PRAGMA user_version = %d", to);
    return db_execute(db, "PRAGMA application_id = " APPLICATION_ID_TEXT, err) &&
           db_execute(db, statement, err);
}

bool schema_migrate_to(struct db *db, int to, struct error *err)
{
    AUTO(transaction_end) struct transaction change = {0};
    long long version;

    if (!stmt_number(db, "PRAGMA user_version", &version, err))
        return false;
    if (version >= to)
        return true;
    if (!transaction_begin(&change, db, DB_DURABLE, err))
        return false;
    /* Asked again under the lock: two connections may have come here at once. */
    if (!stmt_number(db, "PRAGMA user_version", &version, err))
        return false;
    return apply(db, version, to, err) && transaction_commit(&change, err);
}
