/* Tested by tests/db/schema_test.c. */
#include "db/schema_steps.h"

/* The version of a run, from step 9 to step 13: the program without what follows its first comma,
 * its library and the kind of its plan. `of` is "" or "NEW.". */
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

#define BEFORE_THREADS /* "worker 1, 16 threads": "worker 1, " */                                \
    "rtrim(substr(software, 1, length(software) - 8), '0123456789')"
#define SET_VERSION                                                                              \
    "INSERT INTO versions (name) SELECT n.name FROM version_names AS n WHERE n.run = NEW.number" \
    " AND NOT EXISTS (SELECT 1 FROM versions AS v WHERE v.name = n.name);"                       \
    "UPDATE runs SET version = (SELECT v.number FROM version_names AS n"                         \
    " JOIN versions AS v ON v.name = n.name WHERE n.run = NEW.number) WHERE number = "           \
    "NEW.number;"

const char *const schema_later[SCHEMA_LATER] = {
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

    /* 10: what a person took back. While a run is voided, its void has the contender, so that the
     * run counts nowhere. A price and a discount hold until they are withdrawn; the largest
     * number is never. Another one may be typed for the moment of a withdrawn one. */
    "CREATE TABLE voids (run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,"
    " at_us INTEGER NOT NULL, who TEXT NOT NULL, reason TEXT NOT NULL,"
    " contender INTEGER REFERENCES contenders (number), lifted_us INTEGER, lifted_by TEXT,"
    " lifted_reason TEXT, PRIMARY KEY (run, at_us)) STRICT, WITHOUT ROWID;"
    "CREATE UNIQUE INDEX voids_in_force ON voids (run) WHERE lifted_us IS NULL;"
    "CREATE TABLE old_prices AS SELECT * FROM prices; DROP TABLE prices;"
    "CREATE TABLE prices (series INTEGER NOT NULL REFERENCES price_series (number),"
    " since_us INTEGER NOT NULL, nanos INTEGER CHECK (nanos > 0), text TEXT NOT NULL,"
    " reference TEXT NOT NULL, source_us INTEGER NOT NULL, fetched_us INTEGER NOT NULL,"
    " withdrawn_us INTEGER NOT NULL DEFAULT 9223372036854775807, withdrawn_by TEXT,"
    " withdrawn_reason TEXT, PRIMARY KEY (series, since_us, withdrawn_us)) STRICT, WITHOUT ROWID;"
    "INSERT INTO prices (series, since_us, nanos, text, reference, source_us, fetched_us)"
    " SELECT series, since_us, nanos, text, reference, source_us, fetched_us FROM old_prices"
    " ORDER BY series, since_us; DROP TABLE old_prices;"
    "CREATE TABLE old_discounts AS SELECT * FROM discounts; DROP TABLE discounts;"
    "CREATE TABLE discounts (number INTEGER PRIMARY KEY, provider TEXT NOT NULL,"
    " family TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN ('on_demand', 'spot')),"
    " since_us INTEGER NOT NULL, factor REAL CHECK (factor > 0 AND factor <= 1),"
    " note TEXT NOT NULL, withdrawn_us INTEGER NOT NULL DEFAULT 9223372036854775807,"
    " withdrawn_by TEXT, withdrawn_reason TEXT,"
    " UNIQUE (provider, family, kind, since_us, withdrawn_us)) STRICT;"
    "INSERT INTO discounts (provider, family, kind, since_us, factor, note) SELECT provider,"
    " family, kind, since_us, factor, note FROM old_discounts ORDER BY since_us;"
    "DROP TABLE old_discounts;",
    /* 11: what became of machines that somebody wanted. A machine that has a name counts once for
     * each kind of event. */
    "CREATE TABLE capacity_events ("
    " number INTEGER PRIMARY KEY,"
    " kind TEXT NOT NULL CHECK (kind IN ('launched', 'launch_failed', 'preempted')),"
    " price_kind TEXT NOT NULL CHECK (price_kind IN ('on_demand', 'spot')),"
    " provider TEXT NOT NULL,"
    " instance_type TEXT NOT NULL,"
    " zone TEXT NOT NULL,"
    " machine TEXT NOT NULL,"
    " note TEXT NOT NULL,"
    " at_us INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX capacity_events_by_time ON capacity_events (at_us);"
    "CREATE UNIQUE INDEX capacity_events_of_machine ON capacity_events (provider, machine, kind)"
    " WHERE machine <> '';",
    /* 12: lists of runs by what they are and when they were created. */
    "CREATE INDEX runs_by_creation ON runs (created_us);"
    "CREATE INDEX runs_by_validity ON runs (validity, number) WHERE validity IS NOT NULL;"
    "CREATE INDEX runs_by_provenance ON runs (provenance, number);"
    "ALTER TABLE runs ADD COLUMN precision TEXT;"
    "UPDATE runs SET precision = CASE WHEN json_valid(spec) THEN spec ->> '$.precision' END;"
    "CREATE INDEX runs_by_precision ON runs (precision, number);",
    /* 13: readings that are held back. held_nanos is what the latest reading said of a price and
     * was not believed, 0 where it had none, and held_us since when; doubt_us and doubt_prices
     * are of a reading that was held back as a whole. What made a scope unchanged is forgotten
     * where a price was held back: "unchanged" would confirm the price before it. */
    "ALTER TABLE price_series ADD COLUMN held_us INTEGER;"
    "UPDATE price_series SET held_us = ifnull((SELECT checked_us FROM feed_states AS f"
    " WHERE f.feed = price_series.feed AND f.scope = price_series.scope), since_us)"
    " WHERE held_nanos IS NOT NULL;"
    "ALTER TABLE feed_states ADD COLUMN held INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE feed_states ADD COLUMN doubt_us INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE feed_states ADD COLUMN doubt_prices INTEGER NOT NULL DEFAULT 0;"
    "UPDATE feed_states SET held = (SELECT count(*) FROM price_series AS s"
    " WHERE s.feed = feed_states.feed AND s.scope = feed_states.scope"
    " AND s.held_nanos IS NOT NULL);"
    "UPDATE feed_states SET etag = '', last_modified = '', mark = '' WHERE held > 0;",

    /* 14: the version of a run is all that its engine says of itself but the number of threads,
     * the library where that text does not name it, and the kind of plan, such as
     * "pennyworth-worker 0.1.0, oneDNN 2.6.3, plan measured"; engine/run/version.h puts such
     * names in order. What stands behind the first comma did not count before. A plan from the
     * cache was measured. */
    "CREATE VIEW version_names AS SELECT number AS run,"
    " CASE WHEN software GLOB '*[0-9] threads' AND " BEFORE_THREADS
    " GLOB '*, ' THEN rtrim(" BEFORE_THREADS ", ', ') ELSE ifnull(software, '') END ||"
    " CASE WHEN json_valid(engine_details) THEN"
    "  CASE WHEN instr(ifnull(software, ''), engine_details ->> '$.library') = 0"
    "   THEN ', ' || (engine_details ->> '$.library') ELSE '' END ||"
    "  ifnull(', plan ' || replace(nullif(engine_details ->> '$.plan', ''), 'cached',"
    "   'measured'), '') ELSE '' END AS name FROM runs;"
    "DROP TRIGGER runs_version_of_ended; DROP TRIGGER runs_version_of_imported;"
    "INSERT OR IGNORE INTO versions (name) SELECT n.name FROM version_names AS n"
    " JOIN runs AS r ON r.number = n.run WHERE r.version IS NOT NULL;"
    "UPDATE runs SET version = (SELECT v.number FROM version_names AS n"
    " JOIN versions AS v ON v.name = n.name WHERE n.run = runs.number) WHERE version IS NOT NULL;"
    "DELETE FROM versions WHERE number NOT IN"
    " (SELECT version FROM runs WHERE version IS NOT NULL);"
    "CREATE TRIGGER runs_version_of_ended AFTER UPDATE OF contender ON runs"
    " WHEN NEW.contender IS NOT NULL BEGIN " SET_VERSION " END;"
    "CREATE TRIGGER runs_version_of_imported AFTER INSERT ON runs"
    " WHEN NEW.contender IS NOT NULL BEGIN " SET_VERSION " END;",
    /* 15: what a sender has sent, for lists and to take it back. */
    "CREATE INDEX runs_by_sender ON runs (sender, number) WHERE sender IS NOT NULL;",
    /* 16: prices of commitments. */
    schema_commitments,
    /* 17: whose runs count like our own. */
    "CREATE TABLE trusted_senders (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;",
    /* 18: the runs of a version of a contender by who sent them, so that many runs of one sender
     * do not hide those of others. */
    "DROP INDEX runs_by_contender;"
    "CREATE INDEX runs_by_contender ON runs (contender, version, sender, number, validity,"
    " samples_per_second, throughput_low, throughput_high, vm, ended_us, provenance)"
    " WHERE contender IS NOT NULL;",
    /* 19: more kinds of commitments. */
    schema_more_commitments,
    /* 20: who signed a run that came from elsewhere, with the text that was signed (without its
     * trace, of which *_at says where it stood), and the key that each token is bound to. */
    "CREATE TABLE signatures (run INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,"
    " key TEXT NOT NULL, value TEXT NOT NULL, document TEXT NOT NULL, steps_at INTEGER NOT NULL,"
    " evidence_at INTEGER NOT NULL) STRICT;"
    "CREATE TABLE token_keys (name TEXT PRIMARY KEY, key TEXT NOT NULL,"
    " bound_us INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX token_keys_by_key ON token_keys (key);",
    /* 21: who used the processors when a run began. Names of processes stay on this machine: a
     * document has the shares alone. */
    "ALTER TABLE runs ADD COLUMN load_before TEXT;",
    /* 22: a checksum of each run that has ended (db/checksum.h); the upgrade computes it. */
    "ALTER TABLE runs ADD COLUMN checksum TEXT;"
    /* Whose token reported an event, whether this machine saw it itself, and what hubs said of
     * those that it saw. */
    "ALTER TABLE capacity_events ADD COLUMN sender TEXT;"
    "ALTER TABLE capacity_events ADD COLUMN own INTEGER NOT NULL DEFAULT 0 CHECK (own IN (0, 1));"
    "CREATE TABLE capacity_deliveries (hub TEXT NOT NULL,"
    " event INTEGER NOT NULL REFERENCES capacity_events (number) ON DELETE CASCADE,"
    " verdict TEXT NOT NULL CHECK (verdict IN ('accepted', 'refused')), reason TEXT NOT NULL,"
    " at_us INTEGER NOT NULL, PRIMARY KEY (hub, event)) STRICT, WITHOUT ROWID;",
};
