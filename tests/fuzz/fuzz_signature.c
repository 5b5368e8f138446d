/* Property: of a document that is read with a signature, what the signature covers is put
 * together from its parts to the byte; written again it says the same; and a text whose signature
 * was not made here never verifies. The same text as the proof of a key proves nothing. */
#include "common/cleanup.h"
#include "engine/document/run_document_read.h"
#include "engine/document/run_document_write.h"
#include "server/keys/signing.h"
#include "tests/fuzz/fuzz.h"

static void the_parts_are_the_whole(const struct document *document)
{
    AUTO(bytes_free)
    struct bytes rest = {.limit = DOCUMENT_MAX}, whole = {.limit = DOCUMENT_MAX};
    AUTO(freep)
    char *steps = strndup(document->steps_text.start, document->steps_text.length);
    AUTO(freep)
    char *evidence = strndup(document->evidence_text.start, document->evidence_text.length);
    const struct signed_parts parts = {document->signed_text, document->steps_text,
                                       document->evidence_text};
    struct signed_text kept;

    ALWAYS(steps && evidence && signed_text_cut(&rest, &parts, &kept));
    kept.text = rest.data;
    ALWAYS(kept.steps_at > 0);
    ALWAYS(signed_text_write(&whole, &kept, &(struct signed_trace){steps, evidence}, NULL));
    ALWAYS(whole.used == document->signed_text.length &&
           memcmp(whole.data, document->signed_text.start, whole.used) == 0);
}

static void it_is_written_as_it_was_read(const struct document *document)
{
    AUTO(bytes_free) struct bytes text = {.limit = DOCUMENT_MAX};
    AUTO(document_clear) struct document again = {0};

    ALWAYS(bytes_add(&text, document->signed_text.start, document->signed_text.length));
    ALWAYS(document_write_end(&text, &document->run, &document->signature));
    ALWAYS(document_read(text.data, text.used, &again, NULL));
    ALWAYS(memcmp(&again.signature, &document->signature, sizeof again.signature) == 0);
    ALWAYS(again.signed_text.length == document->signed_text.length);
    ALWAYS(again.run.voided.at_us == document->run.voided.at_us);
}

FUZZ(data, size)
{
    AUTO(document_clear) struct document document = {0};
    AUTO(freep) char *text = malloc(size + 1);
    char key[SIGNATURE_KEY_SIZE];
    struct error err = {0};

    ALWAYS(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    ALWAYS(!signing_check_proof(text, "a token that the input does not know", key, NULL));
    if (!document_read(text, size, &document, &err) || !document.signature.key[0])
        return;
    ALWAYS(document.signed_text.start == text && document.signed_text.length < size);
    the_parts_are_the_whole(&document);
    it_is_written_as_it_was_read(&document);
    error_clear(&err);
    if (!signing_verify(&document.signature, text, document.signed_text.length, &err))
        ALWAYS(err.kind == ERROR_UNPROVEN && err.field[0]);
}
