/* Property: how the pages of AWS's spot price history are cut into pieces changes nothing, and
 * what comes of them are prices of the region that was asked for. */
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

FUZZ_WALKS(aws_spot_history, "us-east-1", "m5.large", .check = NULL)
