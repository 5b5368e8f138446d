/* Property: how the pages of AWS's GetProducts are cut into pieces changes nothing, and what
 * comes of them are prices of the region that was asked for. */
#include "pricing/feeds/sources.h"
#include "tests/fuzz/walks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return walks_try(&aws_products, "us-east-1", "",
                     (struct walks_input){.data = data, .size = size});
}
