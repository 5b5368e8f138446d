#include "server/cli/bench_table.h"

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/json_number.h"
#include "common/text.h"
#include "engine/machine/machine_facts.h"
#include "engine/run/pace.h"
#include "engine/stats/load_advice.h"
#include "pricing/feeds/source.h"

#include <math.h>

#define NAME_WIDTH 20
#define RANGE_SIZE 80

/* Four digits and no exponent: 0.01234, 12.34, 1234, 123456. */
static void write_number(double number, char ret_text[JSON_NUMBER_SIZE])
{
    double size = fabs(number);
    int decimals = 0;

    for (double limit = 1000; size > 0 && size < limit && decimals < 9; limit /= 10)
        decimals++;
    snprintf(ret_text, JSON_NUMBER_SIZE, "%.*f", decimals, number);
}

/* "3.190 to 3.239", or "-" */
static void write_range(const struct amount *amount, char ret_text[RANGE_SIZE])
{
    char low[JSON_NUMBER_SIZE], high[JSON_NUMBER_SIZE];

    snprintf(ret_text, RANGE_SIZE, "-");
    if (!amount->has_interval)
        return;
    write_number(amount->low, low);
    write_number(amount->high, high);
    snprintf(ret_text, RANGE_SIZE, "%s to %s", low, high);
}

static struct amount amount_of(double value, const struct range *range)
{
    return (struct amount){
        .value = value, .low = range->low, .high = range->high, .has_interval = range->known};
}

static void write_age(long long us, char ret_text[JSON_NUMBER_SIZE])
{
    long long minutes = us / 60000000;

    if (minutes < 120)
        snprintf(ret_text, JSON_NUMBER_SIZE, "%lld min old", minutes > 0 ? minutes : 0);
    else if (minutes < 48 * 60)
        snprintf(ret_text, JSON_NUMBER_SIZE, "%lld hours old", minutes / 60);
    else
        snprintf(ret_text, JSON_NUMBER_SIZE, "%lld days old", minutes / (24 * 60));
}

static bool add_price(struct bytes *text, const struct bench_report *report)
{
    const struct machine_price *price = &report->price;
    const struct price_at *at = &price->at;
    const struct source *source = source_find(at->price.feed);
    long long said_us = at->said_us ? at->said_us : at->price.fetched_us;
    char number[PRICE_TEXT_SIZE], age[JSON_NUMBER_SIZE];

    if (!price->known)
        return bytes_printf(text, "Price    not known: %s\n", price->why_not);
    price_write_nanos(at->price.nanos, number);
    write_age(report->at_us - said_us, age);
    if (!bytes_printf(text, "Price    %s %s an hour, %s", number, at->price.currency,
                      price_kind_name(at->price.kind)))
        return false;
    if (source ? !bytes_printf(text, ", %s (%s), %s", source->title, at->price.feed, age)
               : !bytes_printf(text, ", given by a person"))
        return false;
    return (!(price->factor < 1) || bytes_printf(text, "; discount: %.4g of it is paid (%s)",
                                                 price->factor, price->discount)) &&
           bytes_printf(text, "\n");
}

static bool add_machine(struct bytes *text, const struct bench_report *report)
{
    const struct identity *identity = &report->identity;
    const char *words[] = {identity->instance_type, identity->provider,
                           identity->zone[0] ? identity->zone : identity->region,
                           identity->life_cycle};
    struct machine_facts facts;
    bool any = false, ok = bytes_printf(text, "Machine  ");

    machine_facts_read(report->facts, &facts);
    for (size_t i = 0; i < COUNT(words); i++) {
        if (!*words[i])
            continue;
        ok = ok && bytes_printf(text, "%s%s", any ? ", " : "", words[i]);
        any = true;
    }
    if (!any)
        ok = ok && bytes_printf(text, "of no known type (%s)", identity->note);
    return ok && bytes_printf(text, "\n         %s, %.0f core%s, %s\n",
                              facts.cpu_model[0] ? facts.cpu_model : "unknown processor",
                              facts.cores, facts.cores == 1 ? "" : "s", facts.isa);
}

/* The most serious findings, in words. */
static bool add_verdict(struct bytes *text, const struct run *run)
{
    AUTO(freep) char *named = load_name_in_findings(run->findings, &run->load);
    AUTO(freep) char *words = findings_words(named, run->validity, FINDINGS_MAX);
    bool says = run->validity != VALIDITY_OK && *words;

    return bytes_printf(text, "%s%s%s", validity_name(run->validity), says ? ": " : "",
                        says ? words : "");
}

/* For a run that ended because more time buys little: its interval, and the one within reach.
 * With a limit of money, the second is unknown. */
static bool add_little(struct bytes *text, const struct run *run)
{
    const struct range *range = &run->summary.throughput;
    double seconds = (double)(run->ended_us - run->started_us) / US_PER_SECOND;
    double half = 50 * (range->high - range->low) / run->summary.samples_per_second;

    if (!run->ended_by || strcmp(run->ended_by, pace_verdict_name(PACE_LITTLE_MORE)) != 0 ||
        !range->known)
        return true;
    if (run->spec.max_dollars > 0)
        return bytes_printf(text, ", within %.1f %%: more time would have bought little", half);
    return bytes_printf(text, ", within %.1f %%: %.1f %% was within reach in the time left", half,
                        pace_within_reach(half, run->summary.measured_seconds,
                                          (double)run->spec.max_seconds - seconds));
}

bool bench_run_words(struct bytes *text, const struct run *run)
{
    struct amount speed = amount_of(run->summary.samples_per_second, &run->summary.throughput);
    char number[JSON_NUMBER_SIZE], range[RANGE_SIZE];

    if (run->state != RUN_FINISHED)
        return bytes_printf(text, "%s%s%s", run_state_name(run->state),
                            run->reason[0] ? ": " : "", run->reason);
    write_number(speed.value, number);
    write_range(&speed, range);
    return bytes_printf(text, "%s samples/s (%s), ", number, range) && add_verdict(text, run) &&
           add_little(text, run);
}

static bool add_delivery(struct bytes *text, const struct delivery *delivery)
{
    static const char *const words[] = {"waiting for the hub", "accepted", "refused: "};

    return bytes_printf(text, " [%s%s]", words[delivery->verdict],
                        delivery->verdict == DELIVERY_REFUSED ? delivery->reason : "");
}

static bool add_run(struct bytes *text, const struct bench_report *report,
                    const struct bench_run *each)
{
    const struct run *run = &each->run;
    struct amount speed = amount_of(run->summary.samples_per_second, &run->summary.throughput);
    char number[JSON_NUMBER_SIZE], range[RANGE_SIZE];

    if (!bytes_printf(text, "%-*s ", NAME_WIDTH, each->name))
        return false;
    if (run->state == RUN_QUEUED)
        return bytes_printf(text, "%10s  %-22s  queued: the next bench goes on with it\n", "-",
                            "-");
    if (run->state != RUN_FINISHED)
        return bytes_printf(text, "%10s  %-22s  %s%s%s\n", "-", "-", run_state_name(run->state),
                            run->reason[0] ? ": " : "", run->reason);
    write_number(speed.value, number);
    write_range(&speed, range);
    return bytes_printf(text, "%10s  %-22s  ", number, range) && add_verdict(text, run) &&
           (!each->repeated || bytes_printf(text, " [repeated]")) &&
           (!report->hub || add_delivery(text, &each->delivery)) && bytes_printf(text, "\n");
}

static bool add_runs(struct bytes *text, const struct bench_report *report)
{
    bool ok = bytes_printf(text, "\n%-*s %10s  %-22s  %s\n", NAME_WIDTH, "Run", "samples/s",
                           "95 %", "verdict");

    for (size_t i = 0; ok && i < report->run_count; i++)
        ok = add_run(text, report, &report->runs[i]);
    return ok;
}

static bool add_cell(struct bytes *text, const struct bench_cell *cell)
{
    struct amount speed = amount_of(cell->standing.value, &cell->standing.interval);
    char number[JSON_NUMBER_SIZE], range[RANGE_SIZE];

    if (cell->refused)
        return bytes_printf(text, "%-*s cannot be run here: %s\n", NAME_WIDTH, cell->name,
                            cell->refused);
    if (cell->standing.level == STANDING_NONE)
        return bytes_printf(text, "%-*s %10s  %-22s  no valid run of %lld\n", NAME_WIDTH,
                            cell->name, "-", "-", cell->planned);
    write_number(speed.value, number);
    write_range(&speed, range);
    if (!bytes_printf(text, "%-*s %10s  %-22s  over %s, %lld of %lld runs count\n", NAME_WIDTH,
                      cell->name, number, range, standing_level_names[cell->standing.level],
                      cell->standing.runs, cell->planned))
        return false;
    if (!cell->has_cost)
        return true;
    write_number(cell->cost.samples_per_dollar.value, number);
    write_range(&cell->cost.samples_per_dollar, range);
    if (!bytes_printf(text, "%-*s %10s  %-22s  samples per dollar\n", NAME_WIDTH, "", number,
                      range))
        return false;
    write_number(cell->cost.dollars_per_million.value, number);
    write_range(&cell->cost.dollars_per_million, range);
    return bytes_printf(text, "%-*s %10s  %-22s  dollars per million samples\n", NAME_WIDTH, "",
                        number, range);
}

static bool add_cells(struct bytes *text, const struct bench_report *report)
{
    bool ok =
        bytes_printf(text, "\n%-*s %10s  %s\n", NAME_WIDTH, "Together", "samples/s", "95 %");

    for (size_t i = 0; ok && i < report->cell_count; i++)
        ok = add_cell(text, &report->cells[i]);
    return ok;
}

static bool add_hub(struct bytes *text, const struct bench_report *report)
{
    const struct hub_uploader_status *hub = report->hub;

    if (!hub)
        return bytes_printf(text, "\nNot reported: no hub is set (--report-to)\n");
    return bytes_printf(
               text, "\nHub      %s: %lld accepted, %lld refused, %lld still waiting%s%s\n",
               hub->hub, report->counts.accepted, report->counts.refused, report->counts.waiting,
               report->counts.waiting > 0 && hub->last_error[0] ? ": " : "",
               report->counts.waiting > 0 ? hub->last_error : "") &&
           (report->counts.waiting == 0 ||
            bytes_printf(text, "         \"pennyworth push\" sends what waits\n"));
}

bool bench_table_write(struct bytes *text, const struct bench_report *report)
{
    char when[RFC3339_SIZE];
    bool ok;

    clock_rfc3339(report->at_us, when);
    ok = bytes_printf(text, "Bench    %s, %s, sweep %s\n", report->set, when,
                      report->sweep.id.text) &&
         add_machine(text, report) && add_price(text, report) && add_runs(text, report) &&
         add_cells(text, report) && add_hub(text, report);
    if (ok && report->why_ended)
        ok = bytes_printf(text, "Ended early: %s\n", report->why_ended);
    return ok;
}
