#include "engine/spec/run_id.h"

#include <string.h>
#include <sys/random.h>

#define MILLISECONDS_MAX ((1ULL << 48) - 1)

static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

bool run_id_new(long long calendar_us, struct run_id *ret_id, struct error *err)
{
    unsigned long long milliseconds =
        calendar_us > 0 ? (unsigned long long)(calendar_us / 1000) : 0;
    unsigned char noise[16];

    if (milliseconds > MILLISECONDS_MAX)
        milliseconds = MILLISECONDS_MAX;
    if (getrandom(noise, sizeof noise, 0) != (ssize_t)sizeof noise)
        return error_set(err, ERROR_INTERNAL, NULL, "the kernel gives no random bytes");
    for (int i = 9; i >= 0; i--, milliseconds >>= 5)
        ret_id->text[i] = digits[milliseconds & 31];
    for (int i = 0; i < 16; i++)
        ret_id->text[10 + i] = digits[noise[i] & 31];
    ret_id->text[RUN_ID_LENGTH] = '\0';
    return true;
}

bool run_id_is_valid(const char *text)
{
    /* The first digit holds three bits: more would not be 48 bits of time. */
    return strlen(text) == RUN_ID_LENGTH && strspn(text, digits) == RUN_ID_LENGTH &&
           text[0] <= '7';
}
