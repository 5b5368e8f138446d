/* Every handler; routes.c says which path each one answers. */
#pragma once

#include <stdbool.h>

struct exchange;
struct members;

void runs_create_handler(struct exchange *exchange);
void runs_list_handler(struct exchange *exchange);
void runs_show_handler(struct exchange *exchange);
void runs_cancel_handler(struct exchange *exchange);
void voids_create_handler(struct exchange *exchange);
void voids_lift_handler(struct exchange *exchange);
void voids_list_handler(struct exchange *exchange);
void implementations_handler(struct exchange *exchange);
void evidence_handler(struct exchange *exchange);
void recompute_handler(struct exchange *exchange);
void check_handler(struct exchange *exchange);
void machines_list_handler(struct exchange *exchange);
void machines_show_handler(struct exchange *exchange);
void machine_handler(struct exchange *exchange);
void load_handler(struct exchange *exchange);
void prices_list_handler(struct exchange *exchange);
void prices_create_handler(struct exchange *exchange);
void prices_withdraw_handler(struct exchange *exchange);
void prices_refresh_handler(struct exchange *exchange);
void feeds_list_handler(struct exchange *exchange);
void figures_list_handler(struct exchange *exchange);
void figures_create_handler(struct exchange *exchange);
void figures_remove_handler(struct exchange *exchange);
void instances_handler(struct exchange *exchange);
void capacity_list_handler(struct exchange *exchange);
void capacity_create_handler(struct exchange *exchange);
void families_handler(struct exchange *exchange);
void wanted_handler(struct exchange *exchange);
void support_handler(struct exchange *exchange);
void discounts_list_handler(struct exchange *exchange);
void discounts_create_handler(struct exchange *exchange);
void discounts_withdraw_handler(struct exchange *exchange);
void comparison_handler(struct exchange *exchange);
/* Replies if the answer is cached, or refuses; false if it must be computed. */
bool comparison_from_cache(struct exchange *exchange);
void comparison_svg_handler(struct exchange *exchange);
void badge_svg_handler(struct exchange *exchange);
void history_handler(struct exchange *exchange);
bool history_from_cache(struct exchange *exchange); /* as comparison_from_cache() */
void sweeps_create_handler(struct exchange *exchange);
void sweeps_list_handler(struct exchange *exchange);
void sweeps_show_handler(struct exchange *exchange);
void sweeps_cancel_handler(struct exchange *exchange);
void sweep_events_handler(struct exchange *exchange);
void aa_create_handler(struct exchange *exchange);
void import_handler(struct exchange *exchange);
void export_handler(struct exchange *exchange);
void steps_handler(struct exchange *exchange);
void backup_handler(struct exchange *exchange);
void events_handler(struct exchange *exchange);
void health_handler(struct exchange *exchange);
void ready_handler(struct exchange *exchange);
void metrics_handler(struct exchange *exchange);
void openapi_handler(struct exchange *exchange);
void asset_handler(struct exchange *exchange);

/* Their answers that no other header declares. */
extern const struct members state_event_members, step_list_members, void_list_members;
extern const struct members sweep_list_members, sweep_state_event_members;
extern const struct members health_members, readiness_members, import_report_members;
extern const struct members machine_list_members, this_machine_members;
extern const struct members capacity_list_members;
extern const struct members discount_list_members, stored_discount_members, discount_members;
extern const struct members feed_list_members;
extern const struct members figure_list_members, figure_members;
extern const struct members instance_list_members;
extern const struct members price_list_members, stored_prices_members;
extern const struct members support_list_members;

/* Their request bodies that no other header declares. */
extern const struct body prices_body, discount_body, capacity_body;
