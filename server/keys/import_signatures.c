#include "server/keys/import_signatures.h"

#include "common/cleanup.h"
#include "db/runs/token_keys.h"
#include "server/keys/signing.h"

static bool refuse_key(const char *sender, const char *bound, const char *field,
                       struct error *err)
{
    return error_set(err, ERROR_CONFLICT, field,
                     "is another key than %.16s..., which the token was bound to: after a change "
                     "of the key, the hub's operator runs \"pennyworth token rebind %s\"",
                     bound, sender);
}

bool import_signatures_bind(struct db_pool *pool, const char *sender,
                            const struct import_rules *rules, struct error *err)
{
    AUTO(db_loan_end) struct db_loan loan = {0};
    char bound[SIGNATURE_KEY_SIZE];

    if (!sender[0] || rules->many_keys || !rules->proven[0])
        return true;
    loan = db_borrow(pool);
    return token_keys_bind(loan.db, sender, rules->proven, bound, err) &&
           (strcmp(bound, rules->proven) == 0 || refuse_key(sender, bound, PROOF_HEADER, err));
}

bool import_signatures_verify(const struct document *document, const struct import_rules *rules,
                              struct error *err)
{
    const struct signature *signature = &document->signature;

    if (signature->key[0])
        return signing_verify(signature, document->signed_text.start,
                              document->signed_text.length, err);
    return !rules->must_be_signed ||
           error_set(err, ERROR_FORBIDDEN, "signature",
                     "is missing: this server takes signed documents only "
                     "(--require-signatures)");
}

bool import_signatures_allow(struct db *db, const char *sender, const struct import_rules *rules,
                             const struct signature *signature, struct error *err)
{
    char bound[SIGNATURE_KEY_SIZE];
    bool is_of_another;

    if (!sender[0] || rules->many_keys)
        return true;
    if (!token_keys_find(db, sender, bound, err))
        return false;
    if (bound[0] && !signature->key[0])
        return error_set(err, ERROR_FORBIDDEN, "signature",
                         "is missing: the token is bound to the key %.16s...", bound);
    if (bound[0])
        return strcmp(bound, signature->key) == 0 ||
               refuse_key(sender, bound, "signature.key", err);
    if (!signature->key[0])
        return true;
    /* Runs of another sender, copied from an export: this one did not measure them. */
    return token_keys_is_of_another(db, sender, signature->key, &is_of_another, err) &&
           (!is_of_another ||
            error_set(err, ERROR_CONFLICT, "signature.key",
                      "is the key of another token: a hub that passes on the runs of others has "
                      "\"keys=many\" in its line of --tokens"));
}

/* The part of the text that is not stored elsewhere. */
static struct span kept_elsewhere(const struct span *sent, const struct span *stored)
{
    bool same =
        sent->length == stored->length &&
        (sent->start == stored->start || memcmp(sent->start, stored->start, stored->length) == 0);

    return same ? *sent : (struct span){NULL, 0};
}

bool import_signatures_keep(const struct document *document, const struct sent_trace *sent,
                            struct bytes *text, struct signed_text *ret_kept, struct error *err)
{
    const struct signed_parts parts = {
        .whole = document->signed_text,
        .steps = kept_elsewhere(&sent->steps, &document->steps_text),
        .evidence = kept_elsewhere(&sent->evidence, &document->evidence_text)};

    if (!signed_text_cut(text, &parts, ret_kept))
        return bytes_too_long(text, "the signed text", err);
    ret_kept->signature = document->signature;
    ret_kept->text = text->data;
    return true;
}
