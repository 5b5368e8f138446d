/* Property: any measurement gives a conclusion whose numbers are finite and whose texts are JSON,
 * the same each time, or is refused with a reason; a price in it is accepted, or refused with
 * its field. */
#include "common/cleanup.h"
#include "engine/document/run_document_read.h"
#include "server/imports/import_cost.h"
#include "server/runs/conclusion.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

static void is_whole(const struct conclusion *conclusion)
{
    const struct summary *summary = &conclusion->summary;
    AUTO(json_decrefp) json_t *text = json_loads(conclusion->summary_text, 0, NULL);
    AUTO(json_decrefp) json_t *findings = json_loads(conclusion->findings, 0, NULL);

    ALWAYS(json_is_object(text) && json_is_array(findings));
    ALWAYS(isfinite(summary->samples_per_second) && summary->samples_per_second > 0);
    ALWAYS(summary->measured_seconds > 0 && summary->measured_steps > 0);
    ALWAYS(!summary->throughput.known ||
           (summary->throughput.low > 0 && summary->throughput.high >= summary->throughput.low));
    ALWAYS(conclusion->validity != VALIDITY_UNKNOWN);
}

FUZZ(data, size)
{
    AUTO(conclusion_clear) struct conclusion conclusion = {0}, again = {0};
    AUTO(document_clear) struct document document = {0};
    struct conclusion_inputs conclusion_inputs;
    struct paid_price paid;
    struct error err = {0};

    if (!document_read((const char *)data, size, &document, &err))
        return;
    conclusion_inputs =
        (struct conclusion_inputs){.run = &document.run,
                                   .steps = &document.steps,
                                   .evidence = &document.evidence,
                                   .implementations = document.run.implementations,
                                   .machine_facts = document.facts};
    if (!conclusion_compute(&conclusion_inputs, &conclusion, &err)) {
        ALWAYS(err.kind != ERROR_INTERNAL && err.message[0]);
        return;
    }
    is_whole(&conclusion);
    ALWAYS(conclusion_compute(&conclusion_inputs, &again, &err));
    ALWAYS(strcmp(conclusion.summary_text, again.summary_text) == 0);
    ALWAYS(strcmp(conclusion.findings, again.findings) == 0);
    if (!import_cost_check(document.run.price, &conclusion.summary, &paid, &err))
        ALWAYS(err.kind == ERROR_INVALID && strncmp(err.field, "cost", 4) == 0);
    ALWAYS(isfinite(paid.per_hour) && paid.per_hour >= 0 && paid.nanos >= 0);
}
