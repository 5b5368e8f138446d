#include "pricing/region_form.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* Small letters, digits and single dashes, beginning with a letter. */
static bool is_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) &&
            !(*c == '-' && c > name && c[-1] != '-'))
            return false;
    return islower((unsigned char)name[0]);
}

const char *provider_of_region(const char *name)
{
    const char *dash = strrchr(name, '-'), *last;
    size_t letters;

    if (!is_name(name))
        return NULL;
    if (!dash)
        return "azure";
    last = dash + 1;
    letters = strspn(last, "abcdefghijklmnopqrstuvwxyz");
    if (last[letters] == '\0' || last[letters + strspn(last + letters, "0123456789")] != '\0')
        return NULL;
    return letters > 0 ? "gcp" : "aws";
}
