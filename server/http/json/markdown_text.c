#include "server/http/json/markdown_text.h"

#include <string.h>

static bool needs_escape(const char *at)
{
    return strchr("\\`*_~[]<>|#@&!", *at) || (*at == ':' && strncmp(at, "://", 3) == 0);
}

static char without_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f ? ' ' : c;
}

bool markdown_add_plain(struct bytes *text, const char *words)
{
    bool ok = true;

    for (const char *at = words; ok && *at; at++) {
        char c = without_control(*at);

        ok = (!needs_escape(at) || bytes_add(text, "\\", 1)) && bytes_add(text, &c, 1);
    }
    return ok;
}

bool markdown_add_code(struct bytes *text, const char *words)
{
    bool ok = bytes_add(text, "`", 1);

    for (const char *at = words; ok && *at; at++) {
        char c = *at == '`' || *at == '|' ? '\'' : without_control(*at);

        ok = bytes_add(text, &c, 1);
    }
    return ok && bytes_add(text, "`", 1);
}
