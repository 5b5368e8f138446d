#include "server/http/negotiate.h"

#include "common/cleanup.h"

#include <strings.h>

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t");
}

/* "0.35" -> 350; a malformed value counts as 1000, as a missing one does. */
static int read_quality(const char *text)
{
    int quality = 0, unit = 100;

    if (text[0] == '1' || text[0] != '0')
        return 1000;
    text++;
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9' && unit > 0; text++, unit /= 10)
            quality += (*text - '0') * unit;
    return quality;
}

/* The q of one range's parameters, "text/csv ; q=0.5". */
static int range_quality(const char *range, const char *end)
{
    for (const char *c = range; c < end; c++) {
        const char *name;

        if (*c != ';')
            continue;
        name = skip_spaces(c + 1);
        if (name + 2 <= end && (name[0] == 'q' || name[0] == 'Q') && name[1] == '=')
            return read_quality(name + 2);
    }
    return 1000;
}

/* How closely a range names the type: 3 exactly, 2 as "text/", 1 as any, 0 not. */
static int range_fit(const char *range, size_t length, const char *type)
{
    size_t slash = strcspn(type, "/");

    if (length == strlen(type) && strncasecmp(range, type, length) == 0)
        return 3;
    if (length == slash + 2 && strncasecmp(range, type, slash + 1) == 0 &&
        range[slash + 1] == '*')
        return 2;
    return length == 3 && strncmp(range, "*/*", 3) == 0;
}

int accept_quality(const char *accept, const char *type)
{
    int best_fit = 0, quality = 0;

    if (!accept || !*skip_spaces(accept))
        return 1000;
    while (*accept) {
        const char *range = skip_spaces(accept);
        const char *end = range + strcspn(range, ",");
        size_t length = strcspn(range, ";, \t");
        int fit = range_fit(range, length, type);

        /* The most specific range decides, not the highest q: "text/csv;q=0, anything". */
        if (fit > best_fit) {
            best_fit = fit;
            quality = range_quality(range, end);
        }
        accept = *end ? end + 1 : end;
    }
    return quality;
}

bool encoding_is_accepted(const char *accept_encoding, const char *coding)
{
    bool any = false;

    while (accept_encoding && *accept_encoding) {
        const char *item = skip_spaces(accept_encoding);
        const char *end = item + strcspn(item, ",");
        size_t length = strcspn(item, ";, \t");

        if (length == strlen(coding) && strncasecmp(item, coding, length) == 0)
            return range_quality(item, end) > 0;
        any = any || (length == 1 && *item == '*' && range_quality(item, end) > 0);
        accept_encoding = *end ? end + 1 : end;
    }
    return any;
}

static bool content_type_is(const char *content_type, const char *wanted)
{
    const char *rest;

    if (!content_type || strncasecmp(content_type, wanted, strlen(wanted)) != 0)
        return false;
    rest = skip_spaces(content_type + strlen(wanted));
    if (*rest == '\0')
        return true;
    rest = *rest == ';' ? skip_spaces(rest + 1) : "";
    return strcasecmp(rest, "charset=utf-8") == 0 || strcasecmp(rest, "charset=\"utf-8\"") == 0;
}

bool content_type_is_json(const char *content_type)
{
    return content_type_is(content_type, "application/json");
}

bool content_type_is_lines(const char *content_type)
{
    return content_type_is(content_type, "application/x-ndjson");
}

long long prefer_wait(const char *prefer)
{
    while (prefer && *prefer) {
        const char *item = skip_spaces(prefer);
        size_t length = strcspn(item, ",");

        if (length > 5 && strncasecmp(item, "wait=", 5) == 0) {
            size_t digits = strspn(item + 5, "0123456789");

            if (digits > 0 && digits < 10 && strchr(", ;\t", item[5 + digits]))
                return strtoll(item + 5, NULL, 10);
            return 0;
        }
        prefer = item[length] ? item + length + 1 : NULL;
    }
    return 0;
}

bool idempotency_key_read(const char *header, char ret_key[IDEMPOTENCY_KEY_MAX + 1])
{
    size_t length = strlen(header);

    if (length >= 2 && header[0] == '"' && header[length - 1] == '"') {
        header++;
        length -= 2;
    }
    if (length < 1 || length > IDEMPOTENCY_KEY_MAX)
        return false;
    for (size_t i = 0; i < length; i++)
        if (header[i] < 0x20 || header[i] > 0x7e)
            return false;
    memcpy(ret_key, header, length);
    ret_key[length] = '\0';
    return true;
}

const char *bearer_token(const char *authorization)
{
    static const char scheme[] = "Bearer ";

    if (!authorization || strncasecmp(authorization, scheme, strlen(scheme)) != 0)
        return NULL;
    return skip_spaces(authorization + strlen(scheme));
}
