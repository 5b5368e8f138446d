#include "common/hex.h"

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void hex_write(const uint8_t *bytes, size_t count, char *ret_text)
{
    for (size_t i = 0; i < count; i++) {
        *ret_text++ = HEX_DIGITS[bytes[i] >> 4];
        *ret_text++ = HEX_DIGITS[bytes[i] & 15];
    }
    *ret_text = '\0';
}

bool hex_read(const char *text, size_t count, uint8_t *ret_bytes)
{
    for (size_t i = 0; i < count; i++, text += 2) {
        int high = hex_digit(text[0]), low = high < 0 ? -1 : hex_digit(text[1]);

        if (low < 0)
            return false;
        ret_bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}
