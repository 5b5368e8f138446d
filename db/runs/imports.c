#include "db/runs/imports.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/memory.h"
#include "db/checksum.h"
#include "db/contenders/contenders.h"
#include "db/contenders/versions.h"
#include "db/runs/evidence_rows.h"
#include "db/runs/quarantine.h"
#include "db/runs/run_row.h"
#include "db/runs/signatures.h"
#include "db/runs/step_rows.h"
#include "db/runs/thinning.h"
#include "db/runs/traces.h"
#include "db/runs/voids.h"
#include "engine/machine/machine.h"
#include "engine/spec/configuration.h"
#include "engine/spec/run_spec_text.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_evidence.h"

#include <assert.h>

/* Whether two traces are equal, however their numbers are spelled. */
static bool steps_equal(const struct steps *left, const struct steps *right)
{
    if (left->count != right->count)
        return false;
    for (size_t i = 0; i < left->count; i++) {
        const struct step *a = &left->items[i], *b = &right->items[i];

        if (a->nanoseconds != b->nanoseconds || !(a->loss == b->loss) ||
            memcmp(&a->split, &b->split, sizeof a->split) != 0)
            return false;
    }
    return true;
}

static bool evidence_equal(const struct evidence *left, const struct evidence *right)
{
    if (left->observation_count != right->observation_count ||
        left->reading_count != right->reading_count)
        return false;
    for (size_t i = 0; i < left->observation_count; i++)
        if (memcmp(&left->observations[i], &right->observations[i],
                   sizeof left->observations[i]) != 0)
            return false;
    for (size_t i = 0; i < left->reading_count; i++) {
        const struct canary_reading *a = &left->readings[i], *b = &right->readings[i];

        if (a->steps != b->steps || !(a->canary.hertz == b->canary.hertz) ||
            !(a->canary.copy_bytes_per_second == b->canary.copy_bytes_per_second))
            return false;
    }
    return true;
}

/* Steps and evidence as text; freed by the caller, also after a failure. */
static bool read_trace(const struct imported *imported, struct steps *ret_steps,
                       struct evidence *ret_evidence, struct error *err)
{
    return trace_read_steps(imported->steps.start, imported->steps.length, ret_steps, err) &&
           trace_read_evidence(imported->evidence.start, imported->evidence.length, ret_evidence,
                               err);
}

static bool has_trace(struct db *db, long long number, const struct imported *imported,
                      bool *ret_same, struct error *err)
{
    AUTO(steps_free) struct steps ours = {0}, theirs = {0};
    AUTO(evidence_free) struct evidence our_evidence = {0}, their_evidence = {0};

    if (!traces_equal(db, number, &imported->steps, &imported->evidence, ret_same, err))
        return false;
    if (*ret_same)
        return true;
    if (!read_trace(imported, &theirs, &their_evidence, err) ||
        !step_rows_load(db, number, 0, RUN_STEPS_MAX + 1, &ours, err) ||
        !evidence_rows_load(db, number, &our_evidence, err))
        return false;
    *ret_same = steps_equal(&ours, &theirs) && evidence_equal(&our_evidence, &their_evidence);
    return true;
}

/* If the run was thinned here, compare only the steps that are left. */
static bool has_rest(struct db *db, long long number, const struct imported *imported,
                     bool *ret_same, struct error *err)
{
    AUTO(steps_free) struct steps ours = {0}, theirs = {0};
    AUTO(evidence_free) struct evidence ignored = {0};
    long long positions[THINNING_KEPT];

    if (!read_trace(imported, &theirs, &ignored, err) ||
        !step_rows_load_placed(db, number, &(struct step_range){0, THINNING_KEPT}, &ours,
                               positions, err))
        return false;
    *ret_same = true;
    for (size_t i = 0; i < ours.count && *ret_same; i++) {
        struct steps left = {.items = &ours.items[i], .count = 1}, right = {.count = 1};

        *ret_same = positions[i] < (long long)theirs.count;
        right.items = *ret_same ? &theirs.items[positions[i]] : NULL;
        *ret_same = *ret_same && steps_equal(&left, &right);
    }
    return true;
}

/* Looks for a run with this id: either it is the same one, or the id is taken. */
static bool is_known(struct db *db, const struct imported *imported, const char *spec,
                     bool *ret_known, struct error *err)
{
    const struct run *run = imported->run;
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(db,
                                      "SELECT number, state, spec = ?, thinned_us IS NOT NULL"
                                      " FROM runs WHERE id = ?",
                                      err);
    enum stmt_step step;
    bool same;

    stmt_text(query, spec);
    stmt_text(query, run->id.text);
    step = stmt_step(query, err);
    *ret_known = step == STMT_ROW;
    if (step != STMT_ROW)
        return step == STMT_DONE;
    if (strcmp(stmt_column_text(query, 1), run_state_name(RUN_FINISHED)) != 0)
        return error_set(err, ERROR_CONFLICT, "id", "the run of this id is %s here",
                         stmt_column_text(query, 1));
    if (!stmt_column_integer(query, 2))
        return error_set(err, ERROR_CONFLICT, "id", "the run of this id has another spec");
    if (!(stmt_column_integer(query, 3) ? has_rest : has_trace)(db, stmt_column_integer(query, 0),
                                                                imported, &same, err))
        return false;
    return same || error_set(err, ERROR_CONFLICT, "id", "the run of this id has another trace");
}

/* Whatever order its members were written in. */
static bool compare_facts(const char *left, const char *right, bool *ret_equal, struct error *err)
{
    AUTO(json_decrefp) json_t *a = NULL;
    AUTO(json_decrefp) json_t *b = NULL;

    *ret_equal = strcmp(left, right) == 0;
    if (*ret_equal)
        return true;
    a = json_loads(left, 0, NULL);
    b = json_loads(right, 0, NULL);
    if (!a || !b) /* both were read before, as objects */
        return error_set(err, ERROR_INTERNAL, NULL, "the facts of a machine are not JSON");
    *ret_equal = json_equal(a, b);
    return true;
}

/* Adds a machine to the memo; does nothing if it is not stored yet. */
static bool recall_machine(struct imports *imports, const char *fingerprint,
                           struct machine_row **ret_machine, struct error *err)
{
    struct machine_row *place = &imports->machines[imports->machine_count % IMPORT_MEMO];
    struct machine_row found = {0};
    struct error why = {0};

    *ret_machine = NULL;
    for (size_t i = 0; i < IMPORT_MEMO; i++)
        if (imports->machines[i].fingerprint &&
            strcmp(imports->machines[i].fingerprint, fingerprint) == 0) {
            *ret_machine = &imports->machines[i];
            return true;
        }
    if (!machines_find(imports->db, fingerprint, &found, &why))
        return why.kind == ERROR_NOT_FOUND || error_set(err, why.kind, NULL, "%s", why.message);
    machine_row_clear(place);
    *place = found;
    imports->machine_count++;
    *ret_machine = place;
    return true;
}

/* Finds the machine by its fingerprint, or by its second name if the fingerprint has other facts:
 * one of the two was forged, and it is unknown which. One name must always mean the same facts,
 * or the verdict on the run would not follow from the stored data. *ret_known is NULL if the
 * machine has to be stored under the name. */
static bool name_machine(struct imports *imports, const struct imported *imported,
                         char ret_name[MACHINE_HASH_SIZE], const struct machine_row **ret_known,
                         struct error *err)
{
    struct machine_row *known;
    bool equal = true;

    memcpy(ret_name, imported->run->machine, MACHINE_HASH_SIZE);
    if (!recall_machine(imports, ret_name, &known, err) ||
        (known && !compare_facts(known->facts, imported->facts, &equal, err)))
        return false;
    if (!equal) {
        machine_second_name(imported->facts, ret_name);
        equal = true;
        if (!recall_machine(imports, ret_name, &known, err) ||
            (known && !compare_facts(known->facts, imported->facts, &equal, err)))
            return false;
    }
    *ret_known = known;
    return !known || (equal && strcmp(known->stratum, imported->stratum) == 0) ||
           error_set(err, ERROR_CONFLICT, "machine", "the machine of these facts has %s here",
                     equal ? "another stratum" : "another name");
}

/* The number of the run's machine, 0 if unknown. */
static bool put_machine(struct imports *imports, const struct imported *imported,
                        long long *ret_number, struct error *err)
{
    char name[MACHINE_HASH_SIZE];
    const struct machine_row *known;
    AUTO(freep) char *stratum = NULL;
    AUTO(freep) char *facts = NULL;

    *ret_number = 0;
    if (!imported->run->machine[0])
        return true;
    if (!name_machine(imports, imported, name, &known, err))
        return false;
    if (known) {
        *ret_number = known->number;
        return true;
    }
    stratum = xstrdup(imported->stratum);
    facts = xstrdup(imported->facts);
    return machines_put(imports->db,
                        &(struct machine_row){.fingerprint = name,
                                              .stratum = stratum,
                                              .facts = facts,
                                              .seen_us = imported->run->ended_us},
                        ret_number, err);
}

static struct import_contender *
recall_contender(struct imports *imports, const struct imported *imported, const char *stratum)
{
    for (size_t i = 0; i < IMPORT_MEMO && i < imports->contender_count; i++) {
        struct import_contender *kept = &imports->contenders[i];

        if (strcmp(kept->provider, imported->run->where.provider) == 0 &&
            strcmp(kept->instance, imported->run->instance) == 0 &&
            strcmp(kept->stratum, stratum) == 0 &&
            configuration_equal(&kept->spec, &imported->run->spec))
            return kept;
    }
    return NULL;
}

static bool put_contender(struct imports *imports, const struct imported *imported,
                          long long *ret_number, struct error *err)
{
    const struct run *run = imported->run;
    const char *stratum = imported->stratum && run->machine[0] ? imported->stratum : "";
    struct import_contender *kept = recall_contender(imports, imported, stratum);
    AUTO(freep) char *configuration = NULL;

    if (kept) {
        *ret_number = kept->number;
        return true;
    }
    configuration = configuration_of_spec(&run->spec);
    if (!imports->touched && !revision_touch_runs(imports->db, err))
        return false;
    imports->touched = true;
    if (!contenders_touch(imports->db,
                          &(struct contender_key){.workload = run->spec.workload,
                                                  .engine = run->spec.engine,
                                                  .configuration = configuration,
                                                  .provider = run->where.provider,
                                                  .instance = run->instance,
                                                  .stratum = stratum},
                          ret_number, err))
        return false;
    kept = &imports->contenders[imports->contender_count++ % IMPORT_MEMO];
    *kept = (struct import_contender){.spec = run->spec, .number = *ret_number};
    memcpy(kept->provider, run->where.provider, sizeof kept->provider);
    memcpy(kept->instance, run->instance, sizeof kept->instance);
    snprintf(kept->stratum, sizeof kept->stratum, "%s", stratum);
    return true;
}

static bool put_version(struct imports *imports, const struct run *run, long long *ret_number,
                        struct error *err)
{
    char name[RUN_VERSION_SIZE];

    if (!run_version_name(run, name, err))
        return false;
    if (imports->version_number == 0 || strcmp(name, imports->version) != 0) {
        if (!versions_put(imports->db, name, &imports->version_number, err))
            return false;
        memcpy(imports->version, name, sizeof name);
    }
    *ret_number = imports->version_number;
    return true;
}

static bool insert_imported_run(struct db *db, const struct run_row *row, long long *ret_number,
                                struct error *err)
{
    AUTO(stmt_done)
    struct stmt *insert = stmt_prepare(db,
                                       "INSERT INTO runs (" RUN_IMPORTED_COLUMNS
                                       ") VALUES (" RUN_IMPORTED_HOLES ") RETURNING number",
                                       err);

    run_row_bind(insert, row, RUN_WRITE_IMPORTED);
    return stmt_take_number(insert, ret_number, err);
}

static bool put_trace(struct db *db, long long number, const struct imported *imported,
                      struct error *err)
{
    AUTO(steps_free) struct steps steps = {0};
    AUTO(evidence_free) struct evidence evidence = {0};

    if (imported->run->steps <= IMPORT_TRACE_STEPS)
        return traces_put(db, number, &imported->steps, &imported->evidence, err);
    return read_trace(imported, &steps, &evidence, err) &&
           step_rows_put(db, number, 0, steps.items, steps.count, err) &&
           evidence_rows_put(db, number, 0, 0, &evidence, err);
}

bool imports_begin(struct imports *imports, struct db *db, struct error *err)
{
    imports->db = db;
    return transaction_begin(&imports->change, db, DB_DURABLE, err);
}

bool imports_put(struct imports *imports, const struct imported *imported,
                 enum import_fate *ret_fate, struct error *err)
{
    struct db *db = imports->db;
    AUTO(freep) char *spec = run_spec_to_text(&imported->run->spec);
    struct run_row row = {.run = imported->run, .spec = spec};
    long long number;
    bool known, held = false;

    assert(imported->run->state == RUN_FINISHED);
    assert(imported->run->provenance == PROVENANCE_IMPORTED);

    if (!is_known(db, imported, spec, &known, err))
        return false;
    if (!known && !(put_machine(imports, imported, &row.machine, err) &&
                    put_contender(imports, imported, &row.contender, err) &&
                    put_version(imports, imported->run, &row.version, err) &&
                    insert_imported_run(db, &row, &number, err) &&
                    run_insert_labels(db, number, &imported->run->spec, err) &&
                    run_insert_implementations(db, number, imported->run->implementations, err) &&
                    put_trace(db, number, imported, err) && checksum_put(db, number, err) &&
                    (!imported->kept || signatures_put(db, number, imported->kept, err)) &&
                    (imported->run->voided.at_us == 0
                         ? quarantine_look(db, number, clock_calendar_us(), &held, err)
                         : voids_add(db, number, &imported->run->voided, err))))
        return false;
    *ret_fate = known ? IMPORT_KNOWN : held ? IMPORT_HELD : IMPORT_STORED;
    return true;
}

bool imports_commit(struct imports *imports, struct error *err)
{
    return transaction_commit(&imports->change, err);
}

void imports_end(struct imports *imports)
{
    transaction_end(&imports->change);
    for (size_t i = 0; i < IMPORT_MEMO; i++)
        machine_row_clear(&imports->machines[i]);
    imports->db = NULL;
    imports->touched = false;
    imports->machine_count = imports->contender_count = 0;
    imports->version_number = 0;
}
