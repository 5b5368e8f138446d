/* Whose region a name is, by its form: "eu-central-1" and "us-west-2-lax-1" are of AWS,
 * "europe-west4" of Google, "westeurope" and "eastus2" of Azure. Pure. */
#pragma once

#include <stdbool.h>

/* "aws", "gcp", "azure"; NULL for what has none of these forms. */
const char *provider_of_region(const char *name);
