#include "engine/document/run_document_read.h"
#include "engine/document/run_document_write.h"
#include "engine/document/signature.h"

#include "engine/trace/trace.h"
#include "tests/engine/document/documents.h"

#define DIGITS "0123456789abcdef"
#define KEY DIGITS DIGITS DIGITS DIGITS
#define VALUE KEY KEY
#define MEMBER "{\"key\":\"" KEY "\",\"algorithm\":\"ed25519\",\"value\":\"" VALUE "\"}"
#define LEAST HEAD ",\"ended_at\":\"2026-11-21T15:10:18Z\",\"steps\":" LEAST_STEPS
#define LEAST_STEPS "{\"nanoseconds\":[5],\"loss\":[1]}"
#define VOID ",\"void\":{\"at\":\"2026-11-22T00:00:00.000Z\",\"by\":null,\"reason\":\"odd\"}"

TEST(a_signature_covers_all_bytes_before_it)
{
    static const char text[] = LEAST SIGNATURE_NAME MEMBER VOID " }";
    AUTO(document_clear) struct document document = {0};

    EXPECT(document_read(text, sizeof text - 1, &document, NULL));
    EXPECT_STR(document.signature.key, KEY);
    EXPECT_STR(document.signature.value, VALUE);
    EXPECT(document.signed_text.start == text);
    EXPECT_INT((long long)document.signed_text.length, (long long)strlen(LEAST));
    EXPECT_STR(document.run.voided.reason, "odd");
}

TEST(a_document_may_have_none)
{
    static const char *const texts[] = {LEAST "}", LEAST ",\"signature\":null}",
                                        LEAST " , \"signature\" : null , \"zone\":null}"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        AUTO(document_clear) struct document document = {0};

        EXPECT(read_text(texts[i], &document, NULL));
        EXPECT_STR(document.signature.key, "");
    }
}

#define MISPLACED                                                                                \
    "must follow another member, without blanks: ,\"signature\":{; a document that was written " \
    "anew has none"
#define SIGNED(key, algorithm, value)                                                            \
    LEAST SIGNATURE_NAME "{\"key\":" key ",\"algorithm\":" algorithm ",\"value\":" value "}}"

static const struct {
    const char *text, *field, *message;
} refusals[] = {
    {LEAST ", \"signature\":" MEMBER "}", "signature", MISPLACED},
    {LEAST ",\"signature\": " MEMBER "}", "signature", MISPLACED},
    {"{\"signature\":" MEMBER ",\"pennyworth_run\":1}", "signature", MISPLACED},
    {LEAST SIGNATURE_NAME MEMBER ",\"zone\":\"a\"}", "zone", "must stand before the signature"},
    {LEAST SIGNATURE_NAME MEMBER ",\"zone\":null}", "zone", "must stand before the signature"},
    {LEAST VOID SIGNATURE_NAME MEMBER "}", "void", "must stand behind the signature"},
    {LEAST SIGNATURE_NAME MEMBER SIGNATURE_NAME MEMBER "}", "signature", "is there twice"},
    {LEAST SIGNATURE_NAME "[]}", "signature", "must be an object"},
    {LEAST SIGNATURE_NAME "{}}", "signature.key", "is missing"},
    {LEAST SIGNATURE_NAME "{\"key\":\"" KEY "\",\"value\":\"" VALUE "\"}}", "signature.algorithm",
     "is missing"},
    {SIGNED("\"" KEY "\"", "\"rsa\"", "\"" VALUE "\""), "signature.algorithm",
     "must be \"ed25519\""},
    {SIGNED("\"" KEY "\"", "\"ed25519\"", "null"), "signature.value", "is missing"},
    {SIGNED("\"" KEY "0\"", "\"ed25519\"", "\"" VALUE "\""), "signature.key",
     "must be 64 digits of 0-9 and a-f"},
    {SIGNED("\"" DIGITS DIGITS DIGITS "0123456789ABCDEF\"", "\"ed25519\"", "\"" VALUE "\""),
     "signature.key", "must be 64 digits of 0-9 and a-f"},
    {SIGNED("\"" KEY "\"", "\"ed25519\"", "\"" KEY "\""), "signature.value",
     "must be 128 digits of 0-9 and a-f"},
    {SIGNED("5", "\"ed25519\"", "\"" VALUE "\""), "signature.key",
     "must be 64 digits of 0-9 and a-f"},
};

TEST(a_refused_signature_names_the_field_and_the_reason)
{
    for (size_t i = 0; i < COUNT(refusals); i++) {
        AUTO(document_clear) struct document document = {0};

        EXPECT_WRONG(read_text(refusals[i].text, &document, &err), refusals[i].field,
                     refusals[i].message);
    }
}

/* Remembers what it was to sign. */
static void sign(void *user, const char *text, size_t length, struct signature *ret_signature)
{
    *ret_signature = (struct signature){.key = KEY, .value = VALUE};
    EXPECT(bytes_add(user, text, length));
}

TEST(a_writer_signs_all_but_the_void)
{
    AUTO(bytes_free) struct bytes heard = {.limit = 10000}, text = {.limit = 20000};
    AUTO(document_clear) struct document document = {0}, again = {0};
    const struct document_signer signer = {sign, &heard};
    struct document_parts parts = {
        .run = &document.run, .steps = LEAST_STEPS, .evidence = EVIDENCE};
    static const char before[] = "a line before it\n";

    EXPECT(read_text(LEAST VOID "}", &document, NULL));
    EXPECT(bytes_add(&text, before, sizeof before - 1));
    EXPECT(document_write(&text, &parts, &signer));
    EXPECT(strncmp(text.data + sizeof before - 1, heard.data, heard.used) == 0);
    EXPECT(strstr(heard.data, "\"void\"") == NULL);
    EXPECT_STR(text.data + sizeof before - 1 + heard.used, SIGNATURE_NAME MEMBER VOID "}\n");
    EXPECT(read_text(text.data + sizeof before - 1, &again, NULL));
    EXPECT_STR(again.signature.key, KEY);
}

/* A document, the places of whose trace are cut out and put back. */
static void expect_put_together(const char *text, bool cuts_steps, bool cuts_evidence)
{
    AUTO(document_clear) struct document document = {0};
    AUTO(bytes_free) struct bytes rest = {.limit = 10000}, whole = {.limit = 10000};
    AUTO(freep) char *steps = NULL, *evidence = NULL;
    struct signed_text kept;

    EXPECT(document_read(text, strlen(text), &document, NULL));
    const struct signed_parts parts = {
        .whole = document.signed_text,
        .steps = cuts_steps ? document.steps_text : (struct span){NULL, 0},
        .evidence = cuts_evidence ? document.evidence_text : (struct span){NULL, 0}};
    steps = strndup(document.steps_text.start, document.steps_text.length);
    evidence = strndup(document.evidence_text.start, document.evidence_text.length);
    EXPECT(signed_text_cut(&rest, &parts, &kept));
    kept.text = rest.data;
    EXPECT((strstr(rest.data, steps) == NULL) == cuts_steps);
    EXPECT(bytes_add(&whole, "before", 6));
    EXPECT(signed_text_write(&whole, &kept, &(struct signed_trace){steps, evidence}, NULL));
    EXPECT_INT((long long)whole.used - 6, (long long)document.signed_text.length);
    EXPECT(strncmp(whole.data + 6, text, document.signed_text.length) == 0);
}

TEST(a_text_without_its_trace_is_put_together_again)
{
#define WITH(first, second) HEAD ",\"ended_at\":\"2026-11-21T15:10:18Z\"" first second "}"
    static const char steps_first[] = WITH(",\"steps\":" STEPS ",\"evidence\":" EVIDENCE,
                                           ",\"zone\":\"z\"" SIGNATURE_NAME MEMBER);
    static const char evidence_first[] =
        WITH(",\"evidence\":" EVIDENCE ",\"steps\":" STEPS, SIGNATURE_NAME MEMBER);
    static const char no_evidence[] = WITH(",\"steps\":" STEPS, SIGNATURE_NAME MEMBER);

    for (int cut = 0; cut < 4; cut++) {
        expect_put_together(steps_first, cut & 1, cut & 2);
        expect_put_together(evidence_first, cut & 1, cut & 2);
        expect_put_together(no_evidence, cut & 1, cut & 2);
    }
}

TEST(what_does_not_fit_together_is_damaged)
{
    static const struct {
        struct signed_text kept;
        struct signed_trace trace;
    } wrong[] = {
        {{.text = "0123", .steps_at = 5, .evidence_at = -1}, {"s", "e"}},
        {{.text = "0123", .steps_at = 2, .evidence_at = -1}, {NULL, "e"}},
        {{.text = "0123", .steps_at = -1, .evidence_at = 2}, {"s", NULL}},
        {{.text = "0123", .steps_at = 1, .evidence_at = 2}, {"steps", "e"}},
        {{.text = "0123", .steps_at = 1, .evidence_at = 1LL << 62}, {"s", "e"}},
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        AUTO(bytes_free) struct bytes text = {.limit = 1000};

        EXPECT_ERROR(signed_text_write(&text, &wrong[i].kept, &wrong[i].trace, &err),
                     ERROR_DAMAGED);
    }
}
