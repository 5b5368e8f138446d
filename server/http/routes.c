#include "server/http/routes.h"

#include "common/cleanup.h"
#include "server/http/handlers/handlers.h"

const struct route routes[] = {
    {"GET", "/", asset_handler, ACCESS_OPEN, BODY_NONE},
    {"GET", "/assets/{id}", asset_handler, ACCESS_OPEN, BODY_NONE},
    {"GET", "/healthz", health_handler, ACCESS_OPEN, BODY_NONE},
    {"GET", "/readyz", ready_handler, ACCESS_OPEN, BODY_NONE},
    {"GET", "/metrics", metrics_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/openapi.json", openapi_handler, ACCESS_OPEN, BODY_NONE},
    {"POST", "/v1/runs", runs_create_handler, ACCESS_WRITE, BODY_JSON},
    {"GET", "/v1/runs", runs_list_handler, ACCESS_READ, BODY_NONE},
    {"POST", "/v1/runs/import", import_handler, ACCESS_IMPORT, BODY_RUNS},
    {"GET", "/v1/runs/export", export_handler, ACCESS_EXPORT, BODY_NONE},
    {"GET", "/v1/runs/{id}", runs_show_handler, ACCESS_READ, BODY_NONE},
    {"DELETE", "/v1/runs/{id}", runs_cancel_handler, ACCESS_WRITE, BODY_NONE},
    {"GET", "/v1/runs/{id}/void", voids_list_handler, ACCESS_READ, BODY_NONE},
    {"POST", "/v1/runs/{id}/void", voids_create_handler, ACCESS_WRITE, BODY_JSON},
    {"DELETE", "/v1/runs/{id}/void", voids_lift_handler, ACCESS_WRITE, BODY_NONE},
    {"GET", "/v1/runs/{id}/implementations", implementations_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/runs/{id}/steps", steps_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/runs/{id}/evidence", evidence_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/runs/{id}/recompute", recompute_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/runs/{id}/check", check_handler, ACCESS_READ, BODY_NONE},
    {"POST", "/v1/runs/{id}/check", check_handler, ACCESS_WRITE, BODY_NONE},
    {"POST", "/v1/sweeps", sweeps_create_handler, ACCESS_WRITE, BODY_JSON},
    {"GET", "/v1/sweeps", sweeps_list_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/sweeps/{id}", sweeps_show_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/sweeps/{id}/events", sweep_events_handler, ACCESS_READ, BODY_NONE},
    {"DELETE", "/v1/sweeps/{id}", sweeps_cancel_handler, ACCESS_WRITE, BODY_NONE},
    {"POST", "/v1/aa", aa_create_handler, ACCESS_WRITE, BODY_JSON},
    {"GET", "/v1/comparison", comparison_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/comparison.svg", comparison_svg_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/badge.svg", badge_svg_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/history", history_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/machines", machines_list_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/machines/{id}", machines_show_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/machine", machine_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/machine/load", load_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/prices", prices_list_handler, ACCESS_READ, BODY_NONE},
    {"POST", "/v1/prices", prices_create_handler, ACCESS_WRITE, BODY_JSON},
    {"POST", "/v1/prices/refresh", prices_refresh_handler, ACCESS_WRITE, BODY_NONE},
    {"POST", "/v1/prices/{id}/withdraw", prices_withdraw_handler, ACCESS_WRITE, BODY_JSON},
    {"GET", "/v1/feeds", feeds_list_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/figures", figures_list_handler, ACCESS_READ, BODY_NONE},
    {"POST", "/v1/figures", figures_create_handler, ACCESS_WRITE, BODY_JSON},
    {"DELETE", "/v1/figures/{id}", figures_remove_handler, ACCESS_WRITE, BODY_NONE},
    {"GET", "/v1/instances", instances_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/capacity", capacity_list_handler, ACCESS_READ, BODY_NONE},
    {"POST", "/v1/capacity", capacity_create_handler, ACCESS_IMPORT, BODY_JSON},
    {"GET", "/v1/families", families_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/support", support_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/wanted", wanted_handler, ACCESS_READ, BODY_NONE},
    {"GET", "/v1/discounts", discounts_list_handler, ACCESS_READ, BODY_NONE},
    {"POST", "/v1/discounts", discounts_create_handler, ACCESS_WRITE, BODY_JSON},
    {"POST", "/v1/discounts/{id}/withdraw", discounts_withdraw_handler, ACCESS_WRITE, BODY_JSON},
    {"GET", "/v1/backup", backup_handler, ACCESS_COPY, BODY_NONE},
    {"GET", "/v1/runs/{id}/events", events_handler, ACCESS_READ, BODY_NONE},
};
const size_t route_count = COUNT(routes);

struct metrics_label route_label(size_t index)
{
    return (struct metrics_label){routes[index].method, routes[index].pattern};
}
