/* Property: a document that reads is written as one that reads back the same, in one line, and
 * what was kept of it as text is JSON to jansson as well; what does not read names the field or
 * says what is wrong, and leaves the caller's alone. */
#include "common/cleanup.h"
#include "engine/document/run_document_read.h"
#include "engine/document/run_document_write.h"
#include "engine/trace/trace.h"
#include "engine/trace/trace_evidence.h"
#include "tests/fuzz/fuzz.h"

static void is_json(const char *text)
{
    AUTO(json_decrefp)
    json_t *json = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;

    ALWAYS(!text || json_is_object(json));
}

static void write_document(const struct document *document, struct bytes *text)
{
    AUTO(bytes_free) struct bytes steps = {.limit = DOCUMENT_MAX};
    AUTO(bytes_free) struct bytes evidence = {.limit = DOCUMENT_MAX};
    struct document_parts parts = {&document->run,
                                   document->stratum[0] ? document->stratum : NULL,
                                   document->facts,
                                   NULL,
                                   NULL,
                                   NULL};

    ALWAYS(trace_write_steps(&steps, &document->steps));
    ALWAYS(trace_write_evidence(&evidence, &document->evidence));
    parts.steps = steps.data;
    parts.evidence = evidence.data;
    ALWAYS(document_write(text, &parts, NULL));
}

static void the_spans_are_the_trace(const struct document *document)
{
    AUTO(steps_free) struct steps steps = {0};
    AUTO(evidence_free) struct evidence evidence = {0};

    ALWAYS(
        trace_read_steps(document->steps_text.start, document->steps_text.length, &steps, NULL));
    ALWAYS(steps.count == document->steps.count && document->run.steps == (long long)steps.count);
    ALWAYS(trace_read_evidence(document->evidence_text.start, document->evidence_text.length,
                               &evidence, NULL));
    ALWAYS(evidence.reading_count == document->evidence.reading_count);
}

FUZZ(data, size)
{
    AUTO(bytes_free)
    struct bytes first = {.limit = DOCUMENT_MAX}, second = {.limit = DOCUMENT_MAX};
    AUTO(document_clear) struct document document = {0}, again = {0};
    struct error err = {0};

    if (!document_read((const char *)data, size, &document, &err)) {
        ALWAYS(err.kind == ERROR_INVALID && err.message[0]);
        ALWAYS(!document.run.spec.engine[0] && !document.steps.items && !document.facts);
        return;
    }
    ALWAYS(run_id_is_valid(document.run.id.text) && document.steps.count > 0);
    ALWAYS(document.run.ended_us > 0 && document.run.started_us <= document.run.ended_us);
    ALWAYS(document.claimed >= 0 && document.claimed <= 1e15);
    is_json(document.run.price);
    is_json(document.run.engine_details);
    is_json(document.run.loaded);
    is_json(document.run.implementations);
    is_json(document.facts);
    the_spans_are_the_trace(&document);

    write_document(&document, &first);
    ALWAYS(strchr(first.data, '\n') == first.data + first.used - 1);
    ALWAYS(document_read(first.data, first.used, &again, &err));
    /* Read with a memo, and from it, it is the same. */
    AUTO(document_memo_clear) struct document_memo memo = {0};
    for (int i = 0; i < 2; i++) {
        document_clear(&again);
        ALWAYS(document_read_next(&memo, first.data, first.used, &again, NULL));
    }
    write_document(&again, &second);
    ALWAYS(strcmp(first.data, second.data) == 0);
}
