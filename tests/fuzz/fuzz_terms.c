/* Property: whatever the metadata services of AWS and Google answer, what a machine is billed for
 * is one of our words, and of the answer at most the code of a product. */
#include "pricing/machine/terms.h"

#include "common/cleanup.h"
#include "tests/fuzz/fuzz.h"

#include <stdbool.h>

static bool is_licence(const char *terms)
{
    static const char begin[] = "a licence";
    const char *rest = terms + strlen(begin);
    size_t length = strlen(rest);

    if (strncmp(terms, begin, strlen(begin)) != 0)
        return false;
    if (length == 0)
        return true;
    return length > 3 && strncmp(rest, " (", 2) == 0 && rest[length - 1] == ')' &&
           strspn(rest + 2,
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               length - 3;
}

FUZZ(data, size)
{
    AUTO(freep) char *text = fuzz_text(data, size);
    char terms[TERMS_SIZE];

    memset(terms, 'x', sizeof terms);
    terms_of_aws((const char *)data, size, terms);
    ALWAYS(memchr(terms, '\0', sizeof terms) != NULL);
    ALWAYS(!*terms || is_licence(terms));
    memset(terms, 'x', sizeof terms);
    terms_of_gcp(text, terms);
    ALWAYS(memchr(terms, '\0', sizeof terms) != NULL);
    ALWAYS(!*terms || strncmp(text, "projects/", 9) == 0);
    ALWAYS(!strstr(terms, "licence"));
}
