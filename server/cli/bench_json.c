/* The part of bench_table.h for programs. */
#include "common/cleanup.h"
#include "server/cli/bench_table.h"
#include "server/prices/price_json.h"

static const char *const delivery_words[] = {"waiting", "accepted", "refused"};

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
}

static void present_range(struct out *out, double value, const struct range *range)
{
    const struct amount amount = {
        .value = value, .low = range->low, .high = range->high, .has_interval = range->known};

    present_interval(out, "samples_per_second", &amount);
}

static void present_cell(struct out *out, const struct bench_cell *cell)
{
    bool any = cell->standing.level != STANDING_NONE;

    out_open(out, NULL, '{');
    out_text(out, "name", cell->name);
    out_text(out, "refused", cell->refused);
    out_integer(out, "runs", cell->planned);
    out_integer(out, "finished", cell->finished);
    out_integer(out, "counted", cell->standing.runs);
    out_text(out, "over", standing_level_names[cell->standing.level]);
    if (any)
        present_range(out, cell->standing.value, &cell->standing.interval);
    else
        out_null(out, "samples_per_second");
    present_interval(out, "samples_per_dollar",
                     cell->has_cost ? &cell->cost.samples_per_dollar : NULL);
    present_interval(out, "dollars_per_million_samples",
                     cell->has_cost ? &cell->cost.dollars_per_million : NULL);
    out_close(out, '}');
}

static void present_bench_run(struct out *out, const struct bench_report *report,
                              const struct bench_run *each)
{
    const struct run *run = &each->run;
    bool finished = run->state == RUN_FINISHED;

    out_open(out, NULL, '{');
    out_text(out, "id", run->id.text);
    out_text(out, "configuration", each->name);
    out_text(out, "state", run_state_name(run->state));
    out_text(out, "reason", text_or_null(run->reason));
    if (finished)
        present_range(out, run->summary.samples_per_second, &run->summary.throughput);
    else
        out_null(out, "samples_per_second");
    out_text(out, "validity", finished ? validity_name(run->validity) : NULL);
    out_raw(out, "findings", run->findings);
    out_text(out, "ended_by", run->ended_by);
    out_bool(out, "repeated", each->repeated);
    out_text(out, "hub", report->hub && finished ? delivery_words[each->delivery.verdict] : NULL);
    out_text(out, "hub_reason", text_or_null(each->delivery.reason));
    out_close(out, '}');
}

static void present_hub(struct out *out, const struct bench_report *report)
{
    if (!report->hub) {
        out_null(out, "hub");
        return;
    }
    out_open(out, "hub", '{');
    out_text(out, "url", report->hub->hub);
    out_integer(out, "accepted", report->counts.accepted);
    out_integer(out, "refused", report->counts.refused);
    out_integer(out, "waiting", report->counts.waiting);
    out_text(out, "last_error",
             report->counts.waiting > 0 ? text_or_null(report->hub->last_error) : NULL);
    out_close(out, '}');
}

bool bench_json_write(struct bytes *text, const struct bench_report *report)
{
    struct out out = {.bytes = text};

    out_open(&out, NULL, '{');
    out_text(&out, "bench", report->set);
    out_text(&out, "sweep", report->sweep.id.text);
    out_time(&out, "at", report->at_us);
    out_integer(&out, "exit_status", bench_report_status(report));
    out_text(&out, "ended_early", report->why_ended);
    out_open(&out, "machine", '{');
    present_identity(&out, "identity", &report->identity);
    out_raw(&out, "facts", report->facts);
    out_close(&out, '}');
    present_machine_price(&out, &report->price, report->at_us);
    out_open(&out, "configurations", '[');
    for (size_t i = 0; i < report->cell_count; i++)
        present_cell(&out, &report->cells[i]);
    out_close(&out, ']');
    out_open(&out, "runs", '[');
    for (size_t i = 0; i < report->run_count; i++)
        present_bench_run(&out, report, &report->runs[i]);
    out_close(&out, ']');
    present_hub(&out, report);
    out_close(&out, '}');
    return !out.failed && bytes_printf(text, "\n");
}
