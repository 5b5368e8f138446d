#include "common/json_text.h"

#include "common/cleanup.h"
#include "tests/test.h"

static void a_value_is_one_line_in_the_order_it_was_made(void)
{
    AUTO(json_decrefp)
    json_t *json = json_pack("{s:[i, n, b], s:{}, s:s}", "z", 1, 1, "a", "m", "\n\"");
    AUTO(freep) char *text = json_text(json);

    EXPECT_STR(text, "{\"z\":[1,null,true],\"a\":{},\"m\":\"\\n\\\"\"}");
}

static void nothing_has_no_text(void)
{
    EXPECT(json_text(NULL) == NULL);
}

int main(void)
{
    RUN(a_value_is_one_line_in_the_order_it_was_made);
    RUN(nothing_has_no_text);
    return test_result();
}
