/* Every allocation of reading and writing a run as it travels fails, each in its turn: nothing
 * crashes, nothing leaks, nothing is half read.
 *
 * What jansson parses here has no token over 15 bytes: jansson 2.14 does not notice when it
 * cannot make room for a longer one. */
#include "tests/faults/shortages.h"

#include "common/cleanup.h"
#include "engine/document/run_document.h"
#include "engine/trace/trace.h"

#define STEPS                                                                                    \
    "{\"nanoseconds\":[9,8],\"loss\":[0.1,2],\"input\":[1,1],\"forward\":[1,1],"                 \
    "\"backward\":[1,1],\"update\":[1,1],\"communication\":[0,0]}"
#define EVIDENCE                                                                                 \
    "{\"observations\":[[0,1,2,3,-1,-1,4,5,6,7,8]],\"canaries\":[[0,3100000000,12500000000]]}"

static const char text[] =
    "{\"pennyworth_run\":1,\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"spec\":{\"batch_size\":8,"
    "\"labels\":{\"a\":\"b\"}},\"machine\":{\"fingerprint\":\"972f2cbf2a910fb8\",\"facts\":{"
    "\"isa\":\"amx\"}},\"ended_at\":\"2026-11-21T15:10:18.000Z\",\"software\":\"a\\\"b\","
    "\"engine_details\":{\"isa\":\"avx2\",\"threads\":2},\"loaded\":{\"allocator\":\"system\","
    "\"openmp\":\"gnu\"},\"implementations\":{\"fc\":{\"fwd\":\"jit\"}},\"cost\":{\"a\":1.5},"
    "\"steps\":" STEPS ",\"evidence\":" EVIDENCE "}";

static bool or_out_of_memory(bool ok, struct error *err)
{
    return ok || error_set(err, ERROR_INTERNAL, NULL, "out of memory");
}

static bool read_document(struct error *err)
{
    AUTO(document_clear) struct document document = {0};

    ration_start();
    bool ok = document_read(text, sizeof text - 1, &document, err);
    ration_stop();
    if (!ok) {
        EXPECT(!document.run.spec_text && !document.facts && !document.steps.items);
        return false;
    }
    EXPECT_INT(document.spec.batch_size, 8);
    EXPECT_STR(document.facts, "{\"isa\":\"amx\"}");
    EXPECT_STR(document.run.software, "a\"b");
    EXPECT(strstr(document.run.engine_details, "\"isa\":\"avx2\"") != NULL);
    EXPECT_STR(document.run.loaded, "{\"allocator\":\"system\",\"openmp\":\"gnu\",\"dnn\":null}");
    EXPECT_STR(document.run.implementations, "{\"fc\":{\"fwd\":\"jit\"}}");
    EXPECT_STR(document.run.price, "{\"a\":1.5}");
    EXPECT_INT((long long)document.steps.count, 2);
    EXPECT_INT((long long)document.evidence.reading_count, 1);
    return true;
}

/* With a memo, that may or may not be there for the second. */
static bool read_two_documents(struct error *err)
{
    AUTO(document_memo_clear) struct document_memo memo = {0};
    AUTO(document_clear) struct document first = {0}, second = {0};

    ration_start();
    bool ok = document_read_next(&memo, text, sizeof text - 1, &first, err) &&
              document_read_next(&memo, text, sizeof text - 1, &second, err);
    ration_stop();
    if (ok) {
        EXPECT_INT(second.spec.batch_size, 8);
        EXPECT_STR(second.run.spec_text, first.run.spec_text);
    }
    return ok;
}

static bool write_document(struct error *err)
{
    AUTO(document_clear) struct document document = {0}, again = {0};
    AUTO(bytes_free) struct bytes steps = {.limit = 10000}, evidence = {.limit = 10000};
    AUTO(bytes_free) struct bytes line = {.limit = 10000};

    EXPECT(document_read(text, sizeof text - 1, &document, NULL));
    ration_start();
    bool ok = trace_write_steps(&steps, &document.steps) &&
              trace_write_evidence(&evidence, &document.evidence) &&
              document_write(&line,
                             &(struct document_parts){.run = &document.run,
                                                      .stratum = document.stratum,
                                                      .facts = document.facts,
                                                      .steps = steps.data,
                                                      .evidence = evidence.data},
                             NULL);
    ration_stop();
    if (ok) {
        EXPECT_STR(steps.data, STEPS);
        EXPECT_STR(evidence.data, EVIDENCE);
        EXPECT(document_read(line.data, line.used, &again, NULL));
        EXPECT_STR(again.run.engine_details, document.run.engine_details);
    }
    return or_out_of_memory(ok, err);
}

static void a_document_survives_every_shortage(void)
{
    survive_every_shortage("read document", read_document);
    survive_every_shortage("two documents", read_two_documents);
    survive_every_shortage("write document", write_document);
}

int main(void)
{
    RUN(a_document_survives_every_shortage);
    return test_result();
}
