#include "server/runs/stored_document.h"

#include "common/cleanup.h"
#include "db/runs/evidence_rows.h"
#include "db/runs/step_rows.h"
#include "engine/trace/trace.h"

static bool no_room(struct error *err)
{
    return error_set(err, ERROR_INTERNAL, NULL, "out of memory, or the run is too long");
}

/* For a run without a stored text: built from its rows. */
static bool write_rows(struct db *db, const struct document_parts *parts, struct bytes *text,
                       struct error *err)
{
    AUTO(bytes_free) struct bytes steps_text = {.limit = RUN_DOCUMENT_MAX};
    AUTO(bytes_free) struct bytes evidence_text = {.limit = RUN_DOCUMENT_MAX};
    AUTO(evidence_free) struct evidence evidence = {0};
    AUTO(steps_free) struct steps steps = {0};
    struct document_parts whole = *parts;

    if (!step_rows_load(db, parts->run->number, 0, parts->run->steps, &steps, err) ||
        !evidence_rows_load(db, parts->run->number, &evidence, err))
        return false;
    if (!trace_write_steps(&steps_text, &steps) ||
        !trace_write_evidence(&evidence_text, &evidence))
        return no_room(err);
    whole.steps = steps_text.data;
    whole.evidence = evidence_text.data;
    return document_write(text, &whole) || no_room(err);
}

bool run_document_write(struct db *db, const struct document_parts *parts, struct bytes *text,
                        struct error *err)
{
    if (!parts->steps)
        return write_rows(db, parts, text, err);
    return document_write(text, parts) || no_room(err);
}
