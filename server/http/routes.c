#include "server/http/routes.h"

#include "answers/gate/request.h"
#include "common/cleanup.h"
#include "server/api/comparison.h"
#include "server/api/prices.h"
#include "server/api/runs.h"
#include "server/api/sweeps.h"
#include "server/api/types.h"
#include "server/http/handlers/handlers.h"
#include "server/http/json/present_capacity.h"

#define JSON "application/json"

/* The page has parameters of its own. */
static const struct parameters any_parameters = {.any = true};

const struct route routes[] = {
    {"GET", "/", asset_handler, ACCESS_OPEN, BODY_NONE, .parameters = &any_parameters},
    {"GET", "/assets/{id}", asset_handler, ACCESS_OPEN, BODY_NONE, .parameters = &any_parameters},
    {"GET", "/healthz", health_handler, ACCESS_OPEN, BODY_NONE, .produces = JSON},
    {"GET", "/readyz", ready_handler, ACCESS_OPEN, BODY_NONE, .produces = JSON,
     .also = "500 503"},
    {"GET", "/metrics", metrics_handler, ACCESS_READ, BODY_NONE, .produces = "text/plain"},
    {"GET", "/v1/openapi.json", openapi_handler, ACCESS_OPEN, BODY_NONE, .produces = JSON},
    {"POST", "/v1/runs", runs_create_handler, ACCESS_WRITE, BODY_JSON, .produces = JSON,
     .parameters = &wait_parameters, .also = "422 429"},
    {"GET", "/v1/runs", runs_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &runs_list_parameters},
    {"POST", "/v1/runs/import", import_handler, ACCESS_IMPORT, BODY_RUNS, .produces = JSON,
     .also = "429"},
    {"GET", "/v1/runs/export", export_handler, ACCESS_EXPORT, BODY_NONE,
     .produces = "application/x-ndjson", .parameters = &export_parameters},
    {"GET", "/v1/runs/{id}", runs_show_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &wait_parameters},
    {"DELETE", "/v1/runs/{id}", runs_cancel_handler, ACCESS_WRITE, BODY_NONE, .produces = JSON,
     .also = "409"},
    {"GET", "/v1/runs/{id}/void", voids_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON},
    {"POST", "/v1/runs/{id}/void", voids_create_handler, ACCESS_WRITE, BODY_JSON,
     .produces = JSON, .also = "409"},
    {"DELETE", "/v1/runs/{id}/void", voids_lift_handler, ACCESS_WRITE, BODY_NONE,
     .produces = JSON, .parameters = &reason_parameters},
    {"GET", "/v1/runs/{id}/implementations", implementations_handler, ACCESS_READ, BODY_NONE,
     .produces = JSON},
    {"GET", "/v1/runs/{id}/steps", steps_handler, ACCESS_READ, BODY_NONE,
     .parameters = &steps_parameters},
    {"GET", "/v1/runs/{id}/evidence", evidence_handler, ACCESS_READ, BODY_NONE, .produces = JSON},
    {"GET", "/v1/runs/{id}/recompute", recompute_handler, ACCESS_READ, BODY_NONE,
     .produces = JSON, .also = "409"},
    {"GET", "/v1/runs/{id}/check", check_handler, ACCESS_READ, BODY_NONE,
     .parameters = &gate_parameters, .also = "409 422"},
    {"POST", "/v1/runs/{id}/check", check_handler, ACCESS_WRITE, BODY_NONE,
     .parameters = &gate_parameters, .also = "409 422 429 507"},
    {"POST", "/v1/sweeps", sweeps_create_handler, ACCESS_WRITE, BODY_JSON, .produces = JSON,
     .also = "422 429"},
    {"GET", "/v1/sweeps", sweeps_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &sweeps_list_parameters},
    {"GET", "/v1/sweeps/{id}", sweeps_show_handler, ACCESS_READ, BODY_NONE,
     .parameters = &wait_parameters},
    {"GET", "/v1/sweeps/{id}/events", sweep_events_handler, ACCESS_READ, BODY_NONE,
     .produces = "text/event-stream"},
    {"DELETE", "/v1/sweeps/{id}", sweeps_cancel_handler, ACCESS_WRITE, BODY_NONE,
     .produces = JSON, .also = "409"},
    {"POST", "/v1/aa", aa_create_handler, ACCESS_WRITE, BODY_JSON, .produces = JSON,
     .also = "422 429"},
    {"GET", "/v1/comparison", comparison_handler, ACCESS_READ, BODY_NONE,
     .parameters = &comparison_list_parameters},
    {"GET", "/v1/comparison.svg", comparison_svg_handler, ACCESS_READ, BODY_NONE,
     .produces = "image/svg+xml", .parameters = &comparison_parameters},
    {"GET", "/v1/badge.svg", badge_svg_handler, ACCESS_READ, BODY_NONE,
     .produces = "image/svg+xml", .parameters = &comparison_parameters},
    {"GET", "/v1/history", history_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &history_parameters},
    {"GET", "/v1/machines", machines_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON},
    {"GET", "/v1/machines/{id}", machines_show_handler, ACCESS_READ, BODY_NONE, .produces = JSON},
    {"GET", "/v1/machine", machine_handler, ACCESS_READ, BODY_NONE, .produces = JSON},
    {"GET", "/v1/machine/load", load_handler, ACCESS_READ, BODY_NONE, .produces = JSON},
    {"GET", "/v1/prices", prices_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &prices_list_parameters},
    {"POST", "/v1/prices", prices_create_handler, ACCESS_WRITE, BODY_JSON, .produces = JSON,
     .also = "404 409"},
    {"POST", "/v1/prices/refresh", prices_refresh_handler, ACCESS_WRITE, BODY_NONE,
     .produces = JSON, .parameters = &refresh_parameters, .also = "409 422 507"},
    {"POST", "/v1/prices/{id}/withdraw", prices_withdraw_handler, ACCESS_WRITE, BODY_JSON,
     .produces = JSON, .also = "409"},
    {"GET", "/v1/feeds", feeds_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON},
    {"GET", "/v1/figures", figures_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON},
    {"POST", "/v1/figures", figures_create_handler, ACCESS_WRITE, BODY_JSON, .produces = JSON,
     .also = "409"},
    {"DELETE", "/v1/figures/{id}", figures_remove_handler, ACCESS_WRITE, BODY_NONE,
     .produces = JSON, .parameters = &reason_parameters, .also = "409"},
    {"GET", "/v1/instances", instances_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &instances_parameters},
    {"GET", "/v1/capacity", capacity_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &capacity_list_parameters, .answer = &capacity_list_members},
    {"POST", "/v1/capacity", capacity_create_handler, ACCESS_IMPORT, BODY_JSON, .produces = JSON,
     .answer = &capacity_event_members},
    {"GET", "/v1/families", families_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &families_parameters},
    {"GET", "/v1/support", support_handler, ACCESS_READ, BODY_NONE,
     .parameters = &support_parameters},
    {"GET", "/v1/wanted", wanted_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &wanted_parameters},
    {"GET", "/v1/discounts", discounts_list_handler, ACCESS_READ, BODY_NONE, .produces = JSON,
     .parameters = &discounts_list_parameters},
    {"POST", "/v1/discounts", discounts_create_handler, ACCESS_WRITE, BODY_JSON, .produces = JSON,
     .also = "409"},
    {"POST", "/v1/discounts/{id}/withdraw", discounts_withdraw_handler, ACCESS_WRITE, BODY_JSON,
     .produces = JSON},
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
