#include "db/standings/histories.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/runs/run_row.h"
#include "engine/machine/machine_facts.h"

#define COLUMNS                                                                                  \
    "contender, validity, id, ended_us, samples_per_second, throughput_low, throughput_high,"    \
    " " RUN_DOLLARS ","                                                                          \
    " (SELECT v.name FROM versions AS v WHERE v.number = runs.version),"                         \
    " machine, (SELECT m.facts FROM machines AS m WHERE m.number = runs.machine)"
enum {
    CONTENDER,
    VALIDITY,
    ID,
    ENDED,
    SPEED,
    LOW,
    HIGH,
    DOLLARS,
    VERSION,
    MACHINE,
    FACTS,
};

/* The machine of the last row: runs that follow each other are mostly of one. */
struct last_machine {
    long long number;
    struct machine_facts facts;
};

static void line_clear(struct history_line *line)
{
    freep(&line->engine);
    freep(&line->instance);
    freep(&line->configuration);
    freep(&line->entries);
    freep(&line->runs);
}

void histories_clear(struct histories *histories)
{
    for (size_t i = 0; i < histories->count; i++)
        line_clear(&histories->lines[i]);
    freep(&histories->lines);
    *histories = (struct histories){0};
}

static const struct machine_facts *machine_from_row(struct stmt *row, struct last_machine *last)
{
    long long number = stmt_column_integer(row, MACHINE);

    if (number != last->number)
        machine_facts_read(stmt_column_text(row, FACTS), &last->facts);
    last->number = number;
    return &last->facts;
}

static void entry_from_row(struct stmt *row, const struct machine_facts *facts,
                           struct history_entry *entry)
{
    *entry = (struct history_entry){.run = {.at_us = stmt_column_integer(row, ENDED),
                                            .speed = stmt_column_real(row, SPEED),
                                            .low = stmt_column_real(row, LOW),
                                            .high = stmt_column_real(row, HIGH),
                                            .dollars = stmt_column_real(row, DOLLARS)}};
    TEXT_COPY(entry->id, stmt_column_text(row, ID));
    TEXT_COPY(entry->version, stmt_column_text(row, VERSION));
    TEXT_COPY(entry->kernel, facts->kernel);
    TEXT_COPY(entry->microcode, facts->microcode);
}

static struct history_line *line_of(struct histories *histories, long long contender)
{
    for (size_t i = 0; i < histories->count; i++)
        if (histories->lines[i].contender == contender)
            return &histories->lines[i];
    histories->lines =
        xgrow(histories->lines, histories->count, &histories->room, sizeof *histories->lines);
    histories->lines[histories->count] = (struct history_line){.contender = contender};
    return &histories->lines[histories->count++];
}

static void add_entry(struct histories *histories, struct stmt *row, struct last_machine *last)
{
    struct history_line *line = line_of(histories, stmt_column_integer(row, CONTENDER));

    if (line->count == HISTORY_LINE_MAX) {
        histories->more = true;
        return;
    }
    line->entries = xgrow(line->entries, line->count, &line->room, sizeof *line->entries);
    entry_from_row(row, machine_from_row(row, last), &line->entries[line->count++]);
}

static bool run_counts(struct stmt *row)
{
    const char *validity = stmt_column_text(row, VALIDITY);

    return stmt_column_integer(row, CONTENDER) > 0 &&
           (strcmp(validity, validity_name(VALIDITY_OK)) == 0 ||
            strcmp(validity, validity_name(VALIDITY_WARN)) == 0);
}

static bool histories_collect(struct stmt *query, struct histories *histories, struct error *err)
{
    struct last_machine last = {0};
    enum stmt_step step;

    while ((step = stmt_step(query, err)) == STMT_ROW) {
        if (histories->runs == HISTORY_RUNS_MAX) {
            histories->more = true;
            return true;
        }
        histories->runs++;
        if (run_counts(query))
            add_entry(histories, query, &last);
    }
    return step == STMT_DONE;
}

static bool name_line(struct db *db, struct history_line *line, struct error *err)
{
    AUTO(stmt_done)
    struct stmt *query = stmt_prepare(
        db, "SELECT engine, instance, configuration FROM contenders WHERE number = ?", err);

    enum stmt_step step;

    stmt_integer(query, line->contender);
    step = stmt_step(query, err);
    if (step == STMT_FAILED)
        return false;
    line->engine = xstrdup(step == STMT_ROW ? stmt_column_text(query, 0) : "");
    line->instance = xstrdup(step == STMT_ROW ? stmt_column_text(query, 1) : "");
    line->configuration = xstrdup(step == STMT_ROW ? stmt_column_text(query, 2) : "{}");
    return true;
}

/* The id orders runs that ended at the same time, so that the order is deterministic. */
static int by_time(const void *left, const void *right)
{
    const struct history_entry *l = left, *r = right;

    if (l->run.at_us != r->run.at_us)
        return l->run.at_us < r->run.at_us ? -1 : 1;
    return strcmp(l->id, r->id);
}

/* From here on the entries do not move. */
static void put_in_order(struct history_line *line)
{
    line->runs = xcalloc(line->count + 1, sizeof *line->runs);
    qsort(line->entries, line->count, sizeof *line->entries, by_time);
    for (size_t i = 0; i < line->count; i++) {
        struct history_entry *entry = &line->entries[i];

        entry->run.version = text_or_null(entry->version);
        entry->run.kernel = text_or_null(entry->kernel);
        entry->run.microcode = text_or_null(entry->microcode);
        line->runs[i] = entry->run;
    }
}

static bool read_runs(struct db *db, const struct run_filter *filter, struct histories *histories,
                      struct error *err)
{
    AUTO(run_filter_done) struct stmt query = {0};
    struct run_filter finished = *filter;

    finished.state = run_state_name(RUN_FINISHED);
    return run_filter_prepare(db,
                              &(struct run_query){.select = "SELECT " COLUMNS " FROM runs",
                                                  .order = "number DESC",
                                                  .filter = &finished,
                                                  .limit = HISTORY_RUNS_MAX + 1},
                              &query, err) &&
           histories_collect(&query, histories, err);
}

bool histories_load(struct db *db, const struct run_filter *filter,
                    struct histories *ret_histories, struct error *err)
{
    AUTO(histories_clear) struct histories histories = {0};

    if (!read_runs(db, filter, &histories, err))
        return false;
    for (size_t i = 0; i < histories.count; i++) {
        if (!name_line(db, &histories.lines[i], err))
            return false;
        put_in_order(&histories.lines[i]);
    }
    *ret_histories = histories;
    histories = (struct histories){0};
    return true;
}
