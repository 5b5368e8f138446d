/* Property: how the pages of AWS's GetProducts are cut into pieces changes nothing, and what
 * comes of them are prices of the region that was asked for. */
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

FUZZ_WALKS(aws_products, "us-east-1", "", .check = NULL)
