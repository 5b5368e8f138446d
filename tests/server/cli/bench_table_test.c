#include "server/cli/bench_table.h"

#include "server/cli/bench_json.h"
#include "tests/test.h"

#include <ctype.h>

#define NOON_US 1767268800000000LL /* 2026-01-01T12:00:00Z */

static char findings[] =
    "[{\"code\":\"steady_state\",\"level\":\"ok\",\"value\":null,\"words\":\"steady\"},"
    "{\"code\":\"steal\",\"level\":\"warn\",\"value\":2,\"words\":\"2 % were stolen\"},"
    "{\"code\":\"swap\",\"level\":\"warn\",\"value\":1,\"words\":\"something was swapped\"}]";
static char cell_name[] = "precision=f32", request[] = "{}";

/* A bench of one configuration: a run that has finished and one that has failed. */
struct sample {
    struct bench_report report;
    struct bench_run runs[2];
    struct bench_cell cells[1];
    struct sweep_row_cell names[1];
    struct hub_uploader_status hub;
};

static void sample_runs(struct sample *sample)
{
    sample->runs[0] = (struct bench_run){
        .name = cell_name,
        .run = {.id = {"01HF7YAT00000000000000000A"},
                .state = RUN_FINISHED,
                .validity = VALIDITY_WARN,
                .findings = findings,
                .summary = {.samples_per_second = 12.3456,
                            .throughput = {.known = true, .low = 12.3, .high = 12.4}}},
        .delivery = {.verdict = DELIVERY_REFUSED, .reason = "steps: are odd"}};
    sample->runs[1] = (struct bench_run){.name = cell_name,
                                         .run = {.id = {"01HF7YAT00000000000000000B"},
                                                 .state = RUN_FAILED,
                                                 .reason = "the worker was silent"}};
}

static void make(struct sample *sample)
{
    const struct amount speed = {12.3456, 12.3, 12.4, true};

    memset(sample, 0, sizeof *sample);
    sample_runs(sample);
    sample->names[0] = (struct sweep_row_cell){.name = cell_name};
    sample->cells[0] =
        (struct bench_cell){.name = cell_name,
                            .planned = 2,
                            .finished = 1,
                            .standing = {.level = STANDING_STEPS,
                                         .value = 12.3456,
                                         .interval = {.known = true, .low = 12.3, .high = 12.4},
                                         .runs = 1},
                            .has_cost = cost_of(&speed, 0.1, &sample->cells[0].cost)};
    EXPECT(cost_of(&speed, 0.1, &sample->cells[0].cost));
    sample->hub = (struct hub_uploader_status){.hub = "http://hub.test"};
    sample->report =
        (struct bench_report){.set = "quick",
                              .facts = "{\"cpu_model\":\"A CPU\",\"cores\":2,\"isa\":\"amx\"}",
                              .identity = {.provider = "aws",
                                           .instance_type = "m7i.large",
                                           .region = "us-east-1",
                                           .life_cycle = "spot",
                                           .source = "metadata"},
                              .at_us = NOON_US,
                              .blocks = 2,
                              .sweep = {.id = {"01HF7YAT00000000000000000C"},
                                        .request = request,
                                        .cells = sample->names,
                                        .count = 1},
                              .runs = sample->runs,
                              .run_count = 2,
                              .cells = sample->cells,
                              .cell_count = 1,
                              .price = {.known = true,
                                        .factor = 0.95,
                                        .discount = "agreed",
                                        .dollars = 0.1,
                                        .at = {.price = {.kind = PRICE_SPOT,
                                                         .currency = "USD",
                                                         .nanos = 105263157,
                                                         .feed = "aws-spot-page"},
                                               .said_us = NOON_US - 12 * 60 * 1000000LL}}};
}

#define TEST_WITH_SAMPLE(name) TEST_GIVEN(name, struct sample *sample, with_sample)

static void with_sample(void (*test)(struct sample *sample))
{
    struct sample sample;

    make(&sample);
    test(&sample);
}

/* The table, without what only aligns it. */
static char *table_of(const struct bench_report *report)
{
    AUTO(bytes_free) struct bytes text = {.limit = 100000};
    char *squeezed = calloc(1, 100000);
    size_t length = 0;

    EXPECT(squeezed && bench_table_write(&text, report));
    for (size_t i = 0; squeezed && i < text.used; i++)
        if (text.data[i] != ' ' || (length > 0 && !isspace((unsigned char)squeezed[length - 1])))
            squeezed[length++] = text.data[i];
    return squeezed;
}

static void expect_line(const struct bench_report *report, const char *line)
{
    AUTO(freep) char *table = table_of(report);

    EXPECT(table && strstr(table, line));
    if (table && !strstr(table, line))
        fprintf(stderr, "no '%s' in:\n%s\n", line, table);
}

TEST_WITH_SAMPLE(the_table_has_machine_price_runs_and_cost)
{
    expect_line(&sample->report,
                "Bench quick, 2026-01-01T12:00:00.000Z, sweep 01HF7YAT00000000000000000C\n");
    expect_line(&sample->report,
                "Machine m7i.large, aws, us-east-1, spot\nA CPU, 2 cores, amx\n");
    expect_line(&sample->report, "Price 0.105263157 USD an hour, spot, ");
    expect_line(&sample->report,
                " (aws-spot-page), 12 min old; discount: 0.95 of it is paid (agreed)\n");
    expect_line(&sample->report, "precision=f32 12.35 12.30 to 12.40 warn: 2 % were stolen; "
                                 "something was swapped\n");
    expect_line(&sample->report, "precision=f32 - - failed: the worker was silent\n");
    expect_line(&sample->report, "precision=f32 12.35 12.30 to 12.40 over steps, 1 of 2 runs");
    expect_line(&sample->report, "444442 442800 to 446400 samples per dollar\n");
    expect_line(&sample->report, "2.250 2.240 to 2.258 dollars per million samples\n");
    expect_line(&sample->report, "Not reported: no hub is set (--report-to)\n");
}

TEST_WITH_SAMPLE(the_table_has_the_answers_of_the_hub)
{
    sample->report.hub = &sample->hub;
    sample->report.counts = (struct delivery_counts){.accepted = 3, .refused = 1};
    expect_line(&sample->report, "something was swapped [refused: steps: are odd]\n");
    expect_line(&sample->report, "Hub http://hub.test: 3 accepted, 1 refused, 0 still waiting\n");
    sample->report.counts.waiting = 2;
    snprintf(sample->hub.last_error, sizeof sample->hub.last_error, "Connection refused");
    expect_line(&sample->report,
                "2 still waiting: Connection refused\n\"pennyworth push\" sends");
}

TEST_WITH_SAMPLE(a_run_that_was_repeated_is_shown_as_such)
{
    sample->runs[0].repeated = true;
    expect_line(&sample->report, "something was swapped [repeated]\n");
}

TEST_WITH_SAMPLE(the_gain_of_more_time_is_reported)
{
    AUTO(bytes_free) struct bytes text = {.limit = 10000}, other = {.limit = 10000};
    struct run *run;

    run = &sample->runs[0].run;
    run->spec.max_seconds = 100;
    run->ended_by = "little_more";
    run->started_us = NOON_US;
    run->ended_us = NOON_US + 76 * 1000000LL;
    run->summary = (struct summary){.samples_per_second = 100,
                                    .measured_seconds = 64,
                                    .throughput = {.known = true, .low = 97, .high = 103}};
    EXPECT(bench_run_words(&text, run)); /* sqrt(64 / 88) of 3 % */
    EXPECT_PART(text.data, ", within 3.0 %: 2.6 % was within reach in the time left");
    run->spec.max_dollars = 1;
    EXPECT(bench_run_words(&other, run));
    EXPECT_PART(other.data, ", within 3.0 %: more time would have bought little");
}

TEST_WITH_SAMPLE(unknown_values_are_called_unknown)
{
    sample->report.identity = (struct identity){.note = "metadata is switched off"};
    sample->report.price = (struct machine_price){.why_not = "the instance type is not known"};
    sample->report.why_ended = "10 seconds are over (--max-seconds)";
    sample->cells[0].has_cost = false;
    sample->cells[0].standing = (struct standing){.level = STANDING_NONE};
    expect_line(&sample->report, "Machine of no known type (metadata is switched off)\n");
    expect_line(&sample->report, "Price not known: the instance type is not known\n");
    expect_line(&sample->report, "precision=f32 - - no valid run of 2\n");
    expect_line(&sample->report, "Ended early: 10 seconds are over (--max-seconds)\n");
    sample->cells[0].refused = "precision: not here";
    expect_line(&sample->report, "precision=f32 cannot be run here: precision: not here\n");
    AUTO(freep) char *table = table_of(&sample->report);
    EXPECT(table && !strstr(table, "dollar"));
}

TEST_WITH_SAMPLE(a_price_that_a_person_gave_has_no_age)
{
    sample->report.price = (struct machine_price){
        .known = true,
        .factor = 1,
        .dollars = 0.2,
        .at.price = {
            .kind = PRICE_TYPED, .currency = "USD", .nanos = 200000000, .feed = "option"}};
    expect_line(&sample->report, "Price 0.2 USD an hour, typed, given by a person\n");
}

TEST(numbers_keep_four_digits_whatever_their_size)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0.0123456, "0.01235"}, {0.5, "0.5000"},   {9.87654, "9.877"},
                {123.456, "123.5"},     {1234.56, "1235"}, {123456789, "123456789"}};
    struct sample sample;

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO(bytes_free) struct bytes text = {.limit = 1000};
        char wanted[100];

        make(&sample);
        sample.runs[0].run.summary = (struct summary){.samples_per_second = rows[i].value};
        sample.runs[0].run.validity = VALIDITY_OK;
        EXPECT(bench_run_words(&text, &sample.runs[0].run));
        snprintf(wanted, sizeof wanted, "%s samples/s (-), ok", rows[i].text);
        EXPECT_STR(text.data, wanted);
    }
}

TEST_WITH_SAMPLE(the_json_has_the_same)
{
    AUTO(bytes_free) struct bytes text = {.limit = 100000};
    const char *state, *hub, *reason, *why;
    double low, dollars;
    int status, waiting, cores;

    sample->report.hub = &sample->hub;
    sample->report.counts.waiting = 2;
    EXPECT(bench_json_write(&text, &sample->report));
    EXPECT(text.used > 0 && text.data[text.used - 1] == '\n');
    AUTO(json_decrefp)
    json_t *json = json_loadb(text.data, text.used, JSON_REJECT_DUPLICATES, NULL);
    EXPECT_INT(json_unpack(json,
                           "{s:i, s:n, s:{s:{s:i}}, s:n, s:[{s:{s:f}, s:{s:f}}],"
                           " s:[{s:s, s:s, s:s}, {s:n, s:n, s:s}], s:{s:i}}",
                           "exit_status", &status, "ended_early", "machine", "facts", "cores",
                           &cores, "why_no_price", "configurations", "samples_per_second", "low",
                           &low, "dollars_per_million_samples", "value", &dollars, "runs",
                           "state", &state, "hub", &hub, "hub_reason", &reason,
                           "samples_per_second", "hub", "reason", &why, "hub", "waiting",
                           &waiting),
               0);
    EXPECT_INT(status, 5);
    EXPECT_INT(cores, 2);
    EXPECT_INT(waiting, 2);
    EXPECT_NEAR(low, 12.3, 1e-9);
    EXPECT_NEAR(dollars, 2.25, 1e-4);
    EXPECT_STR(state, "finished");
    EXPECT_STR(hub, "refused");
    EXPECT_STR(reason, "steps: are odd");
    EXPECT_STR(why, "the worker was silent");
}

TEST_WITH_SAMPLE(without_room_nothing_is_promised)
{
    for (size_t limit = 1; limit < 800; limit += 7) {
        AUTO(bytes_free) struct bytes table = {.limit = limit}, json = {.limit = limit};

        EXPECT(!bench_table_write(&table, &sample->report));
        EXPECT(!bench_json_write(&json, &sample->report));
    }
}
