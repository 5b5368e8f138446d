#include "server/base/cursor.h"

#include "tests/test.h"

#include <ctype.h>

static const long long numbers[] = {1,
                                    2,
                                    9,
                                    10,
                                    255,
                                    256,
                                    65535,
                                    1000000,
                                    4294967296LL,
                                    1LL << 52,
                                    12345,
                                    999999,
                                    (1LL << 56) - 1};

TEST(a_written_text_is_read_back_unchanged)
{
    for (size_t i = 0; i < COUNT(numbers); i++) {
        char text[CURSOR_SIZE];
        long long number = -7;

        cursor_write(numbers[i], text);
        EXPECT(strlen(text) < CURSOR_SIZE);
        EXPECT(cursor_read(text, &number));
        EXPECT_INT(number, numbers[i]);
    }
}

TEST(a_cursor_fits_into_a_url_as_it_is)
{
    char text[CURSOR_SIZE];

    cursor_write(numbers[COUNT(numbers) - 1], text);
    for (const char *c = text; *c; c++)
        EXPECT(isalnum((unsigned char)*c));
}

static const char *const strangers[] = {"",
                                        "r",
                                        "r1",
                                        "r19",
                                        "1",
                                        "19e",
                                        "cursor",
                                        "r0",
                                        "r000",
                                        "r-19e",
                                        "r 19e",
                                        "rzzzz",
                                        "r0x19e",
                                        "rffffffffffffffffff",
                                        "rffffffffffffffffffffffffffffffff",
                                        "%72",
                                        "r19e ",
                                        "null"};

TEST(a_foreign_cursor_is_refused)
{
    for (size_t i = 0; i < COUNT(strangers); i++) {
        long long number = -7;

        EXPECT(!cursor_read(strangers[i], &number));
        EXPECT_INT(number, -7);
    }
}

/* The number sits before two check digits. */
TEST(a_cursor_with_one_digit_changed_or_lost_is_refused)
{
    static const char digits[] = "0123456789abcdef";
    char text[CURSOR_SIZE], changed[CURSOR_SIZE];
    long long number;
    int taken = 0;

    cursor_write(123456, text);
    size_t length = strlen(text);
    for (size_t i = 1; i < length; i++) {
        for (size_t k = 0; k < strlen(digits); k++) {
            memcpy(changed, text, sizeof changed);
            changed[i] = digits[k];
            taken += digits[k] != text[i] && cursor_read(changed, &number);
        }
    }
    EXPECT_INT(taken, 0);
    text[length - 1] = '\0';
    EXPECT(!cursor_read(text, &number));
}

TEST(capital_letters_are_not_the_same_cursor)
{
    char text[CURSOR_SIZE];
    long long number;

    cursor_write(0xabcdef, text);
    text[1] = (char)toupper((unsigned char)text[1]);
    EXPECT(!cursor_read(text, &number));
}
