#include "common/haste.h"

#include "tests/test.h"

#include <stdbool.h>
#include <stdlib.h>

TEST(a_pause_is_divided_by_the_variable_as_it_was_first)
{
    EXPECT_INT(setenv(HASTE_VARIABLE, "20", true), 0);
    EXPECT_INT(haste_pause(1000), 50);
    EXPECT_INT(setenv(HASTE_VARIABLE, "10", true), 0);
    EXPECT_INT(haste_pause(1000), 50);
    EXPECT_INT(haste_pause(0), 0);
}
