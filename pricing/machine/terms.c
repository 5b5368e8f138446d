#include "pricing/machine/terms.h"

#include "common/cleanup.h"
#include "common/json_read.h"
#include "pricing/feeds/source.h"
#include "pricing/machine/metadata.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define RED_HAT "Red Hat Enterprise Linux"
#define SUSE "SUSE Linux Enterprise Server"

void terms_of_aws(const char *document, size_t length, char ret_terms[TERMS_SIZE])
{
    json_error_t why;
    AUTO(json_decrefp) json_t *json = json_read(document, length, 0, &why);
    const char *product = json_string_value(
        json_array_get(json_object_get(json, "billingProducts"), 0)); /* one says enough */
    char word[24] = "";

    ret_terms[0] = '\0';
    if (!product)
        return;
    METADATA_WORD(word, product);
    snprintf(ret_terms, TERMS_SIZE, "a licence%s%s%s", *word ? " (" : "", word, *word ? ")" : "");
}

void terms_of_gcp(const char *image, char ret_terms[TERMS_SIZE])
{
    static const char *const projects[][2] = {
        {"rhel-cloud", RED_HAT},
        {"rhel-sap-cloud", RED_HAT},
        {"suse-cloud", SUSE},
        {"suse-sap-cloud", SUSE},
        {"ubuntu-os-pro-cloud", "Ubuntu Pro"},
        {"windows-cloud", "Windows"},
        {"windows-sql-cloud", "Windows"},
    };
    static const char begin[] = "projects/";
    size_t length;

    ret_terms[0] = '\0';
    if (strncmp(image, begin, strlen(begin)) != 0)
        return;
    image += strlen(begin);
    length = strcspn(image, "/");
    for (size_t i = 0; i < COUNT(projects); i++)
        if (strlen(projects[i][0]) == length && strncmp(image, projects[i][0], length) == 0)
            snprintf(ret_terms, TERMS_SIZE, "%s", projects[i][1]);
}

/* The licence may be the customer's own: the machine's or the image's metadata says so. */
static bool is_own_licence(const json_t *compute)
{
    return strstr(source_text(compute, "licenseType"), "_BYOS") ||
           strcasestr(source_text(compute, "offer"), "byos") ||
           strcasestr(source_text(compute, "sku"), "byos");
}

void terms_of_azure(const json_t *compute, char ret_terms[TERMS_SIZE])
{
    const char *publisher = source_text(compute, "publisher");
    const char *license = source_text(compute, "licenseType");
    const char *terms = "";

    if (strcasecmp(source_text(compute, "osType"), "Windows") == 0)
        terms = "Windows";
    else if (is_own_licence(compute))
        terms = "";
    else if (strcasecmp(publisher, "RedHat") == 0 || strncmp(license, "RHEL_", 5) == 0)
        terms = RED_HAT;
    else if (strcasecmp(publisher, "SUSE") == 0 || strncmp(license, "SLES_", 5) == 0)
        terms = SUSE;
    snprintf(ret_terms, TERMS_SIZE, "%s", terms);
}
