/* Tested by tests/server/cli/bench_table_test.c. */
#include "server/cli/bench_json.h"

#include "common/cleanup.h"
#include "common/text.h"
#include "engine/stats/load_advice.h"
#include "server/prices/price_json.h"

static const char *const delivery_words[] = {"waiting", "accepted", "refused"};

static void present_range(struct json_writer *out, double value, const struct range *range)
{
    const struct amount amount = {
        .value = value, .low = range->low, .high = range->high, .has_interval = range->known};

    present_interval(out, "samples_per_second", &amount);
}

static void present_cell(struct json_writer *out, const struct bench_cell *cell)
{
    bool any = cell->standing.level != STANDING_NONE;

    jsonw_open(out, NULL, '{');
    jsonw_text(out, "name", cell->name);
    jsonw_text(out, "refused", cell->refused);
    jsonw_integer(out, "runs", cell->planned);
    jsonw_integer(out, "finished", cell->finished);
    jsonw_integer(out, "counted", cell->standing.runs);
    jsonw_text(out, "over", standing_level_names[cell->standing.level]);
    if (any)
        present_range(out, cell->standing.value, &cell->standing.interval);
    else
        jsonw_null(out, "samples_per_second");
    present_interval(out, "samples_per_dollar",
                     cell->has_cost ? &cell->cost.samples_per_dollar : NULL);
    present_interval(out, "dollars_per_million_samples",
                     cell->has_cost ? &cell->cost.dollars_per_million : NULL);
    jsonw_close(out, '}');
}

static void present_bench_run(struct json_writer *out, const struct bench_report *report,
                              const struct bench_run *each)
{
    const struct run *run = &each->run;
    AUTO(freep) char *findings = load_name_in_findings(run->findings, &run->load);
    bool finished = run->state == RUN_FINISHED;

    jsonw_open(out, NULL, '{');
    jsonw_text(out, "id", run->id.text);
    jsonw_text(out, "configuration", each->name);
    jsonw_text(out, "state", run_state_name(run->state));
    jsonw_text(out, "reason", text_or_null(run->reason));
    if (finished)
        present_range(out, run->summary.samples_per_second, &run->summary.throughput);
    else
        jsonw_null(out, "samples_per_second");
    jsonw_text(out, "validity", finished ? validity_name(run->validity) : NULL);
    jsonw_raw(out, "findings", findings);
    jsonw_text(out, "ended_by", run->ended_by);
    jsonw_bool(out, "repeated", each->repeated);
    jsonw_text(out, "hub",
               report->hub && finished ? delivery_words[each->delivery.verdict] : NULL);
    jsonw_text(out, "hub_reason", text_or_null(each->delivery.reason));
    jsonw_close(out, '}');
}

static void present_hub(struct json_writer *out, const struct bench_report *report)
{
    if (!report->hub) {
        jsonw_null(out, "hub");
        return;
    }
    jsonw_open(out, "hub", '{');
    jsonw_text(out, "url", report->hub->hub);
    jsonw_integer(out, "accepted", report->counts.accepted);
    jsonw_integer(out, "refused", report->counts.refused);
    jsonw_integer(out, "waiting", report->counts.waiting);
    jsonw_text(out, "last_error",
               report->counts.waiting > 0 ? text_or_null(report->hub->last_error) : NULL);
    jsonw_close(out, '}');
}

bool bench_json_write(struct bytes *text, const struct bench_report *report)
{
    struct json_writer out = {.bytes = text};

    jsonw_open(&out, NULL, '{');
    jsonw_text(&out, "bench", report->set);
    jsonw_text(&out, "sweep", report->sweep.id.text);
    jsonw_time(&out, "at", report->at_us);
    jsonw_integer(&out, "exit_status", bench_report_status(report));
    jsonw_text(&out, "ended_early", report->why_ended);
    jsonw_open(&out, "machine", '{');
    present_identity(&out, "identity", &report->identity);
    jsonw_raw(&out, "facts", report->facts);
    jsonw_close(&out, '}');
    members_write_rows(&out, &machine_price_members,
                       &(struct priced_machine){&report->price, report->at_us});
    bench_load_present(&out, &report->load);
    jsonw_open(&out, "configurations", '[');
    for (size_t i = 0; i < report->cell_count; i++)
        present_cell(&out, &report->cells[i]);
    jsonw_close(&out, ']');
    jsonw_open(&out, "runs", '[');
    for (size_t i = 0; i < report->run_count; i++)
        present_bench_run(&out, report, &report->runs[i]);
    jsonw_close(&out, ']');
    present_hub(&out, report);
    jsonw_close(&out, '}');
    return !out.failed && bytes_printf(text, "\n");
}
