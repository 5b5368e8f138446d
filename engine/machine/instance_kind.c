#include "engine/machine/instance_kind.h"

#include "common/cleanup.h"

#include <ctype.h>
#include <strings.h>

static const char *const shared_cores[] = {"f1-micro", "g1-small", "e2-micro", "e2-small",
                                           "e2-medium"};

static bool kind_begins(const char *text, const char *with)
{
    return strncasecmp(text, with, strlen(with)) == 0;
}

/* "t3.large", "t4g.micro": t, a generation, perhaps letters, and a dot. */
static bool is_amazon_t(const char *type)
{
    if (tolower((unsigned char)type[0]) != 't' || !isdigit((unsigned char)type[1]))
        return false;
    for (type += 2; isalnum((unsigned char)*type); type++)
        ;
    return *type == '.';
}

bool instance_is_burstable(const char *type)
{
    for (size_t i = 0; i < COUNT(shared_cores); i++)
        if (strcasecmp(type, shared_cores[i]) == 0)
            return true;
    return is_amazon_t(type) || (kind_begins(type, "Standard_B") &&
                                 isdigit((unsigned char)type[strlen("Standard_B")]));
}
