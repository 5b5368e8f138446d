#include "server/http/routes.h"

#include "answers/gate/request.h"
#include "common/cleanup.h"
#include "common/rows/body.h"
#include "engine/sweep/sweep.h"
#include "server/http/api/comparison.h"
#include "server/http/api/prices.h"
#include "server/http/api/runs.h"
#include "server/http/api/sweeps.h"
#include "server/http/api/types.h"
#include "server/http/forms.h"
#include "server/http/handlers/handlers.h"
#include "server/http/handlers/taking_back.h"
#include "server/http/json/comparison/present_comparison.h"
#include "server/http/json/comparison/present_families.h"
#include "server/http/json/present_capacity.h"
#include "server/http/json/present_evidence.h"
#include "server/http/json/present_feed.h"
#include "server/http/json/present_history.h"
#include "server/http/json/present_run.h"
#include "server/http/json/present_sweep.h"
#include "server/http/json/present_wanted.h"
#include "server/prices/price_json.h"
#include "server/prices/published.h"

#define JSON "application/json"

/* Described in openapi.c and openapi.json. */
static const struct body run_request_body = {.name = "RunRequest"};
static const struct body run_document_body = {.name = "RunDocument"};

/* The page has parameters of its own. */
static const struct parameters any_parameters = {.any = true};

const struct route routes[] = {
    {"GET", "/", asset_handler, ACCESS_OPEN, BODY_NONE, .name = "showPage", .tag = "service",
     .summary = "The page for people",
     .description =
         "The query selects what it shows: `view`, and the parameters of the paths that the "
         "view requests.",
     .parameters = &any_parameters, .takes = "If-None-Match",
     .gives = "Cache-Control Content-Security-Policy.page Vary.encoding",
     .said = {{200, "The page; it uses this API like any other client."}}, .forms = page_forms},
    {"GET", "/assets/{id}", asset_handler, ACCESS_OPEN, BODY_NONE, .name = "showAsset",
     .tag = "service", .summary = "A file that the page needs", .parameters = &any_parameters,
     .takes = "If-None-Match",
     .gives = "Cache-Control.assets Content-Security-Policy.page Vary.encoding",
     .said = {{200, "The file."}}, .forms = asset_forms},
    {"GET", "/healthz", health_handler, ACCESS_OPEN, BODY_NONE, .name = "showHealth",
     .tag = "service", .summary = "Is the process alive?", .produces = JSON,
     .answer = &health_members, .said = {{200, "The process is alive."}}},
    {"GET", "/readyz", ready_handler, ACCESS_OPEN, BODY_NONE, .name = "showReadiness",
     .tag = "service", .summary = "Does the service work, its database included?",
     .produces = JSON, .also = "500 503", .answer = &readiness_members,
     .said = {{200, "The service works."}}},
    {"GET", "/metrics", metrics_handler, ACCESS_READ, BODY_NONE, .name = "showMetrics",
     .tag = "service", .summary = "Counters and gauges for Prometheus", .produces = "text/plain",
     .said = {{200, "Prometheus text format, version 0.0.4."}}},
    {"GET", "/v1/openapi.json", openapi_handler, ACCESS_OPEN, BODY_NONE, .name = "showOpenapi",
     .tag = "service", .summary = "This document", .produces = JSON,
     .said = {{200, "OpenAPI 3.1, with the engines and limits of this server."}},
     .forms = any_object_forms},
    {"POST", "/v1/runs", runs_create_handler, ACCESS_WRITE, BODY_JSON, .name = "createRun",
     .tag = "runs", .summary = "Queue a run",
     .description =
         "The run is stored before the answer is sent. Fields that are left out get their "
         "defaults; `{}` is a whole request.",
     .body = &run_request_body, .produces = JSON, .parameters = &wait_parameters,
     .also = "422 429", .answer = &run_members, .takes = "Prefer Idempotency-Key",
     .gives = "Location.run",
     .said = {{201, "The queued run; with `wait`, the run at the end of the wait."}}},
    {"GET", "/v1/runs", runs_list_handler, ACCESS_READ, BODY_NONE, .name = "listRuns",
     .tag = "runs", .summary = "Runs, newest first",
     .description = "All conditions must hold. Ordered by `created_at` with `since` or `until`, "
                    "else by arrival. Pages do not shift when runs are added meanwhile.",
     .produces = JSON, .parameters = &runs_list_parameters, .answer = &run_list_members,
     .said = {{200, "One page."}}},
    {"POST", "/v1/runs/import", import_handler, ACCESS_IMPORT, BODY_RUNS, .name = "importRuns",
     .tag = "runs", .summary = "Import runs that were measured elsewhere",
     .description =
         "A RunDocument, or one in each line (`application/x-ndjson`; empty lines are skipped). "
         "The server computes again everything that follows from a trace, and refuses a "
         "document whose `summary.samples_per_second` differs by more than 0.1 %, or whose "
         "`cost` does not follow from its price. Lines are independent: good ones are stored, "
         "on the disk before the answer, and the answer lists the others. A run that the server "
         "has already, with the same spec and the same trace, is known: sending a file again "
         "does no harm.\n\nA `signature` is verified. The header `Pennyworth-Key` proves that "
         "the sender owns a key, and the first such upload binds its token to the key: later "
         "documents of this token must be signed by it (403 without a signature, 409 with "
         "another key; of lines, the answer lists them). `pennyworth token rebind NAME` forgets "
         "the key, and a token with `keys=many` is bound to none.\n\nThe server holds at most "
         "two bodies of more than 65,536 bytes at once, and at most 64 imports wait; one more "
         "gets 503 with `Retry-After`. An import that a stop of the server cuts short gets 503 "
         "too; what it has stored is known when it comes again.",
     .body = &run_document_body, .produces = JSON, .also = "409 422 429", .answer = &run_members,
     .takes = "Pennyworth-Key", .gives = "Location.run",
     .said = {{200, "For lines: the result of each. For one document: it was known, and this is "
                    "the run."},
              {201, "The one document is stored."}},
     .forms = import_forms},
    {"GET", "/v1/runs/export", export_handler, ACCESS_EXPORT, BODY_NONE, .name = "exportRuns",
     .tag = "runs", .summary = "Finished runs with everything stored about them, oldest first",
     .description =
         "One document per line, as an import takes them. A run that was measured here is "
         "signed with the key of this database; one that came signed leaves as it came, byte "
         "for byte, with its signature verified again: a run whose signature is not valid any "
         "more is left out, and logged. To continue an interrupted export, send the id of the "
         "last whole line as `after`.\n\nDocuments are made while the answer is sent. Those "
         "that wait to be sent count towards `--answer-mib`, and all exports together have half "
         "of it: an export that begins beyond it gets 503 with `Retry-After`, one under way "
         "waits for room.",
     .produces = "application/x-ndjson", .parameters = &export_parameters,
     .gives = "Pennyworth-Unmatched", .said = {{200, "The runs."}}, .forms = export_forms},
    {"GET", "/v1/runs/{id}", runs_show_handler, ACCESS_READ, BODY_NONE, .name = "showRun",
     .tag = "runs", .summary = "One run", .produces = JSON, .parameters = &wait_parameters,
     .answer = &run_members, .takes = "Prefer",
     .said = {{200, "The run as it is now; with `wait`, the run at the end of the wait."}}},
    {"DELETE", "/v1/runs/{id}", runs_cancel_handler, ACCESS_WRITE, BODY_NONE, .name = "cancelRun",
     .tag = "runs", .summary = "Cancel a run",
     .description = "The run stays stored, in the state `cancelled`, with the steps it has done.",
     .produces = JSON, .also = "409", .answer = &run_members,
     .said = {{200, "The run was queued and is now cancelled."},
              {202, "The run is under way; its worker has about two seconds to stop."}}},
    {"GET", "/v1/runs/{id}/void", voids_list_handler, ACCESS_READ, BODY_NONE, .name = "listVoids",
     .tag = "runs", .summary = "Who took the run back, and who counted it again",
     .produces = JSON, .answer = &void_list_members,
     .said = {{200, "Every void that the run ever had, the first one first."}}},
    {"POST", "/v1/runs/{id}/void", voids_create_handler, ACCESS_WRITE, BODY_JSON,
     .name = "voidRun", .tag = "runs", .summary = "Void a run",
     .description =
         "Takes back a run that was measured by mistake: the wrong spec, the wrong machine, a "
         "machine in use. The run is kept with its steps, and counts nowhere: not in a "
         "comparison, a standing, a forecast, a sweep or a gate. Voids are per server. A run "
         "that is voided already keeps its void.",
     .body = &reason_body, .produces = JSON, .also = "409", .answer = &run_members,
     .said = {{200, "The run, voided."}}},
    {"DELETE", "/v1/runs/{id}/void", voids_lift_handler, ACCESS_WRITE, BODY_NONE,
     .name = "liftVoid", .tag = "runs", .summary = "Count a voided run again",
     .description = "The void stays in the list of GET. A run that is not voided stays as it is.",
     .produces = JSON, .parameters = &reason_parameters, .answer = &run_members,
     .said = {{200, "The run, as before the void."}}},
    {"GET", "/v1/runs/{id}/steps", steps_handler, ACCESS_READ, BODY_NONE, .name = "listSteps",
     .tag = "runs", .summary = "The steps of a run",
     .description = "The steps stored so far, in order. JSON unless `Accept` prefers CSV.",
     .parameters = &steps_parameters, .answer = &step_list_members,
     .said = {{200, "The steps. CSV is as in RFC 4180, with the members of a step as columns; "
                    "a missing split leaves its columns empty."}},
     .forms = steps_forms},
    {"GET", "/v1/runs/{id}/events", events_handler, ACCESS_READ, BODY_NONE, .name = "followRun",
     .tag = "runs", .summary = "The progress of a run, as events",
     .description =
         "Server-Sent Events until the run has ended. `state`: the run has reached a state; its "
         "data is a StateEvent. Each state is sent once, past states at once. `progress`, while "
         "it runs: after news at most four times a second, without news at least every five "
         "seconds; its data is a Progress. A reader that is too slow misses progress, never a "
         "state; one that takes nothing for ten seconds is dropped.",
     .produces = "text/event-stream", .takes = "Last-Event-ID", .gives = "Cache-Control",
     .said = {{200, "The stream. An `id` is a stage (1 queued, 2 running, 3 ended), a hyphen "
                    "and the steps done."}},
     .forms = run_events_forms},
    {"GET", "/v1/runs/{id}/implementations", implementations_handler, ACCESS_READ, BODY_NONE,
     .name = "showImplementations", .tag = "runs",
     .summary = "The implementation that each layer used", .produces = JSON,
     .answer = &implementation_list_members,
     .said = {{200, "As the engine reported it at its end."}}},
    {"GET", "/v1/runs/{id}/evidence", evidence_handler, ACCESS_READ, BODY_NONE,
     .name = "showEvidence", .tag = "runs", .summary = "What the machine did while it ran",
     .produces = JSON, .answer = &evidence_members,
     .said = {{200, "Counters, read about once a second, and the canaries."}}},
    {"GET", "/v1/runs/{id}/recompute", recompute_handler, ACCESS_READ, BODY_NONE,
     .name = "recomputeRun", .tag = "runs",
     .summary = "Compute the summary again from the stored trace", .produces = JSON,
     .also = "409", .answer = &recomputed_members,
     .said = {{200, "The summary from the stored steps and evidence, and whether it equals the "
                    "stored one."}}},
    {"GET", "/v1/runs/{id}/check", check_handler, ACCESS_READ, BODY_NONE, .name = "checkRun",
     .tag = "runs", .summary = "Is this run as fast as those before it? The CI gate",
     .description =
         "Compares the run, together with the valid runs of the same configuration and machine "
         "that have exactly the same labels, with a baseline. The verdict is `fail` only if "
         "the whole 95 % interval of the ratio lies beyond the margin; it is `cannot_tell` "
         "where the data are too few or the run is not valid. A run on another machine is never "
         "compared (422). Only runs count that were measured here, or that came in without the "
         "name of a token, or from a sender that `--gate-trust` names; `left_out` has the "
         "others. Where the run or the baseline itself is of another sender, the verdict is "
         "`cannot_tell`.\n\nWith `confirm=true` the answer includes what was measured again by "
         "POST; where that was not done for a failure, it is refused.",
     .parameters = &gate_parameters, .also = "409 422", .takes = "Prefer",
     .gives = "Pennyworth-Verdict", .said = {{200, "The verdict from the data so far."}},
     .forms = verdict_forms},
    {"POST", "/v1/runs/{id}/check", check_handler, ACCESS_WRITE, BODY_NONE, .name = "confirmRun",
     .tag = "runs", .summary = "Measure a failure of the CI gate again",
     .description =
         "Answers as GET does. With `confirm=true` it first queues runs that measure a failure "
         "again: in turns with the baseline where that is another engine or another "
         "configuration of this machine, else alone. The same request finds the same "
         "measurement.",
     .parameters = &gate_parameters, .also = "409 422 429 507", .takes = "Prefer",
     .gives = "Pennyworth-Verdict", .said = {{200, "The verdict from the data so far."}},
     .forms = verdict_forms},
    {"POST", "/v1/sweeps", sweeps_create_handler, ACCESS_WRITE, BODY_JSON, .name = "createSweep",
     .tag = "sweeps", .summary = "Queue a set of runs with one answer",
     .description =
         "A base spec and lists of values for its fields (`knobs`), or a `preset`. Each cell "
         "runs once in each block; every other block is shuffled, and the blocks between "
         "reverse that order. A cell that this machine cannot run is kept with the reason and "
         "not run.",
     .body = &sweep_body, .produces = JSON, .also = "422 429", .answer = &sweep_members,
     .takes = "Idempotency-Key", .gives = "Location.sweep",
     .said = {{201, "All runs are queued."}}},
    {"GET", "/v1/sweeps", sweeps_list_handler, ACCESS_READ, BODY_NONE, .name = "listSweeps",
     .tag = "sweeps", .summary = "Sweeps, newest first", .produces = JSON,
     .parameters = &sweeps_list_parameters, .answer = &sweep_list_members,
     .said = {{200, "A page."}}},
    {"GET", "/v1/sweeps/{id}", sweeps_show_handler, ACCESS_READ, BODY_NONE, .name = "showSweep",
     .tag = "sweeps", .summary = "A sweep: its cells, and how they compare",
     .parameters = &wait_parameters, .answer = &sweep_members, .takes = "Prefer",
     .said = {{200, "The sweep so far, with `wait` at the end of the wait; a table of its cells "
                    "if `Accept` prefers CSV."}},
     .forms = sweep_forms},
    {"DELETE", "/v1/sweeps/{id}", sweeps_cancel_handler, ACCESS_WRITE, BODY_NONE,
     .name = "cancelSweep", .tag = "sweeps", .summary = "Cancel the rest of a sweep",
     .produces = JSON, .also = "409", .answer = &sweep_members,
     .said = {{200, "Its queued runs are cancelled, and the one under way is stopped."}}},
    {"GET", "/v1/sweeps/{id}/events", sweep_events_handler, ACCESS_READ, BODY_NONE,
     .name = "followSweep", .tag = "sweeps", .summary = "The progress of a sweep, as events",
     .description =
         "Server-Sent Events until the sweep has ended. `state`: the sweep is running, or has "
         "ended; its data is a SweepStateEvent. `cell`: no run of a cell is left to do; its "
         "data is a Cell. A cell whose invalid or interrupted run is repeated ends again. "
         "`progress`: a run was added, has begun or has ended; without news every 15 seconds; "
         "its data is a SweepProgress. Past states and cells are sent at once. A reader that "
         "takes nothing for ten seconds is dropped.",
     .produces = "text/event-stream", .takes = "Last-Event-ID", .gives = "Cache-Control",
     .said = {{200, "The stream. An `id` is a stage (1 running, 2 ended), a hyphen and the "
                    "number of the sweep's runs that had ended."}},
     .forms = sweep_events_forms},
    {"POST", "/v1/aa", aa_create_handler, ACCESS_WRITE, BODY_JSON, .name = "createAa",
     .tag = "sweeps", .summary = "Compare a configuration with itself",
     .description =
         "Runs the same spec twice in each of `pairs` blocks, to find how often two equal "
         "configurations would be called different. The answer is `false_alarms` of the sweep.",
     .body = &aa_body, .produces = JSON, .also = "422 429", .answer = &sweep_members,
     .takes = "Idempotency-Key", .gives = "Location.sweep",
     .said = {{201, "All runs are queued."}}},
    {"GET", "/v1/backup", backup_handler, ACCESS_COPY, BODY_NONE, .name = "copyDatabase",
     .tag = "service", .summary = "A copy of the whole database at one moment",
     .description =
         "One SQLite file, verified before it is sent, for `pennyworth restore`. It holds "
         "everything, so it needs the scope `write`. One copy at a time; it disturbs a run that "
         "is measured meanwhile.",
     .produces = "application/vnd.sqlite3", .also = "507",
     .gives = "Content-Disposition Cache-Control.none", .said = {{200, "The copy."}},
     .forms = backup_forms},
    {"GET", "/v1/history", history_handler, ACCESS_READ, BODY_NONE, .name = "showHistory",
     .tag = "comparison", .summary = "When runs of a configuration changed, and through what",
     .description =
         "A line for each engine, configuration and type of machine: of its valid runs in the "
         "order of time, each change of level, with its size, its interval and what changed "
         "with it. Of the newest 2,000 finished runs that match; the newest 200 of each line. A "
         "history without any change gets one about once in a hundred times.",
     .produces = JSON, .parameters = &history_parameters, .answer = &history_members,
     .takes = "If-None-Match", .gives = "Cache-Control",
     .said = {{200, "The line of the newest run first."}}},
    {"GET", "/v1/machines", machines_list_handler, ACCESS_READ, BODY_NONE, .name = "listMachines",
     .tag = "machines", .summary = "The machines that runs were measured on", .produces = JSON,
     .answer = &machine_list_members,
     .said = {{200, "The latest 200 states of machines, newest first."}}},
    {"GET", "/v1/machines/{id}", machines_show_handler, ACCESS_READ, BODY_NONE,
     .name = "showMachine", .tag = "machines", .summary = "One machine", .produces = JSON,
     .answer = &machine_members, .said = {{200, "The machine in that state."}}},
    {"GET", "/v1/comparison", comparison_handler, ACCESS_READ, BODY_NONE, .name = "compare",
     .tag = "comparison", .summary = "Which machine gives the most training for the money",
     .description =
         "Computed from stored valid runs and stored prices, with intervals, ties and what "
         "would change the order. A row without a measurement, a valid run, an interval or a "
         "price is listed with the reason and never ranked.",
     .parameters = &comparison_list_parameters, .answer = &comparison_members,
     .takes = "If-None-Match", .gives = "Cache-Control Vary.accept",
     .said = {{200, "Rows in order, ranked rows first."}}, .forms = comparison_forms},
    {"GET", "/v1/comparison.svg", comparison_svg_handler, ACCESS_READ, BODY_NONE,
     .name = "drawComparison", .tag = "comparison",
     .summary = "The comparison as bars with intervals, for other pages",
     .description =
         "Takes the parameters of /v1/comparison but `format`, and has at most 50 rows. SVG "
         "without scripts; other sites may embed it.",
     .produces = "image/svg+xml", .parameters = &comparison_parameters, .takes = "If-None-Match",
     .gives = "Cache-Control Content-Security-Policy.picture", .said = {{200, "The picture."}},
     .forms = picture_forms},
    {"GET", "/v1/badge.svg", badge_svg_handler, ACCESS_READ, BODY_NONE, .name = "drawBadge",
     .tag = "comparison", .summary = "Samples per dollar as a badge, for a README",
     .description =
         "Takes the parameters of /v1/comparison but `format`. It is about the first row with "
         "samples per dollar: its number with the half of its interval, `cannot be told apart` "
         "where another row may be as good, or `no data`. With `reference`: the ratio to it, "
         "where that is sure.",
     .produces = "image/svg+xml", .parameters = &comparison_parameters, .takes = "If-None-Match",
     .gives = "Cache-Control Content-Security-Policy.picture", .said = {{200, "The picture."}},
     .forms = picture_forms},
    {"GET", "/v1/machine", machine_handler, ACCESS_READ, BODY_NONE, .name = "showThisMachine",
     .tag = "prices", .summary = "Which machine this is, and what an hour of it costs",
     .description =
         "The server asks the cloud that the firmware names, once, at the start; options "
         "override it. A price is never invented: if there is none, the answer gives the "
         "reason.",
     .produces = JSON, .answer = &this_machine_members,
     .said = {{200, "What the server knows about this machine."}}},
    {"GET", "/v1/machine/load", load_handler, ACCESS_READ, BODY_NONE, .name = "showLoad",
     .tag = "runs", .summary = "Who uses the processors now, and whether to measure",
     .description =
         "The processor use of other processes between two readings of /proc, 0.3 to "
         "five seconds apart; the service and its workers do not count. Without a question in "
         "the last five seconds, the answer is held for 0.3 s. The advice is for a run of as "
         "many threads as one has that names none.",
     .produces = JSON, .answer = &load_members,
     .said = {{200, "The load, and what to do about it."}}},
    {"GET", "/v1/prices", prices_list_handler, ACCESS_READ, BODY_NONE, .name = "listPrices",
     .tag = "prices", .summary = "Prices of an hour of each machine, now or at a time",
     .description =
         "Prices of all feeds side by side, each with source and age. Where there is none, "
         "`absent` gives the reason for each feed.",
     .produces = JSON, .parameters = &prices_list_parameters, .answer = &price_list_members,
     .said = {{200, "A page of prices."}}},
    {"POST", "/v1/prices", prices_create_handler, ACCESS_WRITE, BODY_JSON, .name = "storePrices",
     .tag = "prices", .summary = "Enter prices",
     .description =
         "Stores prices that a person knows: an agreed price (`typed`) or the cost of an hour "
         "of own hardware (`own`). They override all feeds. Nothing is overwritten: each price "
         "holds from `valid_from` on, and null withdraws it. With `machine`, this machine is "
         "priced, and its stored runs that began without a price too.",
     .body = &prices_body, .produces = JSON, .answer = &stored_prices_members, .also = "404 409",
     .said = {{201, "Stored."}}},
    {"POST", "/v1/prices/refresh", prices_refresh_handler, ACCESS_WRITE, BODY_NONE,
     .name = "refreshPrices", .tag = "prices", .summary = "Read the feeds now",
     .description = "One refresh at a time; GET /v1/feeds shows its progress.", .produces = JSON,
     .parameters = &refresh_parameters, .answer = &refresh_members, .also = "409 422 507",
     .gives = "Location.feeds", .said = {{202, "The refresh has started."}}},
    {"POST", "/v1/prices/{id}/withdraw", prices_withdraw_handler, ACCESS_WRITE, BODY_JSON,
     .name = "withdrawPrice", .tag = "prices", .summary = "Withdraw a typed price",
     .description =
         "Withdraws a price that was typed by mistake. From now on it is not valid, and what "
         "was typed before it holds again; an answer about an earlier moment stays the same, "
         "and so does the cost of a run that paid it; a run that began without a price loses "
         "what was typed later. A price of a feed cannot be withdrawn: its next reading would "
         "store it again. Type a price, which takes precedence over all feeds.",
     .body = &reason_body, .produces = JSON, .answer = &listed_price_members, .also = "409",
     .said = {{200, "The price, with its withdrawal. One that was withdrawn before stays as it "
                    "is."}}},
    {"GET", "/v1/feeds", feeds_list_handler, ACCESS_READ, BODY_NONE, .name = "listFeeds",
     .tag = "prices", .summary = "The state of the price feeds", .produces = JSON,
     .answer = &feed_list_members, .said = {{200, "All feeds, in order of precedence."}}},
    {"GET", "/v1/figures", figures_list_handler, ACCESS_READ, BODY_NONE, .name = "listFigures",
     .tag = "prices", .summary = "Published figures",
     .description =
         "Speeds from articles, with source, date and notes. They have no steps, so they have "
         "no interval and are never ranked. A new database starts with some; their prices "
         "belong to the feed `published`.",
     .produces = JSON, .answer = &figure_list_members,
     .said = {{200, "All figures, in the order in which they were last stored."}}},
    {"POST", "/v1/figures", figures_create_handler, ACCESS_WRITE, BODY_JSON,
     .name = "storeFigure", .tag = "prices", .summary = "Enter a published figure",
     .description =
         "A reference row with its source and date: shown apart from measurements, in ratios "
         "and on the Pareto front, and never ranked. A figure with the same id replaces it. "
         "Enter the price of its type with POST /v1/prices.",
     .body = &figure_body, .produces = JSON, .answer = &figure_members, .also = "409",
     .said = {{201, "Stored."}}},
    {"DELETE", "/v1/figures/{id}", figures_remove_handler, ACCESS_WRITE, BODY_NONE,
     .name = "removeFigure", .tag = "prices", .summary = "Remove a published figure",
     .description =
         "For a figure that a user entered. One that comes with pennyworth cannot be removed; a "
         "POST of its id puts it right.",
     .produces = JSON, .parameters = &reason_parameters, .answer = &figure_members, .also = "409",
     .said = {{200, "The figure that was removed."}}},
    {"GET", "/v1/instances", instances_handler, ACCESS_READ, BODY_NONE, .name = "listInstances",
     .tag = "prices", .summary = "The catalogue of instance types from the feeds",
     .produces = JSON, .parameters = &instances_parameters, .answer = &instance_list_members,
     .said = {{200, "A page of types, ordered by name."}}},
    {"GET", "/v1/capacity", capacity_list_handler, ACCESS_READ, BODY_NONE, .name = "listCapacity",
     .tag = "prices", .summary = "Launches, failed launches and preemptions by zone",
     .description =
         "Counts of what was reported with `POST /v1/capacity`, of the preemptions that "
         "candidates reported to this hub, and of the preemption notices that this server "
         "itself received.",
     .produces = JSON, .parameters = &capacity_list_parameters, .answer = &capacity_list_members,
     .said = {{200, "A page of counts, ordered by type, provider, zone and kind of price."}}},
    {"POST", "/v1/capacity", capacity_create_handler, ACCESS_IMPORT, BODY_JSON,
     .name = "reportCapacity", .tag = "prices",
     .summary = "Report a launch, a failed launch or a preemption",
     .description =
         "For programs that launch machines, and for candidates, which report preemptions. An "
         "event with a `machine` counts once for each kind: sent again, it is "
         "answered with 200 and changes nothing. Each event counts as a document against the "
         "limits of the token. With the scope `import` alone, `kind` must be `preempted` and "
         "`machine` must be given: anything else is answered with 403.",
     .body = &capacity_body, .produces = JSON, .answer = &capacity_event_members,
     .said = {{200, "An event of this kind and machine was stored before."}, {201, "Stored."}}},
    {"GET", "/v1/wanted", wanted_handler, ACCESS_READ, BODY_NONE, .name = "listWanted",
     .tag = "comparison", .summary = "What a machine of a type should measure next",
     .description =
         "Specs that lack evidence on this type, the most useful first: from measurements of "
         "other types, and from a bench. Each `spec` can be sent to `POST /v1/runs` "
         "of the machine as it is.",
     .produces = JSON, .parameters = &wanted_parameters, .answer = &wanted_list_members,
     .said = {{200, "The specs, the most useful first; may be empty."}}},
    {"GET", "/v1/families", families_handler, ACCESS_READ, BODY_NONE, .name = "listFamilies",
     .tag = "comparison", .summary = "How training scales over the sizes of a family",
     .description =
         "Each size with its price, what was measured on it (its best configuration), and the "
         "throughput of a vCPU relative to the smallest measured size. Sizes without a "
         "measurement are listed with what the feeds say of them. A size that was measured on "
         "several kinds of machine is listed once for each.",
     .produces = JSON, .parameters = &families_parameters, .answer = &family_list_members,
     .said = {{200, "A page of families, ordered by name; the sizes of each by their vCPUs."}}},
    {"GET", "/v1/support", support_handler, ACCESS_READ, BODY_NONE, .name = "listSupport",
     .tag = "prices", .summary = "Which instance types the engine runs on",
     .description =
         "Every type that a feed lists or that a run was measured on. Each fact names its "
         "source: a machine that was measured, the catalogue of the feeds, or a rule about the "
         "family's processors. JSON unless `Accept` prefers CSV, whose cursor for the next page "
         "is the last line's `instance_type`, a space and its `provider`.",
     .parameters = &support_parameters, .answer = &support_list_members,
     .said = {{200, "A page of types, ordered by name. CSV is as in RFC 4180."}},
     .forms = support_forms},
    {"GET", "/v1/discounts", discounts_list_handler, ACCESS_READ, BODY_NONE,
     .name = "listDiscounts", .tag = "prices", .summary = "Discounts on list prices",
     .produces = JSON, .parameters = &discounts_list_parameters, .answer = &discount_list_members,
     .said = {{200, "The most specific first; in a history the latest."}}},
    {"POST", "/v1/discounts", discounts_create_handler, ACCESS_WRITE, BODY_JSON,
     .name = "storeDiscount", .tag = "prices", .summary = "Enter a discount",
     .description =
         "A factor on the list prices of a provider, or of one family of its types. Answers "
         "show it next to the list price, never instead.",
     .body = &discount_body, .produces = JSON, .answer = &stored_discount_members, .also = "409",
     .said = {{201, "Stored."}}},
    {"POST", "/v1/discounts/{id}/withdraw", discounts_withdraw_handler, ACCESS_WRITE, BODY_JSON,
     .name = "withdrawDiscount", .tag = "prices", .summary = "Withdraw a discount",
     .description =
         "Takes back a discount that was entered by mistake. From now on it does not hold, and "
         "what was entered before it holds again; an answer about an earlier moment stays the "
         "same.",
     .body = &reason_body, .produces = JSON, .answer = &discount_members,
     .said = {{200, "The discount, with its withdrawal. One that was withdrawn before stays as "
                    "it is."}}},
};
const size_t route_count = COUNT(routes);

struct metrics_label route_label(size_t index)
{
    return (struct metrics_label){routes[index].method, routes[index].pattern};
}
