#include "common/hex.h"

#include "tests/test.h"

TEST(each_byte_is_two_digits_and_back)
{
    uint8_t bytes[256], again[256];
    char text[2 * sizeof bytes + 1];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    hex_write(bytes + 0x9f, 2, text);
    EXPECT_STR(text, "9fa0");
    hex_write(bytes, sizeof bytes, text);
    EXPECT(hex_read(text, sizeof again, again));
    EXPECT_INT(memcmp(bytes, again, sizeof again), 0);
}

TEST(a_digit_may_be_upper_case)
{
    uint8_t bytes[2];

    EXPECT(hex_read("aBFf", 2, bytes));
    EXPECT_INT(bytes[0], 0xab);
    EXPECT_INT(bytes[1], 0xff);
}

TEST(other_characters_are_no_digits)
{
    static const char *const wrong[] = {"", "0", "g0", "0g", "0:", "/0", "0@", "`0", "0x"};
    uint8_t byte;

    for (size_t i = 0; i < COUNT(wrong); i++)
        if (hex_read(wrong[i], 1, &byte))
            EXPECT_STR(wrong[i], "refused");
}
