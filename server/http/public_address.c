#include "server/http/public_address.h"

#include <stdio.h>
#include <string.h>

#define PART_MAX 250 /* bytes of a name, and of a path */
#define ALNUM "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static bool is_made_of(const char *text, const char *characters)
{
    size_t length = text ? strlen(text) : 0;

    return length > 0 && length <= PART_MAX && strspn(text, characters) == length;
}

static const char *scheme_of(const char *forwarded, bool is_tls)
{
    if (forwarded && (strcmp(forwarded, "https") == 0 || strcmp(forwarded, "http") == 0))
        return forwarded;
    return is_tls ? "https" : "http";
}

void public_address(const struct request_headers *headers, bool is_tls,
                    char ret_text[PUBLIC_ADDRESS_SIZE])
{
    const char *prefix = headers->forwarded_prefix;
    size_t length = 0;

    ret_text[0] = '\0';
    if (!is_made_of(headers->host, ALNUM "._-:[]"))
        return;
    if (is_made_of(prefix, ALNUM "._-~/") && prefix[0] == '/')
        length = strlen(prefix);
    while (length > 0 && prefix[length - 1] == '/')
        length--;
    snprintf(ret_text, PUBLIC_ADDRESS_SIZE, "%s://%s%.*s",
             scheme_of(headers->forwarded_proto, is_tls), headers->host, (int)length,
             length > 0 ? prefix : "");
}
