#include "pricing/instance_family.h"

#include "common/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Azure's: the number of vCPUs follows the letters of the series, with "-2" after it if fewer are
 * used. */
static void family_of_azure(const char *name, char ret_family[INSTANCE_SIZE])
{
    const char *series = strchr(name, '_') + 1;
    size_t letters = strcspn(series, "0123456789");
    const char *rest = series + letters;

    while (text_is_digit(*rest) || (*rest == '-' && text_is_digit(rest[1])))
        rest++;
    snprintf(ret_family, INSTANCE_SIZE, "%.*s%s", (int)((size_t)(series - name) + letters), name,
             rest);
}

/* Google's: words between dashes; the word with the size begins with a digit. A family without
 * such a word ("e2-micro") has its sizes as last words. */
static void family_of_google(const char *name, char ret_family[INSTANCE_SIZE])
{
    size_t used = strcspn(name, "-");
    const char *size = NULL, *rest;

    for (const char *dash = name + used; *dash; dash += strcspn(dash + 1, "-") + 1)
        if (!size && text_is_digit(dash[1]))
            size = dash;
    if (!size) {
        snprintf(ret_family, INSTANCE_SIZE, "%.*s", (int)(strrchr(name, '-') - name), name);
        return;
    }
    rest = size + 1 + strcspn(size + 1, "-");
    snprintf(ret_family, INSTANCE_SIZE, "%.*s%s", (int)(size - name), name,
             strcmp(rest, "-metal") == 0 ? "" : rest);
}

/* "" if nothing precedes the size. */
static void family_by_form(const char *name, char ret_family[INSTANCE_SIZE])
{
    if (strchr(name, '.'))
        snprintf(ret_family, INSTANCE_SIZE, "%.*s", (int)strcspn(name, "."), name);
    else if (strncmp(name, "Standard_", 9) == 0 || strncmp(name, "Basic_", 6) == 0)
        family_of_azure(name, ret_family);
    else if (strchr(name, '-'))
        family_of_google(name, ret_family);
    else
        snprintf(ret_family, INSTANCE_SIZE, "%s", name);
}

void instance_family(const char *name, char ret_family[INSTANCE_SIZE])
{
    family_by_form(name, ret_family);
    if (!ret_family[0])
        snprintf(ret_family, INSTANCE_SIZE, "%s", name);
}
