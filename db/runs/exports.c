#include "db/runs/exports.h"

#include "common/cleanup.h"
#include "common/memory.h"
#include "common/text.h"
#include "db/runs/run_row.h"
#include "db/runs/signatures.h"
#include "engine/document/run_document_write.h"

/* Columns after the run's own. */
enum { IMPLEMENTATIONS = RUN_COLUMN_COUNT, STRATUM, FACTS, STEPS, EVIDENCE, SIGNATURE };

#define EXPORT_COLUMNS                                                                           \
    RUN_COLUMNS                                                                                  \
    ", (SELECT implementations FROM run_implementations WHERE run = runs.number),"               \
    " (SELECT stratum FROM machines WHERE machines.number = machine),"                           \
    " (SELECT facts FROM machines WHERE machines.number = machine),"                             \
    " (SELECT traces.steps FROM traces WHERE run = runs.number),"                                \
    " (SELECT traces.evidence FROM traces WHERE run = runs.number), " SIGNATURE_COLUMNS

/* One row. *ret_more is false to stop. */
static bool export_pass_row(struct stmt *row, const struct export_reader *reader,
                            long long *ret_last, bool *ret_more, struct error *err)
{
    AUTO(run_clear) struct run run = {0};
    struct signed_text kept;
    const char *implementations = text_or_null(stmt_column_text(row, IMPLEMENTATIONS));
    bool is_signed;

    if (!run_from_row(row, &run, err))
        return false;
    run.implementations = implementations ? xstrdup(implementations) : NULL;
    is_signed = signatures_from_row(row, SIGNATURE, &kept);
    *ret_last = run.number;
    *ret_more = reader->tell(
        reader->user,
        &(struct document_parts){.run = &run,
                                 .stratum = text_or_null(stmt_column_text(row, STRATUM)),
                                 .facts = text_or_null(stmt_column_text(row, FACTS)),
                                 .steps = text_or_null(stmt_column_text(row, STEPS)),
                                 .evidence = text_or_null(stmt_column_text(row, EVIDENCE)),
                                 .kept = is_signed ? &kept : NULL});
    return true;
}

static bool export_pass_all(struct stmt *query, const struct export_reader *reader,
                            long long *ret_last, struct error *err)
{
    enum stmt_step step = STMT_DONE;
    bool more = true;

    while (more && (step = stmt_step(query, err)) == STMT_ROW)
        if (!export_pass_row(query, reader, ret_last, &more, err))
            return false;
    return step != STMT_FAILED;
}

bool exports_each(struct db *db, const struct run_filter *filter,
                  const struct export_reader *reader, long long *ret_last, struct error *err)
{
    AUTO(run_filter_done) struct stmt query = {0};
    struct run_filter finished = *filter;

    finished.whole = true; /* its reader computes the number again, from all steps */
    finished.state = run_state_name(RUN_FINISHED);
    *ret_last = 0;
    return run_filter_prepare(db,
                              &(struct run_query){.select = "SELECT " EXPORT_COLUMNS " FROM runs",
                                                  .order = "number",
                                                  .filter = &finished,
                                                  .limit = filter->limit},
                              &query, err) &&
           export_pass_all(&query, reader, ret_last, err);
}
