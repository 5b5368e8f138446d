#include "server/http/routes.h"

#include "answers/gate/request.h"
#include "common/body.h"
#include "common/cleanup.h"
#include "engine/sweep/sweep.h"
#include "server/api/comparison.h"
#include "server/api/prices.h"
#include "server/api/runs.h"
#include "server/api/sweeps.h"
#include "server/api/types.h"
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
    {"GET", "/", asset_handler, ACCESS_OPEN, BODY_NONE, .parameters = &any_parameters},
    {"GET", "/assets/{id}", asset_handler, ACCESS_OPEN, BODY_NONE, .parameters = &any_parameters},
    {"GET", "/healthz", health_handler, ACCESS_OPEN, BODY_NONE, .produces = JSON,
     .answer = &health_members},
    {"GET", "/readyz", ready_handler, ACCESS_OPEN, BODY_NONE, .produces = JSON, .also = "500 503",
     .answer = &readiness_members},
    {"GET", "/metrics", metrics_handler, ACCESS_READ, BODY_NONE, .produces = "text/plain"},
    {"GET", "/v1/openapi.json", openapi_handler, ACCESS_OPEN, BODY_NONE, .produces = JSON},
    {"POST", "/v1/runs", runs_create_handler, ACCESS_WRITE, BODY_JSON, .body = &run_request_body,
     .produces = JSON, .parameters = &wait_parameters, .also = "422 429", .answer = &run_members},
    {"GET", "/v1/runs", runs_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &runs_list_parameters, .answer = &run_list_members},
    {"POST", "/v1/runs/import", import_handler, ACCESS_IMPORT, BODY_RUNS,
     .body = &run_document_body, .produces = JSON, .also = "429"},
    {"GET", "/v1/runs/export", export_handler, ACCESS_EXPORT, BODY_NONE,
     .produces = "application/x-ndjson", .parameters = &export_parameters},
    {"GET", "/v1/runs/{id}", runs_show_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &wait_parameters, .answer = &run_members},
    {"DELETE", "/v1/runs/{id}", runs_cancel_handler, ACCESS_WRITE, BODY_NONE, .produces = JSON,
     .also = "409", .answer = &run_members},
    {"GET", "/v1/runs/{id}/void", voids_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .answer = &void_list_members},
    {"POST", "/v1/runs/{id}/void", voids_create_handler, ACCESS_WRITE, BODY_JSON,
     .body = &reason_body, .produces = JSON, .also = "409", .answer = &run_members},
    {"DELETE", "/v1/runs/{id}/void", voids_lift_handler, ACCESS_WRITE, BODY_NONE,
     .produces = JSON, .parameters = &reason_parameters, .answer = &run_members},
    {"GET", "/v1/runs/{id}/implementations", implementations_handler, ACCESS_READ, BODY_NONE,
     .produces = JSON, .answer = &implementation_list_members},
    {"GET", "/v1/runs/{id}/steps", steps_handler, ACCESS_READ, BODY_NONE,
     .parameters = &steps_parameters, .answer = &step_list_members},
    {"GET", "/v1/runs/{id}/evidence", evidence_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .answer = &evidence_members},
    {"GET", "/v1/runs/{id}/recompute", recompute_handler, ACCESS_READ, BODY_NONE,
     .produces = JSON, .also = "409", .answer = &recomputed_members},
    {"GET", "/v1/runs/{id}/check", check_handler, ACCESS_READ, BODY_NONE,
     .parameters = &gate_parameters, .also = "409 422"},
    {"POST", "/v1/runs/{id}/check", check_handler, ACCESS_WRITE, BODY_NONE,
     .parameters = &gate_parameters, .also = "409 422 429 507"},
    {"POST", "/v1/sweeps", sweeps_create_handler, ACCESS_WRITE, BODY_JSON, .body = &sweep_body,
     .produces = JSON, .also = "422 429", .answer = &sweep_members},
    {"GET", "/v1/sweeps", sweeps_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &sweeps_list_parameters, .answer = &sweep_list_members},
    {"GET", "/v1/sweeps/{id}", sweeps_show_handler, ACCESS_READ, BODY_NONE,
     .parameters = &wait_parameters, .answer = &sweep_members},
    {"GET", "/v1/sweeps/{id}/events", sweep_events_handler, ACCESS_READ, BODY_NONE,
     .produces = "text/event-stream"},
    {"DELETE", "/v1/sweeps/{id}", sweeps_cancel_handler, ACCESS_WRITE, BODY_NONE,
     .produces = JSON, .also = "409", .answer = &sweep_members},
    {"POST", "/v1/aa", aa_create_handler, ACCESS_WRITE, BODY_JSON, .body = &aa_body,
     .produces = JSON, .also = "422 429", .answer = &sweep_members},
    {"GET", "/v1/comparison", comparison_handler, ACCESS_READ, BODY_NONE,
     .parameters = &comparison_list_parameters, .answer = &comparison_members},
    {"GET", "/v1/comparison.svg", comparison_svg_handler, ACCESS_READ, BODY_NONE,
     .produces = "image/svg+xml", .parameters = &comparison_parameters},
    {"GET", "/v1/badge.svg", badge_svg_handler, ACCESS_READ, BODY_NONE,
     .produces = "image/svg+xml", .parameters = &comparison_parameters},
    {"GET", "/v1/history", history_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &history_parameters, .answer = &history_members},
    {"GET", "/v1/machines", machines_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .answer = &machine_list_members},
    {"GET", "/v1/machines/{id}", machines_show_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .answer = &machine_members},
    {"GET", "/v1/machine", machine_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .answer = &this_machine_members},
    {"GET", "/v1/machine/load", load_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .answer = &load_members},
    {"GET", "/v1/prices", prices_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &prices_list_parameters, .answer = &price_list_members},
    {"POST", "/v1/prices", prices_create_handler, ACCESS_WRITE, BODY_JSON, .body = &prices_body,
     .produces = JSON, .answer = &stored_prices_members, .also = "404 409"},
    {"POST", "/v1/prices/refresh", prices_refresh_handler, ACCESS_WRITE, BODY_NONE,
     .produces = JSON, .parameters = &refresh_parameters, .answer = &refresh_members,
     .also = "409 422 507"},
    {"POST", "/v1/prices/{id}/withdraw", prices_withdraw_handler, ACCESS_WRITE, BODY_JSON,
     .body = &reason_body, .produces = JSON, .answer = &listed_price_members, .also = "409"},
    {"GET", "/v1/feeds", feeds_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .answer = &feed_list_members},
    {"GET", "/v1/figures", figures_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .answer = &figure_list_members},
    {"POST", "/v1/figures", figures_create_handler, ACCESS_WRITE, BODY_JSON, .body = &figure_body,
     .produces = JSON, .answer = &figure_members, .also = "409"},
    {"DELETE", "/v1/figures/{id}", figures_remove_handler, ACCESS_WRITE, BODY_NONE,
     .produces = JSON, .parameters = &reason_parameters, .answer = &figure_members,
     .also = "409"},
    {"GET", "/v1/instances", instances_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &instances_parameters, .answer = &instance_list_members},
    {"GET", "/v1/capacity", capacity_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &capacity_list_parameters, .answer = &capacity_list_members},
    {"POST", "/v1/capacity", capacity_create_handler, ACCESS_IMPORT, BODY_JSON,
     .body = &capacity_body, .produces = JSON, .answer = &capacity_event_members},
    {"GET", "/v1/families", families_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &families_parameters, .answer = &family_list_members},
    {"GET", "/v1/support", support_handler, ACCESS_READ, BODY_NONE,
     .parameters = &support_parameters, .answer = &support_list_members},
    {"GET", "/v1/wanted", wanted_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &wanted_parameters, .answer = &wanted_list_members},
    {"GET", "/v1/discounts", discounts_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &discounts_list_parameters, .answer = &discount_list_members},
    {"POST", "/v1/discounts", discounts_create_handler, ACCESS_WRITE, BODY_JSON,
     .body = &discount_body, .produces = JSON, .answer = &stored_discount_members, .also = "409"},
    {"POST", "/v1/discounts/{id}/withdraw", discounts_withdraw_handler, ACCESS_WRITE, BODY_JSON,
     .body = &reason_body, .produces = JSON, .answer = &discount_members},
    {"GET", "/v1/backup", backup_handler, ACCESS_COPY, BODY_NONE,
     .produces = "application/vnd.sqlite3", .also = "507"},
    {"GET", "/v1/runs/{id}/events", events_handler, ACCESS_READ, BODY_NONE,
     .produces = "text/event-stream"},
};
const size_t route_count = COUNT(routes);

struct metrics_label route_label(size_t index)
{
    return (struct metrics_label){routes[index].method, routes[index].pattern};
}
