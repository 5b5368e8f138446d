#include "common/json_text.h"

#include "tests/test.h"

TEST(a_value_is_one_line_in_the_order_it_was_made)
{
    AUTO(json_decrefp)
    json_t *json = json_pack("{s:[i, n, b], s:{}, s:s}", "z", 1, 1, "a", "m", "\n\"");
    AUTO(freep) char *text = json_text(json);

    EXPECT_STR(text, "{\"z\":[1,null,true],\"a\":{},\"m\":\"\\n\\\"\"}");
}

TEST(nothing_has_no_text)
{
    EXPECT(json_text(NULL) == NULL);
}
