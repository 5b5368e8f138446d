#include "common/json_read.h"

#include "tests/test.h"

static const char text[] = "{\"name\": \"a text that is longer than a small buffer\", \"n\": 12}";

TEST(a_value_is_read)
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_read(text, strlen(text), 0, &why);
    AUTO(json_decrefp) json_t *number = json_read("125", 2, JSON_DECODE_ANY, &why);

    EXPECT_INT(json_integer_value(json_object_get(json, "n")), 12);
    EXPECT_INT(json_integer_value(number), 12);
}

TEST(bad_text_is_refused_with_a_reason)
{
    static const char *const bad[] = {"", "{", "{\"a\": 1, \"a\": 2}", "[1] 2", "12"};

    for (size_t i = 0; i < COUNT(bad); i++) {
        json_error_t why;

        EXPECT(json_read(bad[i], strlen(bad[i]), 0, &why) == NULL);
        EXPECT(why.text[0] != '\0');
    }
}
