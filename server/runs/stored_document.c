#include "server/runs/stored_document.h"

#include "common/cleanup.h"
#include "db/runs/evidence_rows.h"
#include "db/runs/step_rows.h"
#include "engine/document/run_document_write.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_evidence.h"

static bool no_room(struct error *err)
{
    return error_set(err, ERROR_INTERNAL, NULL, "the document is longer than %d bytes",
                     RUN_DOCUMENT_MAX);
}

struct signer {
    const struct signing_key *key;
};

static void document_sign(void *user, const char *text, size_t length,
                          struct signature *ret_signature)
{
    signing_sign(((const struct signer *)user)->key, text, length, ret_signature);
}

/* As sent; verified again, because the row may have been altered since. */
static bool write_kept(const struct document_parts *parts, struct bytes *text, struct error *err)
{
    const struct signed_trace trace = {parts->steps, parts->evidence};
    size_t start = text->used;
    struct error why = {0};

    if (signed_text_write(text, parts->kept, &trace, &why) &&
        signing_verify(&parts->kept->signature, text->data + start, text->used - start, &why) &&
        (document_write_end(text, parts->run, &parts->kept->signature) || no_room(&why)))
        return true;
    text->used = start;
    if (why.kind == ERROR_UNPROVEN || why.kind == ERROR_DAMAGED)
        return error_set(err, ERROR_DAMAGED, NULL,
                         "run %s does not have the signature any more that it came with: what is "
                         "stored of it was altered",
                         parts->run->id.text);
    return error_set(err, why.kind, NULL, "%s", why.message);
}

static bool write_text(const struct document_parts *parts, const struct signing_key *key,
                       struct bytes *text, struct error *err)
{
    struct signer user = {key};
    const struct document_signer signer = {document_sign, &user};
    bool signs = key && parts->run->provenance == PROVENANCE_MEASURED;

    if (parts->kept)
        return write_kept(parts, text, err);
    return document_write(text, parts, signs ? &signer : NULL) || no_room(err);
}

/* For a run without a stored text: built from its rows. */
static bool write_rows(struct db *db, const struct document_parts *parts,
                       const struct signing_key *key, struct bytes *text, struct error *err)
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
    return write_text(&whole, key, text, err);
}

bool run_document_write(struct db *db, const struct document_parts *parts,
                        const struct signing_key *key, struct bytes *text, struct error *err)
{
    return parts->steps ? write_text(parts, key, text, err)
                        : write_rows(db, parts, key, text, err);
}
