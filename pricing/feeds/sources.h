/* Every feed there is, each in a file of its own. */
#pragma once

#include "pricing/feeds/source.h"

extern const struct source aws_offer;
extern const struct source aws_offer_csv;
extern const struct source aws_on_demand_page;
extern const struct source aws_products;
extern const struct source aws_savings_plan;
extern const struct source aws_spot_advisor;
extern const struct source aws_spot_history;
extern const struct source aws_spot_page;
extern const struct source azure_retail;
extern const struct source gcp_catalog;
extern const struct source gcp_pricelist;
extern const struct source price_file;
