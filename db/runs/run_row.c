#include "db/runs/run_row.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "engine/run/pace.h"

static enum run_state state_from_name(const char *name)
{
    for (int state = 0; state < RUN_STATES; state++)
        if (strcmp(run_state_names[state], name) == 0)
            return (enum run_state)state;
    return RUN_FAILED; /* the CHECK on the column leaves no other */
}

static void copy(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);

    if (length >= size)
        length = size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* A copy, NULL of ""; true but when memory ends. */
static bool copy_owned(const char *from, char **ret_copy)
{
    *ret_copy = *from ? strdup(from) : NULL;
    return *ret_copy || !*from;
}

static enum validity validity_from_name(const char *name)
{
    for (int level = VALIDITY_OK; level <= VALIDITY_INVALID; level++)
        if (strcmp(validity_name((enum validity)level), name) == 0)
            return (enum validity)level;
    return VALIDITY_UNKNOWN;
}

/* What there are columns for: the head of a summary, enough to compare it with another. */
static struct summary summary_from_row(struct stmt *row)
{
    double low = stmt_column_real(row, COLUMN_THROUGHPUT_LOW),
           high = stmt_column_real(row, COLUMN_THROUGHPUT_HIGH);

    return (struct summary){
        .measured_steps = stmt_column_integer(row, COLUMN_MEASURED_STEPS),
        .measured_seconds = stmt_column_real(row, COLUMN_MEASURED_SECONDS),
        .samples_per_second = stmt_column_real(row, COLUMN_SAMPLES_PER_SECOND),
        .median_step_seconds = stmt_column_real(row, COLUMN_MEDIAN_STEP_SECONDS),
        .first_measured = stmt_column_integer(row, COLUMN_FIRST_MEASURED),
        .throughput = {.known = low > 0, .low = low, .high = high}};
}

bool run_from_row(struct stmt *row, struct run *ret_run, struct error *err)
{
    struct run run = {
        .number = stmt_column_integer(row, COLUMN_NUMBER),
        .state = state_from_name(stmt_column_text(row, COLUMN_STATE)),
        .spec_text = strdup(stmt_column_text(row, COLUMN_SPEC)),
        .created_us = stmt_column_integer(row, COLUMN_CREATED_US),
        .started_us = stmt_column_integer(row, COLUMN_STARTED_US),
        .ended_us = stmt_column_integer(row, COLUMN_ENDED_US),
        .steps = stmt_column_integer(row, COLUMN_STEPS),
        .ended_by = pace_verdict_from_name(stmt_column_text(row, COLUMN_ENDED_BY)),
        .summary = summary_from_row(row),
        .samples = stmt_column_integer(row, COLUMN_SAMPLES),
        .peak_memory_bytes = stmt_column_integer(row, COLUMN_PEAK_MEMORY_BYTES),
        .validity = validity_from_name(stmt_column_text(row, COLUMN_VALIDITY)),
        .setup_ns = stmt_column_integer(row, COLUMN_SETUP_NS),
        .certified = {.whole_known = stmt_column_integer(row, COLUMN_GRADIENT_COSINE_KNOWN) != 0,
                      .whole = stmt_column_real(row, COLUMN_GRADIENT_COSINE),
                      .worst_known =
                          stmt_column_integer(row, COLUMN_WORST_LAYER_COSINE_KNOWN) != 0,
                      .worst = stmt_column_real(row, COLUMN_WORST_LAYER_COSINE)},
        .cell = stmt_column_integer(row, COLUMN_CELL),
        .block = stmt_column_integer(row, COLUMN_BLOCK),
        .provenance = strcmp(stmt_column_text(row, COLUMN_PROVENANCE),
                             provenance_names[PROVENANCE_IMPORTED]) == 0
                          ? PROVENANCE_IMPORTED
                          : PROVENANCE_MEASURED,
        .thinned_us = stmt_column_integer(row, COLUMN_THINNED_US),
    };

    if (!run.spec_text ||
        !copy_owned(stmt_column_text(row, COLUMN_STDERR_TAIL), &run.stderr_tail) ||
        !copy_owned(stmt_column_text(row, COLUMN_ENGINE_DETAILS), &run.engine_details) ||
        !copy_owned(stmt_column_text(row, COLUMN_LOADED), &run.loaded) ||
        !copy_owned(stmt_column_text(row, COLUMN_SUMMARY), &run.summary_text) ||
        !copy_owned(stmt_column_text(row, COLUMN_FINDINGS), &run.findings) ||
        !copy_owned(stmt_column_text(row, COLUMN_PRICE), &run.price)) {
        run_clear(&run);
        return error_no_memory(err);
    }
    copy(run.id.text, sizeof run.id.text, stmt_column_text(row, COLUMN_ID));
    copy(run.instance, sizeof run.instance, stmt_column_text(row, COLUMN_INSTANCE));
    copy(run.software, sizeof run.software, stmt_column_text(row, COLUMN_SOFTWARE));
    copy(run.reason, sizeof run.reason, stmt_column_text(row, COLUMN_REASON));
    copy(run.sweep.text, sizeof run.sweep.text, stmt_column_text(row, COLUMN_SWEEP));
    copy(run.machine, sizeof run.machine, stmt_column_text(row, COLUMN_MACHINE));
    copy(run.where.provider, sizeof run.where.provider, stmt_column_text(row, COLUMN_PROVIDER));
    copy(run.where.region, sizeof run.where.region, stmt_column_text(row, COLUMN_REGION));
    copy(run.where.zone, sizeof run.where.zone, stmt_column_text(row, COLUMN_ZONE));
    copy(run.where.vm, sizeof run.where.vm, stmt_column_text(row, COLUMN_VM));
    copy(run.sender, sizeof run.sender, stmt_column_text(row, COLUMN_SENDER));
    *ret_run = run;
    return true;
}

static void bind_count(struct stmt *update, long long number)
{
    if (number > 0)
        stmt_integer(update, number);
    else
        stmt_text(update, NULL);
}

static void bind_known(struct stmt *update, bool known, double number)
{
    if (known)
        stmt_real(update, number);
    else
        stmt_text(update, NULL);
}

static void bind_summary(struct stmt *update, const struct run *run)
{
    const struct summary *summary = &run->summary;

    stmt_text(update, run->ended_by);
    if (run->state == RUN_FINISHED) {
        stmt_integer(update, summary->measured_steps);
        stmt_real(update, summary->measured_seconds);
        stmt_real(update, summary->samples_per_second);
        stmt_real(update, summary->median_step_seconds);
        stmt_integer(update, summary->first_measured);
        bind_known(update, summary->throughput.known, summary->throughput.low);
        bind_known(update, summary->throughput.known, summary->throughput.high);
        return;
    }
    for (int column = 0; column < 7; column++)
        stmt_text(update, NULL);
}

static void bind_paid(struct stmt *update, const struct paid_price *paid)
{
    bind_known(update, paid->per_hour > 0, paid->per_hour);
    bind_count(update, paid->nanos);
    stmt_text(update, text_or_null(paid->currency));
    stmt_text(update, text_or_null(paid->kind));
    stmt_text(update, text_or_null(paid->feed));
    bind_count(update, paid->fetched_us);
}

static void bind_where(struct stmt *update, const struct whereabouts *where)
{
    stmt_text(update, text_or_null(where->provider));
    stmt_text(update, text_or_null(where->region));
    stmt_text(update, text_or_null(where->zone));
    stmt_text(update, text_or_null(where->vm));
}

void run_bind_end(struct stmt *stmt, const struct run *run, long long contender)
{
    stmt_integer(stmt, run->ended_us);
    stmt_text(stmt, text_or_null(run->software));
    bind_summary(stmt, run);
    stmt_text(stmt, text_or_null(run->reason));
    stmt_text(stmt, text_or_null(run->stderr_tail));
    stmt_text(stmt, run->engine_details);
    bind_count(stmt, run->samples);
    bind_count(stmt, run->peak_memory_bytes);
    bind_count(stmt, run->setup_ns);
    bind_known(stmt, run->certified.whole_known, run->certified.whole);
    bind_known(stmt, run->certified.worst_known, run->certified.worst);
    stmt_text(stmt, run->loaded);
    stmt_text(stmt, run->summary_text);
    stmt_text(stmt, run->validity == VALIDITY_UNKNOWN ? NULL : validity_name(run->validity));
    stmt_text(stmt, run->findings);
    stmt_text(stmt, run->price);
    bind_paid(stmt, &run->paid);
    bind_where(stmt, &run->where);
    bind_count(stmt, contender);
}

bool run_insert_labels(struct db *db, long long number, const struct run_spec *spec,
                       struct error *err)
{
    AUTO(stmt_done) struct stmt *insert = NULL;

    if (spec->label_count == 0)
        return true;
    insert = stmt_prepare(db, "INSERT INTO run_labels (key, value, run) VALUES (?, ?, ?)", err);
    for (int i = 0; insert && i < spec->label_count; i++) {
        stmt_text(insert, spec->labels[i].key);
        stmt_text(insert, spec->labels[i].value);
        stmt_integer(insert, number);
        if (!stmt_run(insert, err))
            return false;
    }
    return insert != NULL;
}

bool run_insert_implementations(struct db *db, long long number, const char *implementations,
                                struct error *err)
{
    AUTO(stmt_done) struct stmt *insert = NULL;

    if (!implementations)
        return true;
    insert = stmt_prepare(
        db, "INSERT INTO run_implementations (run, implementations) VALUES (?, ?)", err);
    if (!insert)
        return false;
    stmt_integer(insert, number);
    stmt_text(insert, implementations);
    return stmt_run(insert, err);
}
