/* Property: how the pages of Azure's list are cut into pieces changes nothing, and what comes of
 * them are prices of the region that was asked for. */
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

FUZZ_WALKS(azure_retail, "australiacentral", "", .check = NULL)
